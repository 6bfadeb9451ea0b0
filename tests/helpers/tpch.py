"""The tables of TPC-H as Parquet files, from a seeded generator that is part of the tests.

Names, keys and relations follow the specification. The values differ from those of the official
generator: they are chosen so that each of the 22 queries returns rows even at the smallest sizes.
"""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

KEYS: dict[str, str | list[str]] = {
    "region": "r_regionkey",
    "nation": "n_nationkey",
    "supplier": "s_suppkey",
    "customer": "c_custkey",
    "part": "p_partkey",
    "partsupp": ["ps_partkey", "ps_suppkey"],
    "orders": "o_orderkey",
    "lineitem": ["l_orderkey", "l_linenumber"],
}
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = {
    "ALGERIA": 0, "ARGENTINA": 1, "BRAZIL": 1, "CANADA": 1, "EGYPT": 4, "ETHIOPIA": 0, "FRANCE": 3,
    "GERMANY": 3, "INDIA": 2, "INDONESIA": 2, "IRAN": 4, "IRAQ": 4, "JAPAN": 2, "JORDAN": 4,
    "KENYA": 0, "MOROCCO": 0, "MOZAMBIQUE": 0, "PERU": 1, "CHINA": 2, "ROMANIA": 3,
    "SAUDI ARABIA": 4, "VIETNAM": 2, "RUSSIA": 3, "UNITED KINGDOM": 3, "UNITED STATES": 1,
}  # fmt: skip
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
COLOURS = ("almond", "blue", "forest", "green", "ivory", "lemon", "red")
TYPES = [f"{size} {finish} {metal}" for size in ("STANDARD", "SMALL", "MEDIUM", "ECONOMY", "PROMO")
         for finish in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED")
         for metal in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")]  # fmt: skip
CONTAINERS = [f"{size} {kind}" for size in ("SM", "LG", "MED", "JUMBO", "WRAP")
              for kind in ("CASE", "BOX", "BAG", "PKG", "PACK")]  # fmt: skip
NOTES = ("carefully final", "special packages requests", "Customer of Complaints", "quick deposits")
START = date(1992, 1, 1).toordinal() - date(1970, 1, 1).toordinal()
DAYS = 2406
"""The number of days on which orders are placed, from 1992-01-01 to 1998-08-02."""


def write_tpch(folder: Path, factor: float = 0.01, seed: int = 19) -> None:
    """Write all tables below a folder. A factor of 0.01 makes 15,000 orders with 60,000 lines."""
    rng = np.random.default_rng(seed)
    suppliers, customers = int(10_000 * factor), int(150_000 * factor)
    parts, orders = int(200_000 * factor), int(1_500_000 * factor)
    lines = _lines(rng, orders, parts, suppliers)
    tables = {
        "region": _region(),
        "nation": _nation(),
        "supplier": _supplier(rng, suppliers),
        "customer": _customer(rng, customers),
        "part": _part(rng, parts),
        "partsupp": _partsupp(rng, parts, suppliers),
        "orders": _orders(rng, lines, orders, customers),
        "lineitem": lines,
    }
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        half = -(-table.num_rows // 2)
        for part in range(2):  # several files, because tasks and row indexes depend on the files
            path = folder / name / f"part-{part}.parquet"
            pq.write_table(table.slice(part * half, half), path, row_group_size=20_000)


def _region() -> pa.Table:
    numbers = list(range(len(REGIONS)))
    return pa.table({"r_regionkey": numbers, "r_name": REGIONS, "r_comment": ["none"] * 5})


def _nation() -> pa.Table:
    count = len(NATIONS)
    return pa.table(
        {
            "n_nationkey": list(range(count)),
            "n_name": list(NATIONS),
            "n_regionkey": list(NATIONS.values()),
            "n_comment": ["none"] * count,
        }
    )


def _supplier(rng: np.random.Generator, count: int) -> pa.Table:
    nations = rng.integers(0, 25, count)
    return pa.table(
        {
            "s_suppkey": _numbers(count),
            "s_name": _named("Supplier", count),
            "s_address": _named("Street", count),
            "s_nationkey": nations,
            "s_phone": _phones(rng, nations),
            "s_acctbal": _money(rng, -1_000, 10_000, count),
            "s_comment": _chosen(rng, NOTES, count),
        }
    )


def _customer(rng: np.random.Generator, count: int) -> pa.Table:
    nations = rng.integers(0, 25, count)
    return pa.table(
        {
            "c_custkey": _numbers(count),
            "c_name": _named("Customer", count),
            "c_address": _named("Road", count),
            "c_nationkey": nations,
            "c_phone": _phones(rng, nations),
            "c_acctbal": _money(rng, -1_000, 10_000, count),
            "c_mktsegment": _chosen(rng, SEGMENTS, count),
            "c_comment": _chosen(rng, NOTES, count),
        }
    )


def _part(rng: np.random.Generator, count: int) -> pa.Table:
    brands = rng.integers(1, 6, (2, count))
    colours = rng.choice(COLOURS, (2, count))
    return pa.table(
        {
            "p_partkey": _numbers(count),
            "p_name": [f"{one} {two}" for one, two in colours.T],
            "p_mfgr": [f"Manufacturer#{one}" for one in brands[0]],
            "p_brand": [f"Brand#{one}{two}" for one, two in brands.T],
            "p_type": _chosen(rng, TYPES, count),
            "p_size": rng.integers(1, 51, count).astype(np.int32),
            "p_container": _chosen(rng, CONTAINERS, count),
            "p_retailprice": _money(rng, 900, 2_000, count),
            "p_comment": _chosen(rng, NOTES, count),
        }
    )


def _partsupp(rng: np.random.Generator, parts: int, suppliers: int) -> pa.Table:
    part = np.repeat(_numbers(parts), 4)
    count = len(part)
    return pa.table(
        {
            "ps_partkey": part,
            "ps_suppkey": _supplier_of(part, np.tile(np.arange(4), parts), suppliers),
            "ps_availqty": rng.integers(1, 10_000, count).astype(np.int32),
            "ps_supplycost": _money(rng, 1, 1_000, count),
            "ps_comment": _chosen(rng, NOTES, count),
        }
    )


def _lines(rng: np.random.Generator, orders: int, parts: int, suppliers: int) -> pa.Table:
    """Return the lines of orders. Every 500th order has seven lines with the largest quantities."""
    sizes = rng.integers(1, 8, orders)
    large = np.arange(orders) % 500 == 0
    sizes[large] = 7
    order = np.repeat(np.arange(orders), sizes)
    count = len(order)
    number = np.arange(count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    part = rng.integers(1, parts + 1, count)
    placed = START + np.repeat(rng.integers(0, DAYS, orders), sizes)
    shipped = placed + rng.integers(1, 122, count)
    due = placed + rng.integers(30, 91, count)
    received = shipped + rng.integers(1, 31, count)
    quantity = np.where(large[order], 50, rng.integers(1, 51, count))
    today = START + 1263  # 1995-06-17
    returned = np.where(received <= today, rng.choice(["R", "A"], count), "N")
    return pa.table(
        {
            "l_orderkey": order + 1,
            "l_partkey": part,
            "l_suppkey": _supplier_of(part, rng.integers(0, 4, count), suppliers),
            "l_linenumber": (number + 1).astype(np.int32),
            "l_quantity": _decimals(quantity * 100),
            "l_extendedprice": _money(rng, 900, 100_000, count),
            "l_discount": _decimals(rng.integers(0, 11, count)),
            "l_tax": _decimals(rng.integers(0, 9, count)),
            "l_returnflag": returned,
            "l_linestatus": np.where(shipped > today, "O", "F"),
            "l_shipdate": _dates(shipped),
            "l_commitdate": _dates(due),
            "l_receiptdate": _dates(received),
            "l_shipinstruct": _chosen(rng, INSTRUCTIONS, count),
            "l_shipmode": _chosen(rng, MODES, count),
            "l_comment": _chosen(rng, NOTES, count),
        }
    )


def _orders(rng: np.random.Generator, lines: pa.Table, count: int, customers: int) -> pa.Table:
    """Return the orders to which the given lines belong. Every third customer has no orders."""
    order = np.asarray(lines["l_orderkey"]) - 1
    first = np.searchsorted(order, np.arange(count))
    shipped = np.asarray(lines["l_shipdate"].cast(pa.int32()))[first]
    customer = rng.integers(0, customers // 3, count) * 3 + rng.integers(1, 3, count)
    return pa.table(
        {
            "o_orderkey": _numbers(count),
            "o_custkey": customer,
            "o_orderstatus": rng.choice(["F", "O", "P"], count),
            "o_totalprice": _money(rng, 1_000, 500_000, count),
            "o_orderdate": _dates(shipped - 1),
            "o_orderpriority": _chosen(rng, PRIORITIES, count),
            "o_clerk": _named("Clerk", count),
            "o_shippriority": np.zeros(count, np.int32),
            "o_comment": _chosen(rng, NOTES, count),
        }
    )


def _numbers(count: int) -> np.ndarray:
    return np.arange(1, count + 1)


def _supplier_of(part: np.ndarray, which: np.ndarray, suppliers: int) -> np.ndarray:
    """Return one of the four suppliers of each part."""
    found: np.ndarray = (part + which * (suppliers // 4)) % suppliers + 1
    return found


def _named(kind: str, count: int) -> list[str]:
    return [f"{kind}#{number:09}" for number in range(1, count + 1)]


def _phones(rng: np.random.Generator, nations: np.ndarray) -> list[str]:
    rest = rng.integers(100, 1_000, len(nations))
    return [f"{nation + 10}-{end}-{end}-{end}0" for nation, end in zip(nations, rest, strict=True)]


def _chosen(rng: np.random.Generator, values: Sequence[str], count: int) -> list[str]:
    return [values[at] for at in rng.integers(0, len(values), count)]


def _money(rng: np.random.Generator, low: int, high: int, count: int) -> pa.Array:
    return _decimals(rng.integers(low * 100, high * 100, count))


def _decimals(cents: np.ndarray) -> pa.Array:
    whole = pa.array(cents).cast(pa.decimal128(19, 0))
    hundredth = pa.scalar("0.01", pa.string()).cast(pa.decimal128(3, 2))
    return pc.multiply(whole, hundredth).cast(pa.decimal128(15, 2))


def _dates(days: np.ndarray) -> pa.Array:
    return pa.array(days.astype(np.int32), pa.int32()).cast(pa.date32())
