"""A small shop as Parquet files, with difficult values: NULL, duplicates, odd numbers."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq


class Order(NamedTuple):
    """A row of the table ``orders``."""

    id: int
    cust: str | None
    price: float
    day: date | None
    fee: Decimal | None
    small: int | None
    large: int | None


class Customer(NamedTuple):
    """A row of the table ``customers``. Several rows may have the same name."""

    number: int
    name: str | None
    nation: int | None


NAN, ZERO = float("nan"), -0.0
ORDERS = [
    Order(number, cust, price, day, fee, small, large)
    for number, (cust, price, day, fee, small, large) in enumerate(
        [
            ("ann", 1.5, date(2026, 1, 1), Decimal("1.10"), 1, 5),
            ("bob", 0.0, date(2026, 1, 1), Decimal("1.10"), 1, None),
            ("ann", ZERO, date(1960, 1, 1), None, None, 5),
            (None, NAN, None, Decimal("2.00"), 5, None),
            ("bob", NAN, None, Decimal("2.00"), None, 1),
            ("bob", 7.0, date(2026, 1, 2), None, 1, 1),
            (None, 8.0, date(2026, 1, 2), Decimal("1.10"), None, None),
            ("eve", 9.0, date(2026, 1, 1), Decimal("1.10"), 2, -(1 << 63) + 2),
            ("ann", 1.5, date(2026, 1, 1), Decimal("2.00"), 2, None),
        ],
        start=1,
    )
]
CUSTOMERS = [
    Customer(1, "ann", 1),
    Customer(2, "bob", 2),
    Customer(3, "bob", 1),
    Customer(4, None, 2),
    Customer(5, "dan", None),
    Customer(6, "eve", None),
]
_ORDERS = pa.schema(
    [
        ("id", pa.int64()),
        ("cust", pa.string()),
        ("price", pa.float64()),
        ("day", pa.date32()),
        ("fee", pa.decimal128(10, 2)),
        ("small", pa.int32()),
        ("large", pa.int64()),
    ]
)
_CUSTOMERS = pa.schema([("number", pa.int32()), ("name", pa.string()), ("nation", pa.int32())])


def write_shop(folder: Path) -> None:
    """Write both tables below a folder. ``orders`` has several files and several row groups."""
    orders = folder / "orders"
    orders.mkdir(parents=True)
    for start in range(0, len(ORDERS), 4):
        _write(orders / f"a file, {start}.parquet", ORDERS[start : start + 4], _ORDERS)
    (folder / "customers").mkdir()
    _write(folder / "customers" / "all.parquet", CUSTOMERS, _CUSTOMERS)


def _write(path: Path, rows: list[Any], schema: pa.Schema) -> None:
    table = pa.Table.from_pylist([row._asdict() for row in rows], schema=schema)
    pq.write_table(table, path, row_group_size=3)
