"""The working folder of a remote warehouse: a copy on this machine, which all other code uses.

The folder is a cache. It follows the newest manifest before a command uses it, and a writer's
changes to it become the next manifest. If a command fails or is killed, the folder goes back to the
newest manifest.
"""

import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

from provhouse.model.errors import Busy, Damaged, ProvhouseError, Unavailable
from provhouse.model.progress import Progress, Silent
from provhouse.runtime.files import write_over

from .history import Entry, newest
from .lease import WriterLease
from .objects import Objects
from .remote_manifest import (
    StoredFile,
    StoredFiles,
    delete_own,
    delete_unlisted,
    part_of,
    read_manifest,
    write_manifest,
)

THREADS = 8
Mark = tuple[int, int, int]
"""The time of change, the inode and the size of a file: they change with its content."""
Listing = Callable[[Path], Iterable[str]]
"""A function that returns the paths of a warehouse's files, relative to its folder."""
Tops = Callable[[Path], Iterable[Path]]
"""A function that returns the files and folders of a warehouse that are stored at its address."""


@dataclass(frozen=True)
class FolderState:
    """The content of a working folder."""

    history: str = ""
    entry: int = 0
    """The number of the newest entry that was seen."""
    manifest: str | None = None
    """The manifest that the folder agrees with; None while it is changed."""
    writing: bool = False
    """Whether a writer changes the folder, or was killed while it did."""
    behind: bool = True
    """Whether Neo4j lacks data that the folder has."""
    unsure: bool = True
    """Whether Neo4j may contain data that the folder does not have, such as erased texts."""
    erased: bool = False
    """Whether logs and reports of this machine may contain what another machine has erased."""
    parts: dict[str, StoredFile] = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    """The marks of the files when they agreed with ``parts``."""


