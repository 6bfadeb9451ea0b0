"""Divide a job's files among tasks, so that the numbers of tasks and staged files are limited."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from provhouse.runtime.files import allow_open_files

TASKS = 128
"""The largest number of tasks that stage or distribute files.

Each task writes a file for each bucket or range. With 512 buckets, this limits the staged files of
names to 65,536, whatever the number of input files.
"""
OTHER_FILES = 128
"""The number of files that a worker has open, not counting the files that it writes."""


def consecutive(sizes: Sequence[int], most: int = TASKS) -> list[range]:
    """Divide numbered files into at most ``most`` ranges of about the same total size.

    The files stay in order, because a triple's origin is the first file that contains it.
    """
    if len(sizes) <= most:
        return [range(number, number + 1) for number in range(len(sizes))]
    weights = np.maximum(sizes, 1)
    ends = np.cumsum(weights)
    group = ((ends - weights / 2) * most / ends[-1]).astype(np.int64)  # a file's middle decides
    bounds = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(sizes)]
    return [range(*pair) for pair in pairwise(bounds)]


def writable_at_once(wanted: int) -> int:
    """Raise the soft limit of open files; return the number of files that a task may write at once.

    The returned number is at most ``wanted``, and at least 1.
    """
    return max(min(wanted, allow_open_files(wanted + OTHER_FILES) - OTHER_FILES), 1)
