"""The SQL of brushes selects the same records as the views; DuckDB is the oracle."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.interactive.charts import binning
from provhouse.interactive.charts.bars import Bars
from provhouse.interactive.charts.brush_sql import quoted, where

ROWS = 300
RANDOM = Random(7)
START = datetime(2020, 2, 1, 2, tzinfo=UTC)


def values(make: Any, kind: pa.DataType | None = None) -> pa.Array:
    """Return values; every ninth is NULL."""
    return pa.array([None if n % 9 == 4 else make(n) for n in range(ROWS)], kind)


def floats(n: int) -> float:
    return float("nan") if n % 11 == 3 else RANDOM.gauss(0, 1) ** 3


COLUMNS: dict[str, pa.Array] = {
    "few": values(lambda n: n % 7 - 3),
    "many": values(lambda n: n * n - 500),
    "huge": values(lambda n: (1 << 53) + n * n, pa.int64()),
    "real": values(floats),
    "short": values(lambda n: n / 10, pa.float32()),
    "money": values(lambda n: Decimal(n) / 8, pa.decimal128(12, 3)),
    "day": values(lambda n: date(1969, 11, 1) + timedelta(n)),
    "at": values(lambda n: datetime(2020, 1, 31, 12) + timedelta(hours=7 * n)),
    "zoned": values(lambda n: START + timedelta(hours=n), pa.timestamp("us", "UTC")),
    "kind": values(lambda n: ["a", "it's", 'x "y"', "", "ü"][n * n % 5]),
    "yes": values(lambda n: n % 3 == 0),
    "hour": values(lambda n: time(n % 24, 30)),
    'odd "name"': values(lambda n: n % 4),
}  # fmt: skip
TABLE = pa.table(COLUMNS)
WAYS: list[tuple[str, binning.Binning]] = [
    *((name, None) for name in COLUMNS),
    ("few", "-2..2"), ("many", 12), ("many", "log"), ("many", "clip"), ("many", "0..5000"),
    ("many", [0, 100, 5000]), ("huge", 9), ("real", 5), ("real", "log"), ("real", "clip"),
    ("real", "-0.25..0.5"), ("real", [0.0]), ("short", 7), ("money", "1..2.5"), ("money", [1, 2]),
    ("day", "month"), ("day", "year"), ("at", "month"), ("zoned", "day"), ("kind", 2), ("hour", 3),
]  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as a file."""
    file = tmp_path_factory.mktemp("sql") / "rows.parquet"
    pq.write_table(TABLE.append_column("n", pa.array(range(ROWS))), file)
    return file


def selected(file: Path, condition: str) -> list[int]:
    query = f"select n from '{file}' where {condition} order by n"
    return [n for (n,) in duckdb.execute(query).fetchall()]


def expected(bars: Bars, chosen: list[int]) -> list[int]:
    positions: list[int] = np.flatnonzero(np.isin(bars.codes, chosen)).tolist()
    return positions


@pytest.mark.parametrize(("name", "how"), WAYS, ids=str)
def test_duckdb_selects_the_records_of_each_bar_and_of_several(
    stored: Path, name: str, how: binning.Binning
) -> None:
    bars = binning.bars(TABLE, name, how)
    every = list(range(bars.number))
    some = [[bar] for bar in every[:: max(1, len(every) // 12)]] + [[every[-1]]]
    for chosen in [*some, every, every[::2], every[1:4], []]:
        condition = where(TABLE.schema, {name: (bars, chosen)})
        assert selected(stored, condition) == expected(bars, chosen), condition


def test_a_grid_and_several_views(stored: Path) -> None:
    grid = binning.grid(TABLE, "many", "real", 4)
    kinds = binning.bars(TABLE, "kind")
    assert where(TABLE.schema, {}) == "true"
    assert quoted('a"b') == '"a""b"'
    for cells in ([0, 1, 5, 6], [2, 9, 11], list(range(grid.number))):
        brushes = {"many,real": (grid, cells), "kind": (kinds, [0, 2])}
        both = set(expected(grid, cells)) & set(expected(kinds, [0, 2]))
        assert selected(stored, where(TABLE.schema, brushes)) == sorted(both)