class WorkingFolder:
    """The working folder of one remote warehouse. The caller must have its lock."""

    def __init__(
        self,
        folder: Path,
        objects: Objects,
        listing: Listing,
        tops: Tops,
        later: Callable[[str], bool],
    ) -> None:
        """``later`` says, for a path, whether the file may be fetched when it is first read."""
        self.objects = objects
        self.root = folder / "warehouse"
        self._file = folder / "state.json"
        self._aside = folder / "fetched"
        self._listing, self._tops, self._later = listing, tops, later
        self.state = FolderState()
        self.overtaken = False
        """Whether another process had changed the folder when the state was last read again."""

    def reread(self) -> None:
        """Read the state again, which another process may have changed before this one's lock."""
        known, self.state = self.state, _read(self._file)
        self.overtaken = self.state != known

    def follow(self, progress: Progress, *, whole: bool = True) -> None:
        """Make the folder equal to the newest manifest.

        Unless it must be ``whole``, files that may be fetched later can be missing.
        """
        while True:
            last = newest(self.objects, self.state.entry)
            if last is None:
                self._empty()
                return
            entry = last.entry
            if self._agrees(entry, whole):
                return
            parts = read_manifest(self.objects, entry.manifest) if entry.manifest else {}
            if parts is not None and self._change(entry, parts, whole, progress):
                return
            later = newest(self.objects, entry.number)
            if later and later.entry.manifest == entry.manifest:
                raise Damaged(
                    f"Files of the warehouse at {self.objects.place} are missing",
                    f"Its newest manifest is {entry.manifest or 'empty'}",
                    "Restore the objects from a backup",
                )

    def bring(self, paths: Iterable[Path]) -> None:
        """Fetch missing files; raise Busy if a writer has deleted them meanwhile."""
        named = {str(path.relative_to(self.root)) for path in paths}
        wanted = {path: self.state.parts[path] for path in named & self.state.parts.keys()}
        if not self._fetch(wanted, Silent()):
            raise Busy(
                f"The warehouse at {self.objects.place} was changed while it was read",
                "A writer has deleted files of the generation",
                "Run the command again",
            )

    def is_current(self, *, whole: bool) -> bool:
        """Return whether the folder and Neo4j agree with what is published."""
        last = newest(self.objects, self.state.entry)
        clean = not (self.state.behind or self.state.unsure)
        return last is not None and clean and self._agrees(last.entry, whole)

    def begin(self) -> None:
        """Note that a writer changes the folder: until ``publish``, it agrees with no manifest."""
        self._save(replace(self.state, manifest=None, writing=True))

    def graph_is_whole(self) -> None:
        """Note that Neo4j has exactly the data of the folder."""
        self._save(replace(self.state, behind=False, unsure=False))

    def logs_are_cleared(self) -> None:
        """Note that logs and reports of this machine contain nothing that was erased elsewhere."""
        self._save(replace(self.state, erased=False))

    def publish(self, lease: WriterLease, progress: Progress) -> None:
        """Publish the folder as the next manifest, and give the lease back.

        Then delete all objects that the manifest does not name. Raises Busy, with nothing
        published, if another writer has taken the lease.
        """
        state = self.state
        parts, marks, new = self._scanned(lease.token)
        if parts == state.parts:
            lease.end()
        else:
            upload(self.objects, self.root, lease, parts, new, progress)
        entry = lease.entry
        self._save(
            replace(
                state,
                history=entry.history,
                entry=entry.number,
                manifest=entry.manifest,
                writing=False,
                parts=parts,
                marks=marks,
            )
        )
        try:
            delete_unlisted(self.objects, lease.token, entry.manifest, parts)
        except ProvhouseError as error:
            raise Unavailable(
                "The change was published, but the objects that it replaced were not deleted",
                error.found,
                "The next command that writes deletes them; it needs the right to list and delete",
            ) from error
        if _drops(state.parts, parts) and (remains := self.objects.remains()):
            progress.say(f"No generation contains what was deleted. {remains}")

    def abandon(self, progress: Progress) -> None:
        """Go back to the newest manifest, or leave that to the next command."""
        with suppress(ProvhouseError):
            self.follow(progress)

    def _agrees(self, entry: Entry, whole: bool) -> bool:
        state = self.state
        if (state.history, state.manifest) != (entry.history, entry.manifest):
            return False
        if not state.parts.keys() >= {*self._listing(self.root)}:  # changed by another program
            return False
        return all(self._is_unchanged(path, part, whole) for path, part in state.parts.items())

    def _is_unchanged(self, path: str, part: StoredFile, whole: bool) -> bool:
        """Return whether a file is as it was when the folder was made equal, or fetched since."""
        mark, known = _mark(self.root / path), self.state.marks.get(path)
        if known is None:
            return mark[2] == part.bytes if mark else not whole
        return known == mark

    def _change(self, entry: Entry, parts: StoredFiles, whole: bool, progress: Progress) -> bool:
        """Make the folder equal to a manifest; return False if a file was deleted meanwhile."""
        state = self.state if self.state.history == entry.history else FolderState()
        rmtree(self._aside, ignore_errors=True)  # the remains of killed commands
        behind = state.behind or parts != state.parts
        erased = _drops(self.state.parts, parts)
        self._save(
            replace(
                state,
                history=entry.history,
                manifest=None,
                behind=behind,
                unsure=state.unsure or state.writing or erased,
                erased=self.state.erased or erased,
            )
        )
        self._keep(parts)
        wanted = {path: part for path, part in parts.items() if not self._has(path, part, state)}
        if not whole:
            for path in filter(self._later, list(wanted)):
                (self.root / path).unlink(missing_ok=True)
                del wanted[path]
        complete = self._fetch(wanted, progress)
        marks = {path: mark for path in parts if (mark := _mark(self.root / path))}
        if not complete:
            return False
        self._save(
            replace(
                self.state,
                entry=entry.number,
                manifest=entry.manifest,
                writing=False,
                parts=dict(parts),
                marks=marks,
            )
        )
        return True

    def _has(self, path: str, part: StoredFile, state: FolderState) -> bool:
        """Return whether a file has the content that a manifest names."""
        mark = _mark(self.root / path)
        if mark is None or mark[2] != part.bytes:
            return False
        known = state.parts.get(path)
        if known and known.sha256 == part.sha256 and state.marks.get(path) == mark:
            return True
        return part_of(self.root / path, 0, path).sha256 == part.sha256

    def _fetch(self, wanted: StoredFiles, progress: Progress) -> bool:
        """Download files; return False if one no longer exists.

        Small files come first, because they are replaced by later writers.
        """
        if wanted:
            progress.begin("Fetch the warehouse")
        self._aside.mkdir(parents=True, exist_ok=True)
        done, total = 0, sum(part.bytes for part in wanted.values())
        order = sorted(wanted.items(), key=lambda each: each[1].bytes)
        with ThreadPoolExecutor(THREADS) as pool:
            try:
                results = pool.map(lambda each: self._fetch_one(*each), order)
                for (_, part), found in zip(order, results, strict=True):
                    if not found:
                        return False
                    done += part.bytes
                    progress.advance(done, total, "bytes")
            finally:
                pool.shutdown(cancel_futures=True)
        return True

    def _fetch_one(self, path: str, part: StoredFile) -> bool:
        aside = self._aside / token_hex(8)
        if not self.objects.download(part.key, aside):
            return False
        if part_of(aside, 0, path).sha256 != part.sha256:
            raise Damaged(
                f"The object {part.key} of {self.objects.place} is damaged",
                "Its SHA-256 differs from that in the manifest",
                "Restore the object from a backup",
            )
        to = self.root / path
        to.parent.mkdir(parents=True, exist_ok=True)
        aside.replace(to)
        return True

    def _scanned(self, token: int) -> tuple[dict[str, StoredFile], dict[str, Mark], list[str]]:
        """Return the files of the folder, their marks, and the paths that must be uploaded."""
        parts, marks, new = dict[str, StoredFile](), dict[str, Mark](), list[str]()
        for path in sorted(self._listing(self.root)):
            mark = _mark(self.root / path)
            if mark is None:
                continue
            known = self.state.parts.get(path)
            if known is None or self.state.marks.get(path) != mark:
                found = part_of(self.root / path, token, path)
                if known is None or known.sha256 != found.sha256:
                    new.append(path)
                    known = found
            parts[path], marks[path] = known, mark
        return parts, marks, new

    def _empty(self) -> None:
        """Remove all files: there is no warehouse at the address."""
        self._keep({})
        self._save(FolderState(erased=self.state.erased or _drops(self.state.parts, {})))

    def _keep(self, parts: StoredFiles) -> None:
        """Remove all other files, and the folders that have no file then.

        A base of a writer that failed would otherwise look like a base without commit records.
        """
        for path in list(self._listing(self.root)):
            if path not in parts:
                (self.root / path).unlink()
        for top in self._tops(self.root):
            for folder, _, _ in os.walk(top, topdown=False):
                _remove_if_empty(Path(folder))

    def _save(self, state: FolderState) -> None:
        self.state = state
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_over(self._file, json.dumps(asdict(state)).encode(), mode=0o600)


