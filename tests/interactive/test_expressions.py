"""An expression on one table's records has one value for each record, always the same."""

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from provhouse.interactive import Connection, Want, connect
from provhouse.model.errors import UsageError

CONTAINED = {
    "random()": "random\\(\\), which returns a different value",
    "rnd() > 0": "random\\(\\), which returns a different value",
    "now()": "now\\(\\), which returns a different value",
    "nextval('s')": "nextval\\(\\), which returns a different value",
    "unnest(l)": "unnest\\(\\), which makes several rows",
    "sum(v)": "an aggregate",
    "total(v)": "an aggregate",
    "row_number() over ()": "a window function",
    "(select max(v) from t)": "a subquery",
    "(select max(w) from u)": "a subquery",
    "v in (select w from u)": "a subquery",
}


@pytest.fixture(scope="module")
def con() -> Connection:
    """Tables that no test changes."""
    con = connect()
    con.execute("create table t(k varchar, v int, l int[]); create table u(w int)")
    con.execute("insert into t values ('a', 1, [1, 2]), ('b', 2, []), (null, 3, null)")
    con.execute("create macro rnd() as random(); create macro total(x) as sum(x)")
    con.execute("create sequence s")
    return con


@pytest.mark.parametrize("text", CONTAINED)
def test_views_have_one_value_for_each_record(con: Connection, text: str) -> None:
    with pytest.raises(UsageError, match=CONTAINED[text]):
        con.views("t", x=text)


@pytest.mark.parametrize("text", CONTAINED)
def test_a_condition_of_want_is_about_one_record(con: Connection, text: str) -> None:
    condition = f"({text}) is not null"
    want = Want(refs=("t",), where=condition)
    with pytest.raises(UsageError, match=f"{CONTAINED[text]}|cannot be used"):
        con.sql("select k, count(*) from t group by k", lineage=True, want=want)


@pytest.mark.parametrize(
    "text", ["sum(v) + random()", "(select max(w) from u)", "sum(sum(v)) over ()", "v", "sum(v), 1"]
)
def test_aggregates_of_want_are_of_the_records(con: Connection, text: str) -> None:
    want = Want(refs=("t",), by=("k",), aggregates=(text,))
    with pytest.raises((UsageError, duckdb.Error)):
        con.sql("select v, count(*) from t group by v", lineage=True, want=want)


@pytest.mark.parametrize("text", ["v; drop table t", "v from t; drop table t --", "v, k from t --"])
def test_texts_that_are_no_expression_are_refused(con: Connection, text: str) -> None:
    with pytest.raises((UsageError, duckdb.Error)):
        con.views("t", x=text)
    assert con.duckdb.execute("select count(*) from t").fetchall() == [(3,)]


@pytest.mark.parametrize(
    "text", ["select 1; drop table t", "insert into t select * from records", "drop table t"]
)
def test_records_are_read_by_one_query(con: Connection, text: str) -> None:
    result = con.sql("select k, count(*) from t group by k", lineage=True)
    with pytest.raises((UsageError, duckdb.Error)):
        result.backward("t", [0]).sql(text)
    assert con.duckdb.execute("select count(*) from t").fetchall() == [(3,)]


ROWID: dict[str, Callable[[Connection], Any]] = {
    "views": lambda con: con.views("t", k="k").brush("k", [0]),
    "query": lambda con: con.sql("select k, sum(v) from t group by k", lineage=True),
    "compiled": lambda con: con.sql(
        "select k, sum(v) from t group by k", lineage=True, mode="compiled"
    ),
    "dependency": lambda con: con.check_fd("t", "k -> v"),
    "condition": lambda con: con.sql(
        "select count(*) from t", lineage=True, want=Want(refs=("t",), where="v > 0")
    ),
}


