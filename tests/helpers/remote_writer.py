"""A writer and a reader of a remote warehouse, without Spark and Neo4j, each in its own process.

``python -m helpers.remote_writer ADDRESS NAME TIMES [stop]`` adds 1 to the counter in ``ids.json``
and writes the file ``base-1/NAME-COUNT``, as often as TIMES says. It prints the count of each
change that was published. With ``stop``, it suspends itself before its last change is published.
``ADDRESS NAME 0`` reads instead, until its input ends, and prints each count that it has seen.

A state is whole if its files are exactly those of all counts up to the counter.
"""

import os
import select
import signal
import sys
from pathlib import Path

from provhouse.model.errors import Busy
from provhouse.model.progress import Silent
from provhouse.runtime.remote import lease
from provhouse.store.warehouse.at_address import kept_files, objects_at, opened, up_to_date
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

SECONDS = 4
"""The length of the writers' leases."""


def counted(root: Path) -> int:
    """Return the counter of a folder, after checking that the folder is whole."""
    counter = root / "ids.json"
    count = int(counter.read_text()) if counter.exists() else 0
    files = [path for path in kept_files(root) if path.startswith("base-1/")]
    numbers = sorted(int(path.rpartition("-")[2]) for path in files)
    assert numbers == [*range(1, count + 1)], f"the counter is {count}, with files {numbers}"
    for path in files:
        text = (root / path).read_text()
        assert text == path * 1000, f"{path} is damaged"
    return count


def change(root: Path, name: str, *, stop: bool) -> int:
    """Make one change as the single writer, and return its count."""
    with locked(Layout(root), 300):
        count = counted(root) + 1
        file = root / "base-1" / f"{name}-{count}"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"base-1/{name}-{count}" * 1000)
        (root / "ids.json").write_text(str(count))
        if stop:
            os.kill(os.getpid(), signal.SIGSTOP)
    return count


def read(root: Path) -> None:
    """Read until the input ends."""
    seen = -1
    while not select.select([sys.stdin], [], [], 0)[0]:
        with up_to_date(root, Silent()):
            count = counted(root)
        assert count >= seen, "an earlier state came back"
        if count != seen:
            print(count, flush=True)
        seen = count


def main(address: str, name: str, times: int, *, stop: bool) -> int:
    """Write or read; return 6 if a change was refused."""
    lease.SECONDS = SECONDS
    with opened(objects_at(address)) as root:
        if not times:
            read(root)
            return 0
        for number in range(times):
            try:
                print(change(root, name, stop=stop and number == times - 1), flush=True)
            except Busy as error:
                print(error, file=sys.stderr)
                return 6
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), stop=sys.argv[4:] == ["stop"]))