def upload(
    objects: Objects,
    root: Path,
    lease: WriterLease,
    parts: StoredFiles,
    new: Iterable[str],
    progress: Progress,
) -> str:
    """Upload new files, publish a manifest of all files, and return its key.

    Raises Busy, after deleting what it uploaded, if another writer has taken the lease.
    """
    progress.begin("Publish the warehouse")
    wanted = {path: parts[path] for path in new}
    done, total = 0, sum(part.bytes for part in wanted.values())
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            results = pool.map(
                lambda each: objects.upload(each[1].key, root / each[0]), wanted.items()
            )
            for part, _ in zip(wanted.values(), results, strict=True):
                done += part.bytes
                progress.advance(done, total, "bytes")
        finally:
            pool.shutdown(cancel_futures=True)
    key = write_manifest(objects, lease.token, parts)
    try:
        lease.publish(key)
    except Busy:
        with suppress(ProvhouseError):  # the next deletion of unlisted objects finds them
            delete_own(objects, lease.token, parts.values())
        raise
    return key


def _drops(before: StoredFiles, after: StoredFiles) -> bool:
    """Return whether a file with data was replaced or removed, as an erasure and a prune do."""
    return any(
        path.startswith("base-")
        and not path.endswith("_last_checkpoint")
        and (path not in after or after[path].sha256 != part.sha256)
        for path, part in before.items()
    )


def _remove_if_empty(folder: Path) -> None:
    """Remove a folder that has nothing but temporary files, which are never stored."""
    left = list(folder.iterdir())
    if all(each.name.startswith(".") and not each.is_dir() for each in left):
        for each in left:
            each.unlink()
        folder.rmdir()


def _mark(file: Path) -> Mark | None:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _read(file: Path) -> FolderState:
    """Return the state of a folder. If it cannot be read, every file is compared by its digest."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        parts = {path: StoredFile(**each) for path, each in record.pop("parts").items()}
        marks = {path: (each[0], each[1], each[2]) for path, each in record.pop("marks").items()}
        return FolderState(**record, parts=parts, marks=marks)
    except (OSError, ValueError, TypeError, KeyError):
        return FolderState()
