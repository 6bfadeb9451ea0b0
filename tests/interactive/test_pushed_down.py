"""Declared conditions and attributes give the same answers as the complete lineage does."""

import random
from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from helpers.sampled import one_in
from provhouse.interactive import Connection, Want, connect
from provhouse.interactive.planning.want import Mode
from provhouse.model.errors import UsageError

AGGREGATES = ("count(*) as n", "sum(v) as s", "min(v) as low", "count(distinct v) as d")
QUERIES = (
    "select k, count(*), sum(v) from t group by k",
    "select k, count(*) from t where v > 2 group by k having count(*) > 1 order by k limit 3",
    "select t.k, u.w, count(*) from t join u on t.k = u.k group by all",
    "select u.w, count(t.v) from u left join t on t.k = u.k and t.v > 4 group by all",
    "select k, v from t where v > 3",
    "select distinct k from t",
    "select k, sum(n) from (select k, m, count(*) n from t group by k, m) q group by k",
    "select count(*) from (select k, v from t where v > 1) q",
    "select u.w from u where exists (select 1 from t where t.k = u.k)",
    "select k, rank() over (partition by m order by v) from t",
    "select k from t where v > 5 union select w from u",
    "select u.w, (select sum(v) from t where t.k = u.k) from u",
    "with q as (select k, v from t) select u.w, sum(q.v) from q join u on q.k = u.k group by u.w",
)  # fmt: skip
CONDITIONS = ("", "v > 3", "m = 'x' and v is not null", "m is null or k in (1, 2)", "v < 0")
BY = (("m",), ("m", "k"), ("v",))


@pytest.fixture(scope="module", params=[False, True], ids=["dense", "gaps"])
def con(request: pytest.FixtureRequest) -> Connection:
    """Random tables with NULLs and duplicates, either with deleted rows or without."""
    draw = random.Random(8)
    con = connect(duckdb.connect(config={"threads": 1}))
    con.execute("create table t (k int, m varchar, v int); create table u (k int, w int)")
    for _ in range(120):
        row = [draw.choice([None, 0, 1, 2, 3]), draw.choice([None, "x", "y"]), draw.randint(0, 9)]
        con.duckdb.execute("insert into t values (?, ?, ?)", row)
    for at in range(14):
        con.duckdb.execute("insert into u values (?, ?)", [at % 5, at % 4])
    if request.param:
        con.execute("delete from t where rowid % 7 = 3")
    return con


def bag(table: pa.Table) -> Counter[str]:
    return Counter(map(str, table.to_pylist()))


def by_hand(con: Connection, rids: list[int], by: tuple[str, ...]) -> Counter[str]:
    """Return the aggregates of the given records, computed by a query that lists their rids."""
    chosen = f"from t where rowid in ({', '.join(map(str, rids)) or 'null'})"
    return bag(
        con.duckdb.sql(
            f"select {', '.join([*by, *AGGREGATES])} {chosen} group by {', '.join(by)}"
        ).to_arrow_table()
    )


