"""Copy a warehouse between folders and addresses, with all its generations."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from provhouse.commit.lost_commits import refuse_lost
from provhouse.commit.recover import recover
from provhouse.commit.writer_log import writing
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.runtime.remote.history import newest
from provhouse.runtime.remote.lease import take
from provhouse.runtime.remote.objects import Objects
from provhouse.runtime.remote.remote_manifest import StoredFile, part_of
from provhouse.runtime.remote.working_folder import upload
from provhouse.store.warehouse.at_address import kept_files, objects_at, opened, up_to_date
from provhouse.store.warehouse.commits import generations, nothing_stored
from provhouse.store.warehouse.layout import Layout

from .repair import repair


@dataclass(frozen=True)
class Copied:
    """The result of a copy."""

    generation: int
    """The current generation of both warehouses."""
    files: int
    bytes: int


def copy(source: Path | str, target: Path | str, settings: Settings, progress: Progress) -> Copied:
    """Copy a warehouse from a folder or address to another one, which must be empty.

    ``settings`` are those of a local target, whose Neo4j is loaded. Raises NotFound if the source
    is empty, Busy while a local source is written, and UsageError if the target is not empty.
    """
    with ExitStack() as stack:
        objects = None
        if isinstance(target, str):
            objects = stack.enter_context(closing(objects_at(target)))
            _check_empty(objects)
        elif target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise _not_empty(str(target))
        folder = stack.enter_context(_held(source, progress))
        paths = sorted(kept_files(folder))
        if objects:
            size = _publish(objects, folder, paths, progress)
        else:
            size = _write(settings.warehouse, folder, paths, progress)
            repair(settings, progress)
        return Copied(generations(Layout(folder))[-1], len(paths), size)


@contextmanager
def _held(source: Path | str, progress: Progress) -> Iterator[Path]:
    """Yield the folder of a warehouse with a generation, which no process changes meanwhile."""
    if isinstance(source, str):
        with opened(objects_at(source)) as folder:
            overtaken = True
            while overtaken:
                with up_to_date(folder, progress) as held:
                    pass
                overtaken = held is not None and held.overtaken
            if not generations(Layout(folder)):
                raise NotFound(f"There is no warehouse at {source}", "Nothing was published there")
            yield folder
        return
    layout = Layout(source)
    if not generations(layout):  # before the lock creates the folder
        raise nothing_stored(layout)
    with writing(layout, progress=progress):
        refuse_lost(layout)
        recover(layout, thorough=True)  # at an address, the files of killed writers would seem lost
        yield source


def _publish(objects: Objects, folder: Path, paths: list[str], progress: Progress) -> int:
    lease = take(objects, 0, lambda: None)
    try:
        if lease.entry.manifest:
            raise _not_empty(objects.place)
        progress.begin("Read the warehouse")
        parts: dict[str, StoredFile] = {p: part_of(folder / p, lease.token, p) for p in paths}
        upload(objects, folder, lease, parts, paths, progress)
        return sum(part.bytes for part in parts.values())
    finally:
        lease.end()


def _write(target: Path, folder: Path, paths: list[str], progress: Progress) -> int:
    """Copy files, and wait until they are on disk; commit records come last."""
    progress.begin("Copy the files")
    size = 0
    for number, path in enumerate(sorted(paths, key=lambda each: each.startswith("commits/"))):
        to = target / path
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, to)
        sync_file(to)
        size += to.stat().st_size
        progress.advance(number + 1, len(paths), "files")
    for made in {(target / path).parent for path in paths}:
        sync_folder(made)
    return size


def _check_empty(objects: Objects) -> None:
    last = newest(objects)
    if last and last.entry.manifest:
        raise _not_empty(objects.place)


def _not_empty(place: str) -> UsageError:
    return UsageError(
        f"Cannot copy a warehouse to {place}",
        "There is something already",
        "Choose an empty folder or address",
    )
