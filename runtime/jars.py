"""The jars of Neo4j and Delta, downloaded once into a cache for all installations of a user.

Versions are locked, so none is resolved at run time. provhouse ships no jars because Neo4j has the
license GPLv3; each user downloads the jars instead. A jar is moved into its folder only after its
SHA-256 was checked. Before a program starts, ``checked_jars.py`` checks the SHA-256 of each file
that is new or has changed.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress

from .checked_jars import altered
from .download import download
from .files import exclusive
from .jar_lock import GROUPS, Group, Jar, digest, locked

__all__ = ["GROUPS", "Group", "Jar", "cache_folder", "fetch", "jar_folder", "missing"]


def jar_folder(group: Group, *, again: bool = False) -> Path:
    """Return the folder of a group's locked jars; their class path is ``folder/*``.

    ``again`` checks the SHA-256 of every jar, including unchanged jars. Raises Unavailable if the
    folder does not contain exactly these jars.
    """
    folder = _folder(group)
    wrong = _sizes(folder).items() ^ {(jar.name, jar.size) for jar in locked(group)}
    names = sorted({name for name, _ in wrong} or altered(folder, locked(group), again=again))
    if names:
        raise Unavailable(
            f"{folder} does not contain exactly the {len(locked(group))} jars of {group}",
            f"{len(names)} are missing, altered or unexpected, such as {names[0]}",
            "Fetch them with: provhouse doctor --fetch",
        )
    return folder


def missing() -> list[Jar]:
    """Return the locked jars that are missing or have the wrong size, without reading the files."""
    there = {group: _sizes(_folder(group)) for group in GROUPS}
    return [
        jar for group in GROUPS for jar in locked(group) if there[group].get(jar.name) != jar.size
    ]


def fetch(progress: Progress, groups: Sequence[Group] = GROUPS) -> None:
    """Download every jar of these groups that is missing or altered; remove unexpected files.

    Several processes may call this at the same time: one of them downloads, and the others wait.
    Raises Unavailable if there is no network, not enough disk space or no permission to write.
    """
    if not _wrong(groups) and not _unexpected(groups):
        return
    root = _root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with exclusive(
            root / "lock",
            mode=0o644,
            waiting=lambda: progress.say("Waiting for another process that fetches the jars"),
        ):
            _mend(root, groups, progress)
    except OSError as error:
        raise Unavailable(
            f"Cannot store the jars in {root}",
            str(error),
            "Make the folder writable, with 200 MB of space, or choose another with XDG_CACHE_HOME",
        ) from error


def _mend(root: Path, groups: Sequence[Group], progress: Progress) -> None:
    for left in root.glob("part-*"):  # we have the lock, so a killed fetch left these folders
        shutil.rmtree(left)
    for unexpected in _unexpected(groups):
        unexpected.unlink()
    if jars := _wrong(groups):  # checked again: another process may have fetched them meanwhile
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


def _wrong(groups: Sequence[Group]) -> list[Jar]:
    return [
        jar for group in groups for jar in locked(group) if not jar.is_at(_folder(group) / jar.name)
    ]


def _unexpected(groups: Sequence[Group]) -> list[Path]:
    return [
        _folder(group) / name
        for group in groups
        for name in _sizes(_folder(group)).keys() - {jar.name for jar in locked(group)}
    ]


def cache_folder() -> Path:
    """Return the folder for files that all installations of a user share."""
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
    except OSError:  # a folder that cannot be read counts as missing
        return {}
