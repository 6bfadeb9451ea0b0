"""GROUP BY in compiled loops gives DuckDB's values and types, and the lineage of other modes."""

import random
from itertools import product

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from helpers.interactive_oracle import rows_of, same
from provhouse.interactive import Connection, Want, column_cache, connect, modes
from provhouse.interactive.index.parallel import divided
from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace

COLUMNS = {
    "t": "tinyint", "i": "integer", "u": "uinteger", "b": "bigint", "d": "decimal(15,2)",
    "e": "decimal(4,1)", "n": "decimal(18,6)", "day": "date", "s": "varchar", "flag": "boolean",
    "w": "integer",
}  # fmt: skip
KEYS = ["i", "s", "day", "flag", "i % 3", "upper(s)", "year(day)", "coalesce(i, -1)", "e", "t"]
ARGUMENTS = [
    "t", "i", "u", "d", "e", "n", "w", "d * (1 - e)", "d * (1 - e) * (2 + d)", "d - 1.5",
    "0.25 * d",
    "w * b", "n + d", "b",
]  # fmt: skip
FILTERS = [
    "i > 2", "s like 'a%'", "day < date '2020-01-20' + interval 3 day", "s is null", "i in (1, 3)",
    "not flag", "w between 3 and 40", "i is distinct from 4", "false",
]  # fmt: skip
LOCATED = (("s", " where i > 1", ""), ("i % 3, day", "", "w % 2 = 0"))
"""The keys, conditions and kept records of the usual test."""


@pytest.fixture(scope="module")
def con() -> Connection:
    """A table of random values, with NULLs in all columns except ``w``, and an empty table."""
    draw = random.Random(21)
    con = connect(duckdb.connect())
    con.execute(f"create table r ({', '.join(f'{n} {k}' for n, k in COLUMNS.items())})")
    rows = []
    for _ in range(600):
        row = [
            draw.randint(-128, 127), draw.randint(0, 5), draw.randint(0, 4 * 10**9),
            draw.randint(-(10**6), 10**6), draw.randint(-(10**6), 10**6) / 100,
            draw.randint(-9999, 9999) / 10, draw.randint(-(10**15), 10**15) / 10**6,
            f"2020-0{draw.randint(1, 3)}-1{draw.randint(0, 9)}", draw.choice(["a", "A", "b", "ab"]),
            draw.random() < 0.5,
        ]  # fmt: skip
        rows.append([None if draw.random() < 0.1 else each for each in row] + [draw.randint(0, 50)])
    con.duckdb.executemany(f"insert into r values ({', '.join('?' * len(COLUMNS))})", rows)
    con.execute("create table empty as select * from r where false")
    return con


def aggregates(draw: random.Random) -> list[str]:
    found = ["count(*)"]
    for _ in range(draw.randint(1, 4)):
        argument = draw.choice(ARGUMENTS)
        function = draw.choice(["sum", "avg", "min", "max", "count"])
        found.append(
            f"{function}({argument if function in ('sum', 'avg') else draw.choice('tiudenw')})"
        )
    return [*found, "min(day)", f"sum({draw.choice(ARGUMENTS)}) / count(w)"]


def query(draw: random.Random, table: str = "r") -> str:
    keys = draw.sample(KEYS, draw.randint(0, 3))
    text = f"select {', '.join([*keys, *aggregates(draw)])} from {table}"
    if filters := draw.sample(FILTERS, draw.choice([0, 0, 1, 2])):
        text += f" where {' and '.join(filters)}"
    text += f" group by {', '.join(keys)}" if keys else ""
    return text + draw.choice(["", " having count(*) > 3", " order by count(*) desc, sum(w)"])


def compare(con: Connection, text: str) -> None:
    """Compare a query's values and types exactly, and its lineage with that of a witness query."""
    result = con.sql(text, lineage=True, mode="compiled")
    plain = con.duckdb.sql(text).to_arrow_table()
    assert result.to_arrow().schema.types == plain.schema.types, text
    assert result.columns == plain.column_names
    found, expected = (table.to_pylist() for table in (result.to_arrow(), plain))
    assert sorted(map(repr, found)) == sorted(map(repr, expected)), text
    by_row = {tuple(map(repr, row)): at for at, row in enumerate(rows_of(result.to_arrow()))}
    other = con.sql(text, lineage=True, mode="witness")
    for at, row in enumerate(rows_of(other.to_arrow())):
        if len(by_row) == len(other):
            rids = result.backward(result.references[0], [by_row[tuple(map(repr, row))]]).rids
            assert rids.tolist() == other.backward(other.references[0], [at]).rids.tolist(), text


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 300))]
)
def test_random_queries_have_the_values_and_the_lineage_of_duckdb(
    con: Connection, seed: int
) -> None:
    draw = random.Random(seed)
    compare(con, query(draw))
    if seed % 4 == 0:
        compare(con, query(draw, "empty"))


