"""Check the SHA-256 of jars before they run: once for each file, and again after a change.

A file counts as unchanged if its inode, its size and both its times (of modification and of status
change) are the same as at the last check. No program can set the time of the last status change. An
unchanged file is not checked again, because every command would then have to wait a third of a
second for the digests of all jars.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .files import write_over
from .jar_lock import Jar


def altered(folder: Path, jars: Sequence[Jar], *, again: bool = False) -> list[str]:
    """Return the names of the jars in a folder whose SHA-256 is wrong.

    ``again`` also checks unchanged files. The result is stored next to the folder, if that location
    is writable.
    """
    record = folder.with_name(f"{folder.name}.checked")
    found = {jar.name: _identity(folder, jar) for jar in jars}
    checked = set() if again else _read(record)
    wrong = [
        jar.name
        for jar in jars
        if found[jar.name] not in checked and not jar.is_at(folder / jar.name)
    ]
    right = {line for name, line in found.items() if name not in wrong}
    if right != checked:
        with suppress(OSError):  # a cache that this user cannot write is checked each time
            write_over(record, "\n".join(sorted(right)).encode())
    return wrong


def _identity(folder: Path, jar: Jar) -> str:
    """Return a line that changes if the jar's file or its expected SHA-256 changes."""
    at = (folder / jar.name).stat()
    return f"{jar.sha256} {at.st_ino} {at.st_size} {at.st_mtime_ns} {at.st_ctime_ns} {jar.name}"


def _read(record: Path) -> set[str]:
    try:
        return set(record.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return set()
