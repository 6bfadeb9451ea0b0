"""Warehouses at addresses: their working folders, and the publishing of each change.

Readers and writers use the working folder like any local warehouse. They only meet this module when
they begin: a reader brings the folder up to date (``opened``), and a writer publishes its changes
(``publishing``). ``runtime/remote`` explains how.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from provhouse.model.errors import Damaged, Unavailable, UsageError
from provhouse.model.progress import Progress, Silent
from provhouse.runtime.files import lock, open_lock
from provhouse.runtime.jars import cache_folder
from provhouse.runtime.remote.lease import take
from provhouse.runtime.remote.objects import Objects
from provhouse.runtime.remote.working_folder import WorkingFolder
from provhouse.runtime.storage import fetching

KEPT = (
    "warehouse.json", "ids.json", "erasure.json", "commits", "tables", "results",
    "files", "pins", "written", "samples", "uncaptured",
)  # fmt: skip
"""The files and folders of a warehouse, beside its bases, that are stored at an address.

The last five are those of warehouses that earlier versions wrote. All others, such as logs and
Neo4j's store, belong to a machine.
"""
_BASE = re.compile(r"base-\d+")
_PARTITION = re.compile(r"base-\d+/triples/\d+\.parquet")
_PART = re.compile(r"[^/?#]+")


class _Opened:
    """A working folder that this process uses, with its lock."""

    def __init__(self, folder: Path, objects: Objects) -> None:
        self.folder = WorkingFolder(folder, objects, kept_files, _tops, _is_partition)
        self.handle = open_lock(folder / "use.lock")


_opened: dict[Path, _Opened] = {}
"""The working folders that this process uses, by the folder of the warehouse.

The dictionary is global for the same reason as that of the write locks: the functions that begin a
write only have the warehouse's ``Layout``.
"""


def objects_at(address: str) -> Objects:
    """Return the storage at an address; raise UsageError if it is not usable."""
    try:
        parts = urlsplit(address)
    except ValueError as error:  # a bracket without its pair
        raise _unusable(address) from error
    path = parts.path.strip("/")
    if (
        parts.query
        or parts.fragment
        or "//" in path
        or not (parts.netloc or parts.scheme == "hdfs")
    ):
        raise _unusable(address)
    if parts.scheme == "hdfs":
        from provhouse.runtime.remote.hdfs import HdfsObjects

        return HdfsObjects(f"hdfs://{parts.netloc}/{path}")
    from provhouse.runtime.remote.s3 import S3Objects

    return S3Objects(parts.netloc, f"{path}/" if path else "")


def _unusable(address: str) -> UsageError:
    return UsageError(
        f"Cannot use the address {address}",
        "It is not of the form s3://BUCKET/PATH or hdfs://HOST:PORT/PATH",
        "Correct the address",
    )


def kept_files(root: Path) -> Iterator[str]:
    """Yield the paths, relative to a warehouse's folder, of the files to store at an address.

    They are those of a backup, and the results of workflows.
    """
    for top in _tops(root):
        if top.is_file():
            yield top.name
        for folder, _, files in os.walk(top):
            below = Path(folder).relative_to(root)
            yield from (str(below / name) for name in files if not name.startswith("."))


def _tops(root: Path) -> list[Path]:
    """Return the files and folders of a warehouse's folder that are stored at an address."""
    tops = sorted(root.iterdir()) if root.is_dir() else []
    return [top for top in tops if top.name in KEPT or _BASE.fullmatch(top.name)]


@contextmanager
def opened(objects: Objects) -> Iterator[Path]:
    """Yield the working folder of a warehouse at an address, for the length of the block.

    The folder is not brought up to date yet.
    """
    folder = _working_folders() / _name(objects.place)
    root = folder / "warehouse"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it contains the warehouse's data
        root.mkdir(exist_ok=True)
        held = _Opened(folder, objects)
    except OSError as error:
        raise Unavailable(
            f"Cannot use the working folder {folder}",
            str(error.strerror),
            "Make it writable, or choose another place with XDG_CACHE_HOME",
        ) from error
    _opened[root] = held
    try:
        with fetching(root, held.folder.bring):
            yield root
    finally:
        del _opened[root]
        os.close(held.handle)
        objects.close()