def test_forward_is_the_inverse_of_backward(con: Connection) -> None:
    text = "select s, count(*), sum(d) from r where i > 1 group by s"
    same(con, text, ("compiled", "witness"))


@pytest.mark.long
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.long), 3])
def test_many_cells_and_rows(con: Connection, threads: int) -> None:
    con.execute(f"set threads = {threads}")
    con.execute(
        "create or replace table many as select (range * 7919) % 70001 as k, range % 1000 as v, "
        "range % 2 as f, nullif(range % 7, 3) as w from range(500001)"
    )
    assert len(divided(500001, threads)) == threads
    for text in (
        "select k, count(*), sum(v), count(w), avg(w), min(w) from many group by k",
        "select k, max(v), sum(v * v) from many where f = 1 group by k having count(*) > 1",
    ):
        result = con.sql(text, lineage=True, mode="compiled")
        found, plain = (
            table.sort_by("k")
            for table in (result.to_arrow(), con.duckdb.sql(text).to_arrow_table())
        )
        assert found.schema.types == plain.schema.types
        for one, other in zip(found.columns, plain.columns, strict=True):
            if pa.types.is_floating(one.type):  # a sum in another order may be rounded differently
                assert np.allclose(one, other, rtol=1e-8, equal_nan=True)
                assert one.null_count == other.null_count
            else:
                assert one.equals(other)
        keys = result.to_arrow().column(0).to_pylist()
        for row in (0, 777, len(result) - 1):
            records = result.backward("many", [row]).to_arrow()
            assert set(records.column("k").to_pylist()) == {keys[row]}
            assert len(records) == result.to_arrow().column(1)[row].as_py() or "max" in text
    assert result.forward("many", [0]).size == 0  # the filter drops this record


@pytest.mark.parametrize(
    "text",
    [
        "select s, sum(w::double) from r group by s",
        "select s, count(distinct w) from r group by s",
        "select s, count(*) from r where i > w group by s",
        "select i + w, count(*) from r group by 1",
        "select s, sum(w) filter (where w > 3) from r group by s",
        "select s, sum(w), rank() over (order by s) from r group by s",
        "select s, sum(w) from r group by rollup(s)",
        "select x.s, count(*) from r x join r y using (i) group by all",
        "select s, count(*) from r where i in (select i from r) group by s",
        "select distinct s, count(*) from r group by s",
        "select s from r",
        "select s, sum(b * b * b * b) from r group by s",
    ],
)
def test_what_the_loops_do_not_cover_is_left_to_duckdb(con: Connection, text: str) -> None:
    with pytest.raises((UsageError, duckdb.OutOfRangeException)):
        con.sql(text, lineage=True, mode="compiled")


@pytest.mark.parametrize(
    ("keys", "condition", "kept"),
    [
        pytest.param(*each, marks=[] if each in LOCATED else pytest.mark.long)
        for each in product(
            ("s", "i % 3, day", "flag, e, t"),
            ("", " where i > 1", " where s like 'a%' and not flag"),
            ("", "w % 2 = 0"),
        )
    ],
)
def test_groups_with_values_of_duckdb_are_located(
    con: Connection, monkeypatch: pytest.MonkeyPatch, keys: str, condition: str, kept: str
) -> None:
    """The loops find the groups' records even if they do not support the aggregates."""
    monkeypatch.setattr(modes, "COMPILED_ROWS", 0)
    monkeypatch.setattr(modes, "LISTED_SHARE", 0.0)
    monkeypatch.setattr(modes, "FEW_LISTED", 0)
    monkeypatch.setitem(column_cache.SECONDS, "codes", 0.0)
    text = f"select {keys}, avg(w::double), count(distinct n) from r{condition} group by all"
    result = con.sql(text, lineage=True, want=Want(refs=("r",), where=kept))
    assert result.mode == "defer"
    with monkeypatch.context() as patch:
        patch.setattr(modes, "COMPILED_ROWS", 1 << 17)
        other = con.sql(f"{text} ", lineage=True, want=Want(refs=("r",), where=kept), mode="defer")
    found, expected = result._lineage.chains[0][0], other._lineage.chains[0][0]
    assert found.links[-1].codes is not None  # the loops record the group of each record
    assert expected.links[-1].codes is None
    rows = {row: at for at, row in enumerate(map(repr, rows_of(other.to_arrow())))}
    for at, row in enumerate(map(repr, rows_of(result.to_arrow()))):
        rids = result.backward("r", [at]).rids
        assert rids.tolist() == other.backward("r", [rows[row]]).rids.tolist()
        assert at in result.forward("r", rids[:1]) or not rids.size


