"""The position in a user's program from which provhouse was called."""

import sys
from functools import cache
from os.path import basename, dirname

_OWN = dirname(__file__)


def program_place() -> str:
    """Return the file and line of the innermost call from outside this package."""
    frame = sys._getframe(1)
    while is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"


@cache
def is_own(file: str) -> bool:
    """Return whether a file is a module of this package."""
    return file.startswith(_OWN)


@cache
def _shown(file: str) -> str:
    """Return the name of a file without its folder, or ``cell`` for any cell of a notebook."""
    return "cell" if file.startswith("<") or "ipykernel" in file else basename(file)
