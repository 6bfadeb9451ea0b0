"""List the files below the given paths that an ingest does not read.

Hidden files are not listed, nor are files by which other programs mark their output as complete.
"""

import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from provhouse.model.errors import BadInput

from .column_mapping import listed
from .delta import LOG
from .known_formats import format_of

_BOOKKEEPING = re.compile(r"\.|_(SUCCESS|metadata|common_metadata|committed_.*|started_.*)$")


def passed_over(
    paths: Sequence[Path], input_format: str | None, read: Iterable[str]
) -> tuple[str, ...]:
    """Return the files and linked folders below ``paths`` that are not in ``read``, sorted."""
    found = {str(each) for path in paths for each in _found(path, input_format)}
    return tuple(sorted(found.difference(read)))


def _found(path: Path, input_format: str | None) -> Iterator[Path]:
    if path.is_dir():
        yield from _inside(path, input_format, below=False)
    elif not path.exists() and glob.has_magic(str(path)):
        for match in map(Path, glob.iglob(str(path), recursive=True)):
            if match.is_dir():
                yield from _inside(match, input_format, below=False)
            elif _is_left_out(match, input_format):
                yield match


def _inside(folder: Path, input_format: str | None, below: bool) -> Iterator[Path]:
    """Yield what an ingest skips in a folder: files and linked folders.

    If ``below`` is true, the folder is skipped or lies inside a skipped folder, so all its files
    are skipped.
    """
    if (folder / LOG).is_dir():
        return
    for inside in folder.iterdir():
        if _BOOKKEEPING.match(inside.name):
            continue
        if inside.is_dir() and not inside.is_symlink():
            yield from _inside(inside, input_format, below or inside.name.startswith("_"))
        elif below or inside.is_dir() or _is_left_out(inside, input_format):
            yield inside


def _is_left_out(file: Path, input_format: str | None) -> bool:
    if _BOOKKEEPING.match(file.name):
        return False
    return file.name.startswith("_") or not (input_format or format_of(file))


def check_complete(missed: Sequence[str]) -> None:
    """Raise BadInput if ``missed`` lists any file that an ingest would pass over."""
    if missed:
        raise BadInput(
            f"{len(missed):,} files in the folders would be passed over",
            f"Their names have no known ending: {listed(missed, 5)}",
            "Name the files to read, or leave out --strict",
        )