@pytest.mark.long
def test_a_group_of_all_records_needs_no_query() -> None:
    con = connect(duckdb.connect())
    con.execute("create table f as select range % 5 as k, range as v from range(1000)")
    con.execute("create table none as from f limit 0")
    con.execute("create table gaps as from f")
    con.execute("delete from gaps where v % 3 = 0")
    con.execute("create table lists as select [v] as v from f where v > 2 union all select []")
    for text, ref, expected in (
        ("select avg(v) from f", "f", 1000),
        ("select count(*) from none", "none", 0),
        ("select sum(v) from gaps", "gaps", 666),
        ("select sum(v) from f where v > 9", "f", 990),
        ("select k, (select max(v) from f) from f where v = 1", "f#1", 1000),
        ("select k from f where v = 1 and 3 in (select unnest(v) from lists)", "lists", 1),
        ("select count(*) from (select unnest(v) from lists)", "lists", 997),
        ("select count(*) from f x, f y where x.v = 1 and y.v < 3", "f#2", 3),
        ("select count(*) from (from f using sample 100 percent (bernoulli))", "f", 1000),
    ):
        for mode in ("defer", "witness"):
            result = con.sql(text, lineage=True, mode=mode)
            assert len(result.backward(ref, [0]).rids) == expected, text
            assert len(result.forward(ref, result.backward(ref, [0]).rids[:1])) == (expected > 0)
    wanted = con.sql("select avg(v) from f", lineage=True, want=Want(refs=("f",), where="k = 2"))
    assert len(wanted.backward("f").rids) == 200
    con.execute("insert into f values (1, 1)")
    with pytest.raises(UsageError, match="can no longer be asked"):
        wanted.backward("f")


@pytest.mark.long
def test_columns_are_decoded_when_runs_have_cost_as_much() -> None:
    con = connect(duckdb.connect())
    con.execute("create table f as select range % 5 as k, range as v from range(200_000)")
    text = "select k, sum(v) from f group by k"
    want = Want(refs=("f",))
    assert con.sql(text, lineage=True).mode == "witness"
    assert con.sql(text, lineage=True, want=want).mode == "defer"
    keys = [(TablePlace("memory", "main", "f"), "k", "codes")]
    assert not con.columns.pays(keys, 10**12)
    con.columns.paid(con.columns._paid, 60)  # the state that many runs leave
    result = con.sql(text, lineage=True, want=want)
    assert result.mode == "compiled"
    assert "f: compiled loops aggregate and capture in one pass" in result.explain()
    assert con.sql(text, lineage=True).mode == "compiled"
    con.execute("create table g as from f limit 1000")
    few = text.replace("from f", "from g")
    con.sql(few, lineage=True, mode="compiled")
    assert con.sql(few, lineage=True).mode == "witness"  # for few rows, DuckDB is faster
    con.execute("delete from f where v = 3")
    assert con.sql(text, lineage=True).mode == "witness"
    with pytest.raises(UsageError, match="rids have gaps"):
        con.sql(text, lineage=True, mode="compiled")


def test_collations_are_left_to_duckdb() -> None:
    con = connect(duckdb.connect())
    con.execute("create table c (s varchar collate nocase); insert into c values ('a'), ('A')")
    with pytest.raises(UsageError, match="cannot run in compiled loops"):
        con.sql("select s, count(*) from c group by s", lineage=True, mode="compiled")
    assert len(con.sql("select s, count(*) from c group by s", lineage=True)) == 1
