"""The folders of captured blocks that are not ingested yet.

Each block is a folder below ``captured``, with the record ``block.json`` and the files that Spark's
tasks wrote. The capturing process locks the folder. A folder without a lock belongs to a job that
was captured by its configuration and has ended, to a job whose ingest failed, or to a job whose
driver was lost. After the ingest, a process may keep the folder in order to trace rows in it. The
record is then named ``landed.json``, so that the folder is not ingested again.
"""

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from provhouse.model.errors import BadInput, Busy
from provhouse.runtime.files import exclusive, make_folder, write_over

from .layout import Layout

_RECORD, _LANDED, _LOCK = "block.json", "landed.json", "lock"
_DRIVER = "driver"
"""The file that Spark's JVM locks if capture runs without a Python program.

Java can take only ``fcntl`` locks.
"""


@dataclass(frozen=True)
class Block:
    """The declarations of a captured block, and the reason why it is not ingested."""

    keys: dict[str, tuple[str, ...]]
    """The key columns of each table, by the table's name."""
    run: str
    begun: str
    """The time when the block began, in ISO 8601 and UTC."""
    error: str = ""
    """The reason why the block's ingest failed; empty if it did not fail."""
    ended: str = ""
    """The time when the application ended, in the format of ``begun``.

    It is empty unless the application was captured by its configuration.
    """
    sample: float = 1.0
    """The fraction of each write's rows whose lineage is kept."""
    workflow: str = ""
    """The workflow of which the block is a revision.

    It is empty until the block has ended without an error, because a failed job has not written all
    its results.
    """


def begin_block(
    folder: Path, keys: Mapping[str, tuple[str, ...]], run: str, sample: float = 1.0
) -> None:
    """Make the folder of a block, and its record in the folder."""
    make_folder(folder)
    begun = datetime.now(UTC).isoformat(timespec="microseconds")  # two may begin in one second
    _store(folder, Block(dict(keys), run, begun, sample=sample))


def read_block(folder: Path) -> Block:
    """Return the record of a block; raise BadInput if it is missing or not valid."""
    return _read(folder / _RECORD)


def read_kept(folder: Path) -> Block:
    """Return the record of an ingested block whose folder is kept; raise BadInput if missing."""
    return _read(folder / _LANDED)


def _read(path: Path) -> Block:
    folder = path.parent
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        keys = {table: tuple(key) for table, key in found["keys"].items()}
        return Block(**{**found, "keys": keys})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"{folder} is not the folder of a captured job",
            f"Cannot read {path}: {error}",
            "`provhouse status` shows the folders that are not ingested yet",
        ) from error


def end_block(folder: Path, *, keep: bool) -> None:
    """Remove the folder of an ingested block, unless ``keep`` is true.

    A process that keeps the folder can trace rows in it.
    """
    if keep:
        (folder / _RECORD).rename(folder / _LANDED)
    else:
        shutil.rmtree(folder)


def is_kept(folder: Path) -> bool:
    """Return whether a folder was ingested and is still kept by its process."""
    return (folder / _LANDED).exists()


def remove_kept(layout: Layout) -> None:
    """Remove the kept folders of ingested blocks whose processes have ended."""
    for path in layout.captured.glob(f"*/{_LANDED}"):
        with suppress(Busy, OSError), held(path.parent):
            shutil.rmtree(path.parent)


def note_failure(folder: Path, error: BaseException) -> None:
    """Store the reason why a block's ingest failed in the block's record."""
    text = ". ".join(str(error).splitlines()) or type(error).__name__
    _store(folder, replace(read_block(folder), error=text))


def note_workflow(folder: Path, workflow: str) -> None:
    """Store in a block's record that the block has ended and is a revision of a workflow."""
    _store(folder, replace(read_block(folder), workflow=workflow))


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder of a block; raise Busy if the block's job is still running."""

    def busy() -> None:
        raise Busy(
            f"The job that captures into {folder} is still running",
            "Its process has the folder locked",
            "Wait until it has ended",
        )

    with exclusive(folder / _LOCK, waiting=busy):
        if _has_driver(folder):
            busy()
        yield


def _has_driver(folder: Path) -> bool:
    try:
        with (folder / _DRIVER).open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except (BlockingIOError, PermissionError):
        return True
    return False


def await_driver(folder: Path, seconds: float = 60) -> None:
    """Wait until the JVM that captures into a folder has ended, for at most ``seconds``.

    The JVM ends soon after its script.
    """
    late = monotonic() + seconds
    while _has_driver(folder) and monotonic() < late:
        sleep(0.05)


def waiting_blocks(layout: Layout) -> dict[Path, Block]:
    """Return, by folder, the blocks that no running job will ingest, the oldest first."""
    return blocks_below(layout.captured)


def blocks_below(captured: Path) -> dict[Path, Block]:
    """Return the blocks below a folder, with the same selection and order as ``waiting_blocks``."""
    found = {}
    for path in sorted(captured.glob(f"*/{_RECORD}")):
        try:
            with held(path.parent):
                found[path.parent] = read_block(path.parent)
        except (Busy, BadInput, OSError):  # its job runs, or it has just been ingested
            continue
    return dict(sorted(found.items(), key=lambda each: each[1].begun))


def _store(folder: Path, block: Block) -> None:
    write_over(folder / _RECORD, json.dumps(asdict(block)).encode())
