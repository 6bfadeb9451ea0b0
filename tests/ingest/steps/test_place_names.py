"""The names of a range are written in order, even if they do not fit into one string array."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.place_names import ID, NAMED, NUMBER, GatherNames
from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import NAME, TABLE
from provhouse.runtime.storage import write_stream
from provhouse.store.names.names import Names, Span

LONG = 256 << 10
"""The length of a name, in bytes."""


def name(number: int) -> str:
    return f"{number:08d}".ljust(LONG, "x")


@pytest.mark.long
def test_more_than_2_gb_of_names_in_few_rows(tmp_path: Path) -> None:
    """This test needs 8 GB of memory."""
    count = (5 << 29) // LONG  # 2.5 GB of names
    staging = Staging(tmp_path)
    for folder in (staging.range_names.folder, staging.segments.folder):
        folder.mkdir(parents=True)
    for bucket in (0, 1):
        numbers = np.arange(1 + bucket, 1 + count, 2)
        texts = pa.array([name(number) for number in numbers.tolist()], pa.string())
        tables = pa.array(["t"] * len(numbers))
        none = pa.nulls(len(numbers), pa.int64())
        rows = pa.table({NUMBER: numbers, NAME: texts, TABLE: tables, ID: none}).cast(NAMED)
        write_stream(staging.range_names(0, bucket), rows)
    GatherNames(0, staging, 1, 1, {}).run()
    every = ItemNumbers(np.arange(1, 1 + count))
    found, of = Names(staging.segments.folder, [Span(1, 1, count)]).described(every)
    assert len(found) == len(of) == count
    for place in (0, 1, count // 2, count - 1):
        assert found[place].as_py() == name(place + 1)
