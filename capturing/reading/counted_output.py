"""Rows that are named by position, for example in CSV files that are written without a key."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from provhouse.model.errors import BadInput

from .description import CapturedWrite
from .line_files import content_of, is_blank_in
from .output import Output, OutputPart, check_one_job, in_order
from .tap_files import count_places

_LINES = ("csv", "json", "text")


@dataclass(frozen=True)
class CountedOutput(Output):
    """The files of a write whose rows are named by position, such as CSV files without a key."""

    rows: tuple[int, ...] = field(kw_only=True)
    """The number of rows of each file."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each file."""
        return self.rows


def counted_output_of(write: CapturedWrite) -> CountedOutput:
    """Return the files of a write after checking that their records are the captured rows.

    Raises BadInput if another program also wrote there, if Spark wrote a different number of rows,
    or if the number of lines in a text file does not match its rows.
    """
    parts = in_order(check_one_job(write))
    rows = _rows(write, parts)
    if write.format in _LINES:
        for part, count in zip(parts, rows, strict=True):
            _check_lines(write, part.path, count)
    tasks = tuple((part.task, part.place) for part in parts)
    return CountedOutput(write, tuple(part.path for part in parts), tasks=tasks, rows=rows)


def _rows(write: CapturedWrite, parts: Sequence[OutputPart]) -> tuple[int, ...]:
    """Return each file's number of rows. In each place, all files except the last are full."""
    left, rows = count_places(write.folder / "rows", write.parts), list[int]()
    for part in parts:
        count = left[part.task, part.place]
        rows.append(min(count, write.most) if write.most > 0 else count)
        left[part.task, part.place] -= rows[-1]
    if any(left.values()) or write.rows not in (-1, sum(rows)):
        raise BadInput(
            f"The lineage of {write.path} does not match its rows",
            f"Spark wrote {write.rows:,} rows, and its files have {sum(rows):,} captured rows",
            "Run the job again; if this repeats, report it",
        )
    return tuple(rows)


def _check_lines(write: CapturedWrite, path: Path, count: int) -> None:
    data = content_of(path)
    if data is None:
        raise _unknown(write, f"{path} is compressed, and its lines cannot be counted")
    lines = data.count(b"\n") - (write.header and bool(data))
    if lines != count or (write.format == "csv" and is_blank_in(data)):
        raise _unknown(write, f"{path} has {count:,} rows, but they are not one line each")


def _unknown(write: CapturedWrite, found: str) -> BadInput:
    return BadInput(
        f"The positions of the rows of {write.path} are unknown",
        found,
        f"Declare a key of {write.table}, or write it as Parquet",
    )