@pytest.mark.parametrize("way", ROWID)
def test_a_column_named_rowid_is_refused(way: str) -> None:
    con = connect()
    con.execute("create table t(rowid varchar, k varchar, v int)")
    con.execute("insert into t select 100 + i, 'abc'[i % 3 + 1], i from range(9) r(i)")
    with pytest.raises(UsageError, match="rowid"):
        ROWID[way](con)


def test_compiled_loops_leave_enums_and_collations_to_duckdb() -> None:
    con = connect()
    con.execute("create type mood as enum('sad', 'ok', 'glad')")
    con.execute("create table t(id int, k varchar, m mood, v int)")
    con.execute("insert into t select i, ['ok', 'sad', 'glad', 'OK', null][i % 5 + 1], null, i "
                "from range(20) r(i)")  # fmt: skip
    con.execute("update t set m = lower(k)::mood")
    for key in ("lower(k)::mood", "m", "k collate nocase", "v / 2 * -1.0"):
        query = f"select count(*) n from t group by {key} order by {key}"
        plain = con.duckdb.sql(query).fetchall()
        # this decodes the columns
        con.sql("select k, sum(v) from t group by k", lineage=True, mode="compiled")
        for want in (Want(), Want(refs=("t",)), Want(refs=("t",))):
            found = con.sql(query, lineage=True, want=want)
            assert [tuple(row.values()) for row in found.to_arrow().to_pylist()] == plain
            groups = f"select list(rowid order by rowid) from t group by {key} order by {key}"
            expected = [rids for (rids,) in con.duckdb.execute(groups).fetchall()]
            assert [found.backward("t", [row]).rids.tolist() for row in range(len(found))] == (
                expected
            )


@pytest.mark.parametrize("kind", ["INTERVAL", "BIT", "BLOB", "INTEGER[]", "STRUCT(a INTEGER)"])
def test_views_refuse_types_without_bars(kind: str) -> None:
    con = connect()
    con.execute(f"create table t(id int, k {kind})")
    makes: list[Callable[[], Any]] = [
        lambda: con.views("t", k="k"),
        lambda: con.views("t", id="id", measures=["k"]),
    ]
    for make in makes:
        with pytest.raises(UsageError, match="cannot be charted"):
            make()


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("HUGEINT", ["170141183460469231731687303715884105727", "1", "1"]),
        ("UHUGEINT", ["340282366920938463463374607431768211455", "1", "1"]),
        ("BIGNUM", ["'1234567890123456789012345678901234567890123'", "1", "1"]),
        ("DOUBLE", ["1.7e308", "1", "1"]),
        ("BIGINT", ["9223372036854775807", "-9223372036854775808", "-9223372036854775808"]),
        ("DOUBLE", ["5e-324", "0", "0"]),
        ("DOUBLE", ["1e30", "1e30", "1e30"]),
        ("TIMETZ", ["'10:00:00+02'", "'08:00:00+00'", "'08:00:00+00'"]),
    ],
)
def test_views_of_extreme_values_have_their_records(kind: str, texts: list[str]) -> None:
    con = connect()
    con.execute(f"create table t(k {kind})")
    for text in texts:
        con.execute(f"insert into t values ({text})")
    views = con.views("t", k="k")
    bars = range(len(views.bars["k"].labels))
    found = [views.records({"k": [bar]}).rids.tolist() for bar in bars]
    assert sorted(rid for rids in found for rid in rids) == [0, 1, 2]
    same = [rids for rids in found if 1 in rids]
    assert same[0][-2:] == [1, 2]
    assert sum(views.brush("k", None).views["k"].counts) == 3


def test_a_range_that_no_number_holds_is_refused() -> None:
    con = connect()
    con.execute("create table t as select unnest([1.7e308, -1.7e308, 1]) k")
    with pytest.raises(UsageError, match="range of 'k' is too large"):
        con.views("t", k="k")
    views = con.views("t", k="k", bins={"k": [0.0]}, measures=["k"])
    assert views.brush("k", None).views["k"].counts.tolist() == [1, 2]