def compare(con: Connection, sql: str, where: str, by: tuple[str, ...], mode: Mode | None) -> None:
    """Compare a query's rows, singly and several together, with the lineage computed on demand."""
    meets = {
        rid for (rid,) in con.duckdb.sql(f"select rowid from t where {where or 'true'}").fetchall()
    }
    want = Want(refs=("t",), where=where, by=by, aggregates=AGGREGATES)
    result = con.sql(sql, lineage=True, want=want, mode=mode)
    plain = con.sql(sql, lineage=True, mode="witness")
    same: dict[str, list[int]] = {}
    for at, row in enumerate(plain.to_arrow().to_pylist()):
        same.setdefault(str(row), []).append(at)
    listed = list(enumerate(result.to_arrow().to_pylist()))
    for at, row in listed[:: max(1, len(listed) // 4)]:
        candidates = same[str(row)]
        found = result.backward("t", [at]).rids.tolist()
        expected = [
            [rid for rid in plain.backward("t", [each]).rids.tolist() if rid in meets]
            for each in candidates
        ]
        assert found in expected, (sql, where, mode)
        assert bag(result.aggregate("t", [at])) == by_hand(con, found, by), (sql, where, by)
        if found:
            assert at in result.forward("t", found[:1]).tolist()
            one: dict[str, Any] = {
                name: con.duckdb.sql(f"select {name} from t where rowid = {found[0]}").fetchall()[
                    0
                ][0]
                for name in by[:1]
            }
            test = " and ".join(f"{name} is not distinct from ?" for name in one)
            text = f"select rowid from t where {test} order by rowid"
            equal = {rid for (rid,) in con.duckdb.execute(text, [*one.values()]).fetchall()}
            chosen = result.backward("t", [at], where=one).rids.tolist()
            assert chosen == [rid for rid in found if rid in equal]
    some = list(range(0, len(result), 2))
    rids = result.backward("t", some).rids.tolist()
    assert bag(result.aggregate("t", some)) == by_hand(con, rids, by), (sql, where, by)


@pytest.mark.parametrize("sql", QUERIES[::12])  # the long test below has all queries
def test_answers_are_those_of_the_plain_lineage(con: Connection, sql: str) -> None:
    draw = random.Random(sql)
    compare(con, sql, draw.choice(CONDITIONS), draw.choice(BY), draw.choice([None, "defer"]))


@pytest.mark.long
@pytest.mark.parametrize("sql", QUERIES)
def test_all_declarations_give_the_answers_of_the_plain_lineage(con: Connection, sql: str) -> None:
    for where in CONDITIONS:
        for by in BY:
            compare(con, sql, where, by, None)
            compare(con, sql, where, by, "defer")


@pytest.mark.parametrize("where", one_in(4, CONDITIONS))
def test_compiled_loops_capture_only_what_is_declared(where: str) -> None:
    con = connect(duckdb.connect())
    con.execute("create table t as select range % 4 k, case when range % 5 > 0 then "
                "chr(120 + (range % 2)::int) end m, range % 9 v from range(300)")  # fmt: skip
    compare(con, QUERIES[0], where, ("m",), "compiled")
    compare(con, QUERIES[0], where, ("m", "v"), "inject")


def test_explain_names_what_was_pushed_down(con: Connection) -> None:
    want = Want(refs=("t",), where="v > 3", by=("m",))
    result = con.sql(QUERIES[2], lineage=True, want=want)
    assert result.mode == "inject"
    assert "only records with v > 3 (selection pushed down)" in result.explain()
    assert "divided by m, with count(*) as n of each part (group-by pushed" in result.explain()


def test_sums_of_several_rows_are_added_up_with_their_types(con: Connection) -> None:
    want = Want(refs=("t",), by=("m",), aggregates=("count(*) as n", "sum(v) as s", "max(v) as h"))
    result = con.sql(QUERIES[0], lineage=True, want=want)
    plain = con.duckdb.sql("select m, count(*) as n, sum(v) as s, max(v) as h from t group by m")
    found = result.aggregate("t")
    assert bag(found) == bag(plain.to_arrow_table())
    assert found.schema.types == plain.to_arrow_table().schema.types
    assert result.size > con.sql(QUERIES[0], lineage=True, want=Want(refs=("t",))).size


def test_what_cannot_be_declared_is_refused(con: Connection) -> None:
    sql = "select x.k from t x join t y on x.k = y.k"

    def ask(want: Want, text: str = sql) -> Any:
        return con.sql(text, lineage=True, want=want)

    with pytest.raises(UsageError, match="must be for one reference"):
        ask(Want(refs=("t",), where="v > 3"))
    with pytest.raises(UsageError, match="must be for one reference"):
        ask(Want(by=("m",)))
    assert len(ask(Want(refs=("t#2",), where="v > 3")).backward("t#2"))
    for where in ("v >", "v > 3 limit 1", "v in (select k from u)", "sum(v) > 3"):
        with pytest.raises(UsageError, match="condition of Want cannot be used"):
            ask(Want(refs=("t",), where=where), QUERIES[0])
    with pytest.raises(UsageError, match=r"random\(\), which returns a different value"):
        ask(Want(refs=("t",), where="random() < 0.5"), QUERIES[0])
    with pytest.raises(duckdb.BinderException):
        ask(Want(refs=("t",), where="z > 3"), QUERIES[0])
    with pytest.raises(UsageError, match="has no column 'z'"):
        ask(Want(refs=("t",), by=("z",)), QUERIES[0])
    result = ask(Want(refs=("t",), by=("m",)), QUERIES[0])
    with pytest.raises(UsageError, match="not divided by 'k'"):
        result.backward("t", [0], where={"k": 1})
    with pytest.raises(UsageError, match="not divided by columns"):
        ask(Want(refs=("t",)), QUERIES[0]).aggregate("t")


def test_lineage_that_is_not_whole_is_neither_linked_nor_saved(con: Connection) -> None:
    result = con.sql(QUERIES[0], lineage=True, want=Want(refs=("t",), where="v > 3"))
    with pytest.raises(UsageError, match="is incomplete"):
        con.link(result, con.sql(QUERIES[0], lineage=True))


def test_a_changed_table_makes_aggregates_an_error() -> None:
    con = connect()
    con.execute("create table t as select range % 3 k, range v from range(30)")
    result = con.sql(
        "select k, count(*) from t group by k", lineage=True, want=Want(refs=("t",), by=("k",))
    )
    con.execute("delete from t where v = 4")
    with pytest.raises(UsageError, match="can no longer be asked"):
        result.aggregate("t", [0])
