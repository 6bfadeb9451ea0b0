"""Compare cursors with the lineage that an ingest finds in the same association files."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from helpers.witnesses import Found, captured
from provhouse.capturing.walks import cursor_ids as ids
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.cursor_ids import CursorIds
from provhouse.capturing.walks.cursor_places import CursorPlace
from provhouse.capturing.walks.flow import CapturedFlow
from provhouse.model.associations import ROW_BITS

Row = tuple[str, int]
"""The path of a file, and the index of a row in it."""


@dataclass(frozen=True)
class Traced:
    """A captured program: its lineage as an ingest reads it, and as cursors read it."""

    found: Found
    flow: CapturedFlow

    @classmethod
    def of(cls, spark: SparkSession, frame: DataFrame, folder: Path) -> "Traced":
        """Capture a write of a frame."""
        found = captured(spark, frame, folder)
        output = found.traced.output
        return cls(found, CapturedFlow(spark, [output]))

    def cursor(self, rows: Sequence[Row]) -> Cursor:
        """Return a cursor at the given rows of the output or of the sources."""
        numbers = {str(file.path): file for file in self.flow.numbers.files}
        position: defaultdict[CursorPlace, set[int]] = defaultdict(set)
        for path, row in rows:
            file = numbers[path]
            place = self.flow.place_of_file(file)
            position[place].add((file.number << ROW_BITS) + row)
        few = {place: CursorIds(np.array(sorted(found))) for place, found in position.items()}
        return Cursor(self.flow, lambda: few)

    def outputs(self) -> list[Row]:
        """Return the rows of the output, in order."""
        output = self.found.traced.output
        files = zip(output.files, output.counts, strict=True)
        return [(str(path), row) for path, count in files for row in range(count)]

    def sources(self, row: int) -> set[Row]:
        """Return the source rows of the output row at this position."""
        tables = self.found.witnesses(row).values()
        return {
            (str(path), each) for files in tables for path, rows in files.items() for each in rows
        }

    def check(self, most: int = 3) -> None:
        """Fail if cursors and an ingest disagree about some rows, both one by one and together."""
        outputs = self.outputs()
        every = {row: self.sources(at) for at, row in enumerate(outputs)}
        for row in outputs[:most]:
            assert rows_of(self.cursor([row]).go_back_all()) == every[row], row
        reached = set[Row]().union(*every.values())
        assert rows_of(self.cursor(outputs).go_back_all()) == reached
        for source in sorted(reached)[:most]:
            expected = {row for row, found in every.items() if source in found}
            assert rows_of(self.cursor([source]).go_next_all()) == expected, source
        used = {row for row, found in every.items() if found}
        assert rows_of(self.cursor(sorted(reached)).go_next_all()) == used

    def check_frames(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Fail if cursors and an ingest disagree when all IDs are in frames, as for many rows."""
        with monkeypatch.context() as patch:
            patch.setattr(ids, "FEW", 0)
            patch.setattr(ids, "HELD", 0)
            self.check(1)


def rows_of(cursor: Cursor) -> set[Row]:
    """Return the rows at a cursor's position. Fail if a row is listed twice."""
    if all(place.has_rows and ids.held is not None for place, ids in cursor.position.items()):
        found = list(_held(cursor))  # this needs no Spark job
    else:
        found = [(row["file"], row["row"]) for row in cursor.ids().collect()]
    assert len(set(found)) == len(found)
    assert cursor.count() == len(found)
    return set(found)


def _held(cursor: Cursor) -> Iterator[Row]:
    for held in cursor.position.values():
        assert held.held is not None
        for number in held.held.tolist():
            file = cursor.flow.numbers.files[number >> ROW_BITS]
            yield str(file.place), number - file.first_id
