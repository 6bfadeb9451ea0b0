"""Find files of captured writes at new paths, for example in a renamed or copied folder."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from provhouse.model.errors import BadInput
from provhouse.store.tables.file_table import NUMBER, PATH, read_files
from provhouse.store.tables.written import Written
from provhouse.store.warehouse.layout import Layout

_UNIQUE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A write's id, which Spark puts into the names of the write's files, except for RDDs."""


class FileState(NamedTuple):
    """A file, in its state when a job read it."""

    path: Path
    bytes: int
    changed: int
    """The time of the last change, in milliseconds."""


def state_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the time of its last change; zeros if the file is missing."""
    if not path.is_file():
        return 0, 0  # a path that stands for a table of another database
    found = path.stat()
    return found.st_size, found.st_mtime_ns // 1_000_000


class Renamed:
    """The files of captured writes, which are recognized by their names, sizes and times."""

    def __init__(self, layout: Layout, writes: Mapping[int, Written]) -> None:
        """Index the files of captured writes; ``writes`` has the write of each file number."""
        self._layout, self._writes = layout, writes

    def number(self, file: FileState, other: int) -> int:
        """Return the number of the captured file that equals ``file``.

        If there is no such file, or more than one, return ``other``.
        """
        same = self._same(file)
        return same[0] if len(same) == 1 else other

    def check(self, file: FileState) -> None:
        """Raise BadInput if it cannot be determined whether a captured write made a file."""
        same = len(self._same(file))
        if same > 1 or (not same and self._is_unique(file) and self._alike(file)):
            why = "two such files are alike" if same else "it has another size"
            raise BadInput(
                f"It is unknown whether the rows of {file.path} were written by a captured job",
                f"The job wrote a file of this name to another folder, but {why}",
                "Read the folder that the job wrote, or capture the program that makes this one",
            )

    def _same(self, file: FileState) -> list[int]:
        """Return the numbers of captured files that equal a file. A copy may have another time."""
        unique = self._is_unique(file)
        return [
            number
            for number, state in self._alike(file).items()
            if (unique and (not state or state[0] == file.bytes)) or state == file[1:]
        ]

    def _is_unique(self, file: FileState) -> bool:
        return bool(_UNIQUE.search(file.path.name))

    def _alike(self, file: FileState) -> Mapping[int, tuple[int, int] | None]:
        return self._by_name.get(file.path.name, {})

    @cached_property
    def _by_name(self) -> dict[str, dict[int, tuple[int, int] | None]]:
        """For each file name, the states of captured files, by number; None if not recorded."""
        states = {
            number: state
            for write in self._writes.values()
            for number, state in zip(write.files, write.states, strict=False)
        }
        known = read_files(self._layout)
        found = defaultdict[str, dict[int, tuple[int, int] | None]](dict)
        for number, path in zip(known[NUMBER].to_pylist(), known[PATH].to_pylist(), strict=True):
            if number in self._writes:
                found[Path(path).name][number] = states.get(number)
        return dict(found)