@contextmanager
def up_to_date(
    root: Path, progress: Progress, *, whole: bool = True
) -> Iterator[WorkingFolder | None]:
    """Bring a working folder up to date, and yield it to a block that completes its Neo4j.

    After the block, the folder stays as it is until this process ends its use: other processes may
    read it too, and change it only if no process reads it. If a process has changed it just before,
    the folder is ``overtaken`` after the block, and the caller must begin again. Unless the folder
    must be ``whole``, partitions are fetched when they are read. Yields None if nothing has
    changed, and for a local warehouse.
    """
    held = _opened.get(root)
    if held is None:
        yield None
        return
    _share(held)
    if held.folder.is_current(whole=whole):
        yield None
        return
    _lock(held, progress)
    held.folder.follow(progress, whole=whole)
    yield held.folder
    _share(held)


@contextmanager
def publishing(root: Path, wait_seconds: float, progress: Progress | None) -> Iterator[None]:
    """Be the only writer of a remote warehouse, on all machines, and publish what the block does.

    If the block fails, the working folder goes back to what is published. Does nothing for a local
    warehouse. Raises Busy if another process is still writing after ``wait_seconds``, and
    UsageError for a working folder that is used like a local warehouse.
    """
    held = _opened.get(root)
    if held is None:
        _refuse_unopened(root)
        yield
        return
    folder, shown = held.folder, progress or Silent()
    _lock(held, shown)
    lease = take(
        folder.objects,
        wait_seconds,
        lambda: shown.begin("Wait for another writer"),
        folder.state.entry,
    )
    try:
        folder.follow(shown)
        folder.begin()
        try:
            yield
            _refuse_lost(root, folder.state.parts)
            folder.publish(lease, shown)
        except BaseException:
            lease.end()
            folder.abandon(shown)
            raise
    finally:
        lease.end()
        _share(held)
        while held.folder.overtaken:
            _lock(held, shown)
            folder.abandon(shown)
            _share(held)


def working_folder(root: Path) -> WorkingFolder | None:
    """Return the working folder that a writer has locked, or None for a local warehouse."""
    held = _opened.get(root)
    return held.folder if held else None


def _lock(held: _Opened, progress: Progress) -> None:
    """Lock a working folder exclusively, and read what another process may have changed."""
    if not lock(held.handle):
        progress.begin("Wait for another command of this machine")
        lock(held.handle, wait=True)
    held.folder.reread()


def _share(held: _Opened) -> None:
    """Share the lock of a working folder, and read what another process may have changed.

    The system frees an exclusive lock before it shares it, so another process may lock in between.
    """
    lock(held.handle, shared=True, wait=True)
    held.folder.reread()


def _refuse_lost(root: Path, before: Iterable[str]) -> None:
    """Raise Damaged if a file that writers never remove has disappeared from a working folder.

    Publishing without the file would delete the object that is its only good copy. ``before`` are
    the paths of what was published last.
    """
    gone = {path for path in before if not (root / path).exists()}
    stay = {f"base-{number}" for number in _named_bases(root)} if gone else set()
    lost = [path for path in gone if _is_partition(path) and path.partition("/")[0] in stay]
    lost += gone & {"warehouse.json"}
    if not stay:
        lost += [path for path in gone if path.startswith("commits/")]
    if lost:
        raise Damaged(
            f"{root / min(lost)} disappeared while this command was writing",
            "It belongs to the warehouse, and no writer removes it",
            "Nothing was published. Run the command again: it fetches the file",
        )


def _named_bases(root: Path) -> Iterator[int]:
    """Yield the bases that commit records name."""
    for file in (root / "commits").glob("*.json"):
        try:
            yield json.loads(file.read_text(encoding="utf-8"))["base"]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Damaged(
                f"Cannot read {file}",
                f"Reading it fails: {error!r}",
                "Nothing was published. Run the command again: it fetches the file",
            ) from error


def _refuse_unopened(root: Path) -> None:
    """Raise UsageError for a working folder that was named by its path: nothing would publish."""
    if root.parent.parent == _working_folders():
        raise UsageError(
            f"Cannot write to {root}",
            "It is the working folder of a warehouse at an address",
            "Name the address",
        )


def _working_folders() -> Path:
    return cache_folder() / "remote"


def _is_partition(path: str) -> bool:
    return bool(_PARTITION.fullmatch(path))


def _name(place: str) -> str:
    """Return the name of a working folder: readable, and different for each place."""
    readable = "-".join(_PART.findall(place.partition("://")[2].partition(" ")[0]))
    plain = re.sub(r"[^A-Za-z0-9.-]", "-", readable)[:60]
    return f"{plain}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"
