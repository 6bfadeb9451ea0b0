"""The files of the wheel provhouse-capture, copied from the sources."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from split_wheel import is_captures

LAYOUT = Path(__file__).parents[2] / "typings"
"""A folder in which links lay the sources out as a wheel does."""


def copy_package(target: Path) -> Path:
    """Copy the files of provhouse-capture to a folder for ``PYTHONPATH``; return the folder."""
    for file in _files(LAYOUT / "provhouse"):
        name = file.relative_to(LAYOUT).as_posix()
        if is_captures(name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target / name)
    return target


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
