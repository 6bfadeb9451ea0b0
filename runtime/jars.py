"""The jars of Neo4j and Delta, fetched once into a cache that all clones share.

Nothing is resolved at run time, and nothing is shipped: Neo4j is GPLv3, so the user's own machine
fetches it. A jar enters its folder only by a rename after its SHA-256 was found right; from then
on a start compares names and sizes, and ``fetch`` reads every byte again.
"""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress

from .download import download
from .files import exclusive
from .jar_lock import GROUPS, Group, Jar, digest, locked

__all__ = ["GROUPS", "Group", "Jar", "cache_folder", "fetch", "jar_folder", "missing"]


def jar_folder(group: Group) -> Path:
    """The folder that holds exactly the locked jars of a group, so that ``folder/*`` names them.

    Raises Unavailable where it does not.
    """
    folder = _folder(group)
    wrong = _sizes(folder).items() ^ {(jar.name, jar.size) for jar in locked(group)}
    if wrong:
        names = sorted({name for name, _ in wrong})
        raise Unavailable(
            f"The {len(locked(group))} jars of {group} should be in {folder}",
            f"{len(names)} are missing, broken or do not belong there, such as {names[0]}",
            "Fetch them with: provhouse doctor --fetch",
        )
    return folder


def missing() -> list[Jar]:
    """The locked jars that are not there in their right size; none is read."""
    there = {group: _sizes(_folder(group)) for group in GROUPS}
    return [
        jar for group in GROUPS for jar in locked(group) if there[group].get(jar.name) != jar.size
    ]


def fetch(progress: Progress) -> None:
    """Fetch every jar that is missing or altered, and take out what does not belong there.

    Several processes may call this at once: one fetches, the others wait for it.
    Raises Unavailable where there is no network, no room or no right to write.
    """
    if not _wrong() and not _strangers():
        return
    root = _root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with exclusive(
            root / "lock",
            mode=0o644,
            waiting=lambda: progress.say("Waiting for another process that fetches the jars"),
        ):
            _mend(root, progress)
    except OSError as error:
        raise Unavailable(
            f"Jars are kept in {root}, which must be writable and have 200 MB of room",
            str(error),
            "Make it so, or set XDG_CACHE_HOME to another folder",
        ) from error


def _mend(root: Path, progress: Progress) -> None:
    for left in root.glob("part-*"):  # by a fetch that was killed; we alone are here
        shutil.rmtree(left)
    for stranger in _strangers():
        stranger.unlink()
    if jars := _wrong():  # looked at again: another process may have fetched them meanwhile
        with TemporaryDirectory(prefix="part-", dir=root) as scratch:
            _fetch(jars, Path(scratch), progress)


def _fetch(jars: list[Jar], scratch: Path, progress: Progress) -> None:
    progress.begin("fetch jars")
    done, total = 0, sum(jar.size for jar in jars)
    for jar, file in download(jars, scratch):
        folder = _folder(jar.group)
        folder.mkdir(exist_ok=True)
        file.replace(folder / jar.name)
        done += jar.size
        progress.advance(done, total, "bytes")


def _wrong() -> list[Jar]:
    return [
        jar for group in GROUPS for jar in locked(group) if not jar.is_at(_folder(group) / jar.name)
    ]


def _strangers() -> list[Path]:
    return [
        _folder(group) / name
        for group in GROUPS
        for name in _sizes(_folder(group)).keys() - {jar.name for jar in locked(group)}
    ]


def cache_folder() -> Path:
    """Where what all clones share is kept."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (given if given.is_absolute() else Path.home() / ".cache") / "provhouse"


def _root() -> Path:
    return cache_folder() / "jars"


def _folder(group: Group) -> Path:
    return _root() / f"{group}-{digest(group)}"


def _sizes(folder: Path) -> dict[str, int]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat().st_size for entry in entries}
    except OSError:  # none, or one that we may not read, which is none to us
        return {}
