"""Commands keep their exit statuses for each kind of error and signal."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import provhouse.capturing.refused  # the error that it defines is one of those listed
import provhouse.sql.not_covered  # the error that it defines is one of those listed
import provhouse.tracking.refusals  # noqa: F401  # the error that it defines is one of those listed
from helpers.lived import Lived
from provhouse.cli.app import run
from provhouse.cli.failures import guarded
from provhouse.model.errors import ProvhouseError
from provhouse.serve.problems import Crowded
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

OUTSIDE = (
    errno.EACCES, errno.EBUSY, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ELOOP, errno.EMFILE,
    errno.ENAMETOOLONG, errno.ENFILE, errno.ENOENT, errno.ENOMEM, errno.ENOSPC, errno.EPERM,
    errno.EROFS,
)  # fmt: skip
OTHERS: dict[str, BaseException] = {
    "a defect": KeyError("x"),
    "a full disk, in words only": OSError("800 requested and 96 written"),
    "a loop of links": RuntimeError("Symlink loop from '/x'"),
    "a pipe to something else breaks": BrokenPipeError(errno.EPIPE, "gone"),
    "interrupted": KeyboardInterrupt(),
    "too little memory": MemoryError(),
}
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
CALLS: tuple[tuple[str, ...], ...] = (
    (), ("--help",), ("--version",), ("nonsense",), ("lineage", "--nonsense"), ("find",),
    ("lineage",), ("find", "x", "--limit", "0"), ("--set", "nonsense=1", "status"), ("find", "x"),
    ("ingest", "none.csv"), ("status",), ("generations",), ("down",),
)  # fmt: skip
"""Arguments of commands to run on a missing warehouse.

In that case, the commands start neither Spark nor Neo4j.
"""
HELD: tuple[tuple[str, ...], ...] = (
    ("check",), ("status",), ("lineage", "report"), ("lineage", "nobody"),
    ("lineage", "report", "--table", "none"), ("lineage", "report", "--as-of", "99"),
    ("lineage", "--items", "items.txt"), ("path", "report", "raw:0"), ("find", "nobody"),
    ("retract", "nobody"), ("retract", "--run", "none"), ("prune",), ("forget", "nobody"),
    ("export", "."), ("import", "."), ("cypher", "RETURN 1"), ("cypher", "CREATE (n)"),
)  # fmt: skip
"""Arguments of commands to run on a warehouse with data. The commands do not change it."""
COMMAND = Path(sys.executable).with_name("provhouse")
"""The console script, which is installed next to Python."""


def status(logs: Path, error: BaseException | int) -> int:
    """Return the exit status of work that raises the given error or receives the given signal."""

    def work() -> None:
        if isinstance(error, BaseException):
            raise error
        os.kill(os.getpid(), error)

    return guarded(work, lambda: logs)


def classes(root: type[ProvhouseError]) -> Iterator[type[ProvhouseError]]:
    """Yield a class and all its subclasses."""
    yield root
    for each in root.__subclasses__():
        yield from classes(each)


def test_errors_and_signals_have_the_same_exit_statuses(
    golden: Callable[[str, str], None], tmp_path: Path
) -> None:
    ends: dict[str, BaseException | int] = {
        **{kind.__name__: kind("wanted") for kind in classes(ProvhouseError)},
        **{f"OSError {errno.errorcode[n]}": OSError(n, "x", "file") for n in OUTSIDE},
        **OTHERS,
        **{number.name: number for number in SIGNALS},
    }
    assert Crowded.__name__ in ends, "a class that only the server imports is missing"
    lines = [f"{name}: {status(tmp_path / name, end)}\n" for name, end in ends.items()]
    golden("exits.txt", "".join(sorted(lines)))


def test_commands_on_a_missing_warehouse_have_the_same_exit_statuses(
    golden: Callable[[str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{' '.join(('provhouse', *call))}: {run(call)}\n" for call in CALLS]
    golden("calls.txt", "".join(lines))


def test_commands_on_a_warehouse_have_the_same_exit_statuses(
    lived: Lived,
    golden: Callable[[str, str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.txt").write_text("report\nnobody\n")
    layout = Layout(tmp_path / "copy")
    shutil.copytree(lived.house.layout.root, layout.root)
    home = lived.house.settings.graph_home
    where = ("--warehouse", str(layout.root), "--set", f"neo4j_home={home}")
    lines = [f"{' '.join(('provhouse', *call))}: {run((*where, *call))}\n" for call in HELD]
    with locked(layout):
        lines.append(f"provhouse compact, beside a writer: {run((*where, 'compact'))}\n")
    for file in layout.table(2, "sets").glob("*.parquet"):
        file.unlink()
    lines.append(f"provhouse check, of damage: {run((*where, 'check'))}\n")
    golden("calls-held.txt", "".join(lines))


def test_a_closed_pipe_ends_a_command_without_a_message(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as gone:
        done = subprocess.run(
            [COMMAND, "--help"], stdout=gone, stderr=subprocess.PIPE, cwd=tmp_path
        )
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")
