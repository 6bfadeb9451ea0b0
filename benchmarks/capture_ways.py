"""Compare capture with three other ways to learn which rows a group was made of, on TPC-H.

python benchmarks/capture_ways.py [--scale 1] [--repeats 5]

All ways write the result of a query in one session of Spark, in turn:

- `capture`: ours; the associations are in files beside the result, before their landing.
- `key hashes`: the hashes of the keys of source rows are collected in a column of the result.
- `second run`: the query runs, then its input runs again and is written as group and source keys.
- `Perm`: the rewriting of Glavic and Alonso (ICDE 2009, section IV): the result is joined with the
  input of its groups, and each row of the result is repeated with all columns of each witness.

Afterwards the pairs of group and source row that each way has written are compared by the number
and the hashes of the rows of each group. Results go to `results/capture_ways.json`.
"""

import argparse
import json
import shutil
import tempfile
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path

from capture_overhead import Bench, middle
from capture_overhead_form import Cost
from capture_ways_form import RESULTS, Query, Results
from machine import mean_load, packages
from machine import run as recorded
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from tpch_data import tables

from provhouse.ingest.captured.finished import captured_writes
from provhouse.ingest.captured.pairs import ROW_BITS
from provhouse.store.warehouse.layout import bytes_below

WAYS = ("plain", "capture", "key hashes", "second run", "Perm")
KEYS = {
    "customer": ("c_custkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
    "nation": ("n_nationkey",),
    "orders": ("o_orderkey",),
    "region": ("r_regionkey",),
    "supplier": ("s_suppkey",),
}
"""The key columns of the tables that the queries read."""
Groups = frozenset[tuple[int, ...]]
"""For each group, the number of its rows, and a sum of hashes for each source table."""


@dataclass(frozen=True)
class Grouped:
    """A query of one block: what it selects from which tables, and how it makes groups."""

    name: str
    select: str
    tables: tuple[str, ...]
    where: str
    by: str

    @property
    def source(self) -> str:
        """The input of the groups, as SQL after SELECT."""
        return f"FROM {', '.join(self.tables)} WHERE {self.where}"

    @property
    def plain(self) -> str:
        """The query itself."""
        return f"SELECT {self.by}, {self.select} {self.source} GROUP BY {self.by}"

    @property
    def groups(self) -> list[str]:
        """The expressions that make the groups, as columns g0, g1…."""
        return [f"{each} AS g{at}" for at, each in enumerate(self.by.split(", "))]

    @property
    def hashes(self) -> list[str]:
        """The hashes of the keys of one row of each table, as columns h0, h1…."""
        return [f"{_hash(table)} AS h{at}" for at, table in enumerate(self.tables)]

    @property
    def collecting(self) -> str:
        """The query with one more column, the hashes of all rows of the group."""
        hashes = f"collect_list(struct({', '.join(self.hashes)}))"
        columns = f"{self.by}, {self.select}, {hashes} AS lineage"
        return f"SELECT {columns} {self.source} GROUP BY {self.by}"

    @property
    def again(self) -> str:
        """The groups and keys of all rows of the input."""
        keys = ", ".join(key for table in self.tables for key in KEYS[table])
        return f"SELECT {', '.join(self.groups)}, {keys} {self.source}"

    @property
    def perm(self) -> str:
        """The result, joined with the input of its groups."""
        by = self.by.split(", ")
        on = " AND ".join(f"q.g{at} <=> p.{each}" for at, each in enumerate(by))
        columns = ", ".join(self.groups)
        result = f"SELECT {columns}, {self.select} {self.source} GROUP BY {self.by}"
        return f"SELECT * FROM ({result}) q JOIN (SELECT * {self.source}) p ON {on}"


QUERIES = (
    Grouped(
        "q01",
        "sum(l_quantity) AS quantity, sum(l_extendedprice) AS price,"
        " sum(l_extendedprice * (1 - l_discount)) AS discounted,"
        " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charged,"
        " avg(l_quantity) AS mean_quantity, avg(l_discount) AS discount, count(*) AS lines",
        ("lineitem",),
        "l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY",
        "l_returnflag, l_linestatus",
    ),
    Grouped(
        "q05",
        "sum(l_extendedprice * (1 - l_discount)) AS revenue",
        ("customer", "orders", "lineitem", "supplier", "nation", "region"),
        "c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey"
        " AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey"
        " AND n_regionkey = r_regionkey AND r_name = 'ASIA'"
        " AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'",
        "n_name",
    ),
    Grouped(
        "q10",
        "sum(l_extendedprice * (1 - l_discount)) AS revenue",
        ("customer", "orders", "lineitem", "nation"),
        "c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'"
        " AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R'"
        " AND c_nationkey = n_nationkey",
        "c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment",
    ),
    Grouped(
        "q12",
        "sum(CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high",
        ("orders", "lineitem"),
        "o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')"
        " AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate"
        " AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'",
        "l_shipmode",
    ),
)
"""Queries of TPC-H without their order and limit, since a second run may cut ties elsewhere."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Compare ways to capture lineage in Spark.")
    parser.add_argument("--scale", default="1", help="the scale factor of TPC-H, such as 0.1")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, help="write the results to another file")
    given = parser.parse_args()
    load = mean_load()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as name:
        made_by = tables(Path(name) / "tpch", given.scale)
        bench = Bench.prepared(Path(name), Path(name) / "tpch")
        measured(bench, QUERIES[-1], 1)  # compiles
        results: Results = {
            **recorded(load, packages("pyspark", "provhouse")),
            "data": made_by,
            "scale": given.scale,
            "repeats": given.repeats,
            "queries": [measured(bench, query, given.repeats) for query in QUERIES],
        }
    RESULTS.write(results, given.out)
    print(json.dumps(results, indent=1))


def measured(bench: Bench, query: Grouped, repeats: int) -> Query:
    """Return the medians of a query by all ways. Exit if their lineage differs."""
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    written: dict[str, list[Path]] = {way: [] for way in WAYS}
    for turn in range(repeats):
        for way in WAYS if turn % 2 == 0 else reversed(WAYS):
            for folder in written[way]:
                shutil.rmtree(folder)
            cost, written[way] = run(bench, query, way)
            costs[way].append(cost)
    found = {way: groups(bench, query, way, written[way][-1]) for way in WAYS[1:]}
    if len(set(found.values())) != 1:
        raise SystemExit(f"{query.name}: the ways differ: {found}")
    size = {way: sum(map(bytes_below, folders)) for way, folders in written.items()}
    return {
        "query": query.name,
        "pairs": len(query.tables) * sum(group[0] for group in found["capture"]),
        "ways": {
            way: {"cost": middle(costs[way]), "bytes": size[way] - size["plain"]} for way in WAYS
        },
    }


def run(bench: Bench, query: Grouped, way: str) -> tuple[Cost, list[Path]]:
    """Write a query in one way; return what it cost, and the folders that it has written."""
    if way == "capture":
        cost, block = bench.write_captured(query.name, partial(bench.spark.sql, query.plain))
        return cost, [bench.out(query.name), block]
    texts = {
        "plain": [query.plain],
        "key hashes": [query.collecting],
        "second run": [query.plain, query.again],
        "Perm": [query.perm],
    }
    costs, folders = list[Cost](), list[Path]()
    for sql in texts[way]:
        costs.append(bench.write_plain(query.name, partial(bench.spark.sql, sql)))
        folders.append(bench.out(query.name))
    return _sum(costs), folders


def groups(bench: Bench, query: Grouped, way: str, folder: Path) -> Groups:
    """Return what the lineage says about each group, in the same form for all ways."""
    found = _hashed(bench, query, way, folder)
    sums = [f.expr(f"sum(h{at} % 1000003)").alias(f"s{at}") for at in range(len(query.tables))]
    each = found.groupBy(*[name for name in found.columns if name.startswith("g")])
    return frozenset(
        tuple(row[name] for name in ("rows", *(f"s{at}" for at in range(len(query.tables)))))
        for row in each.agg(f.count("*").alias("rows"), *sums).collect()
    )


def _hashed(bench: Bench, query: Grouped, way: str, folder: Path) -> DataFrame:
    """Return columns g0, g1… that name the group, and h0, h1… with the hashes of its rows."""
    if way == "capture":
        return _captured(bench, query, folder)
    stored = bench.spark.read.parquet(str(folder))
    if way == "key hashes":
        return stored.selectExpr(*query.groups, "inline(lineage)")
    return stored.selectExpr(*(f"g{at}" for at in range(len(query.groups))), *query.hashes)


def _captured(bench: Bench, query: Grouped, block: Path) -> DataFrame:
    """Return the rows of the only tap, with hashes of keys in place of row ids."""
    (write,) = captured_writes(block)
    (tap,) = write.taps
    found = bench.spark.read.parquet(str(write.folder / "0")).withColumnRenamed("c0", "g0")
    tables = {source.number: source.table for source in write.sources}
    for at in range(len(tap.slots)):
        ids = f"c{at + 1 + tap.checked}"
        table = tables[found.select(ids).toArrow()[ids][0].as_py() >> ROW_BITS]
        rows = [
            bench.spark.read.parquet(str(source.path)).selectExpr(
                f"_metadata.row_index + {source.number << ROW_BITS} AS {ids}",
                f"{_hash(table)} AS h{query.tables.index(table)}",
            )
            for source in write.sources
            if source.table == table
        ]
        found = found.join(reduce(DataFrame.union, rows), ids)
    return found


def _hash(table: str) -> str:
    return f"xxhash64({', '.join(KEYS[table])})"


def _sum(costs: list[Cost]) -> Cost:
    return {
        "seconds": sum(cost["seconds"] for cost in costs),
        "cpu_seconds": sum(cost["cpu_seconds"] for cost in costs),
        "shuffle_bytes": sum(cost["shuffle_bytes"] for cost in costs),
    }


if __name__ == "__main__":
    main()
