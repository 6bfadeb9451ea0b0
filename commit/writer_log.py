"""The log of writers, `logs/writers.jsonl`: two lines for each writer, without names of items.

The first line records the start, so that even a killed writer is logged. The second line records
the end. Lines are only ever appended. A large file is renamed to `writers.N.jsonl` and kept.
"""

import errno
import json
import os
import pwd
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from provhouse.model.command import COMMAND
from provhouse.model.errors import Damaged, ProvhouseError, Unavailable
from provhouse.model.progress import Progress
from provhouse.runtime.files import sync_folder
from provhouse.runtime.scratch import clear_defects
from provhouse.store.warehouse.commits import Commit, current
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

FILE_BYTES = 1 << 20
_OURS = re.compile(r"writers(\.\d+)?\.jsonl")


@contextmanager
def writing(
    layout: Layout, wait_seconds: float = 0, progress: Progress | None = None
) -> Iterator[None]:
    """Be the single writer for the length of the block, and log its start and end.

    Raises the errors of ``locked`` and ``logged``.
    """
    with locked(layout, wait_seconds, progress), logged(layout):
        yield


@contextmanager
def logged(layout: Layout) -> Iterator[None]:
    """Log the start and end of the block as the start and end of a writer.

    The caller must have the lock. Raises Unavailable if the log cannot be written. A full disk is
    ignored, since commands that free space are writers too.
    """
    before = _current(layout)
    who = {"writer": secrets.token_hex(8), "command": COMMAND.get(), **_user()}
    _add(layout, {"event": "begins", **who, "generation": _generation(before)})
    try:
        yield
    except BaseException as error:
        _end(layout, {**who, "outcome": _outcome(error)})
        raise
    _end(layout, {**who, "outcome": "done"})


def log_event(layout: Layout, event: str, person: str, address: str = "local") -> None:
    """Log an event that changes no table. ``person`` names the person whom the event concerns.

    No lock is needed, because the file is never renamed here. Raises Unavailable if the log cannot
    be written, except on a full disk.
    """
    who = {"command": COMMAND.get(), **_user(), "person": person, "address": address}
    _add(layout, {"event": event, **who}, rotate=False)


def log_files(layout: Layout) -> list[Path]:
    """Return the files of the log of writers."""
    return [path for path in layout.logs.glob("writers*.jsonl") if _OURS.fullmatch(path.name)]


def clear_logs(layout: Layout) -> None:
    """Remove all logs except the log of writers. Error messages in them may name items."""
    clear_defects()
    for path in sorted(layout.logs.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif not (path.parent == layout.logs and _OURS.fullmatch(path.name)):
            path.unlink()
    if layout.logs.is_dir():
        sync_folder(layout.logs)


def _end(layout: Layout, entry: dict[str, object]) -> None:
    """Log the end of a writer; ignore a failure to log, since the work itself is done."""
    after = _current(layout)
    totals = asdict(after.totals) if after else None
    with suppress(Unavailable):
        _add(layout, {"event": "ends", **entry, "generation": _generation(after), "totals": totals})


def _outcome(error: BaseException) -> str:
    """Return the kind of an error, without its message, which may contain names of items."""
    return type(error).__name__ if isinstance(error, ProvhouseError) else "broken off"


def _current(layout: Layout) -> Commit | None:
    try:
        return current(layout)
    except Damaged:
        return None


def _generation(commit: Commit | None) -> int | None:
    return commit.generation if commit else None


def _user() -> dict[str, object]:
    """Return the system user of this process, and the client address of an ssh session."""
    number = os.getuid()
    try:
        user = pwd.getpwuid(number).pw_name
    except KeyError:  # the id has no name, as in a container
        user = str(number)
    address = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return {"user": user, "uid": number, "process": os.getpid(), "address": address or "local"}


def _add(layout: Layout, entry: dict[str, object], *, rotate: bool = True) -> None:
    line = json.dumps({"time": datetime.now(UTC).isoformat(timespec="seconds"), **entry})
    try:
        layout.logs.mkdir(parents=True, exist_ok=True)
        if rotate:
            _rotate(_file(layout))
        _append(_file(layout), line.encode() + b"\n")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return
        raise Unavailable(
            f"Cannot write the log {_file(layout)}",
            str(error.strerror),
            "Change the permissions of that file and its folder",
        ) from error


def _append(file: Path, line: bytes) -> None:
    # O_NOFOLLOW: a planted symbolic link must not redirect the log.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    handle = os.open(file, flags, 0o600)
    try:
        os.fchmod(handle, 0o600)
        os.write(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)


def _rotate(file: Path) -> None:
    if not file.exists() or file.stat().st_size < FILE_BYTES:
        return
    numbers = [
        int(n) for old in file.parent.glob("writers.*.jsonl") if (n := old.stem[8:]).isdigit()
    ]
    file.rename(file.with_name(f"writers.{max(numbers, default=0) + 1}.jsonl"))


def _file(layout: Layout) -> Path:
    return layout.logs / "writers.jsonl"
