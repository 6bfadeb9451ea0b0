"""Arrays that lie in a file and are written through memory."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def mapped(
    path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]
) -> "np.memmap[Any, np.dtype[Any]]":
    """A new array in a file of its own, zero throughout; raises OSError where the disk is full.

    Its room is taken at once: a file with holes ends the process, without a word, when a hole is
    written to and no room is left.
    """
    array = np.lib.format.open_memmap(path, "w+", dtype, shape)
    with path.open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, max(path.stat().st_size, 1))
    return array
