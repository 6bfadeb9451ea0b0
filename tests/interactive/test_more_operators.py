"""Operators that are rewritten, stored or followed in steps, checked by the user's own SQL."""

from pathlib import Path

import duckdb
import pytest

from helpers.cut_references import USED, checked
from helpers.interactive_oracle import rows_of, same
from provhouse.interactive import Connection, connect
from provhouse.interactive.saving import operation
from provhouse.sql.not_covered import NotCovered

TEXTS = (Path(__file__).parent / "more_operators.sql").read_text(encoding="utf-8").splitlines()
"""The SQL texts to check.

Some rows need not change when their records of one use of a table are left out. A comment in the
text then states the reason.
"""


@pytest.fixture(scope="module")
def small() -> Connection:
    """Small tables with NULLs and duplicates, and an empty table."""
    con = duckdb.connect()
    con.execute("create table a(id int, k int, s varchar, v int)")
    con.execute("create table b(k int, w int)")
    con.execute("create table e(k int, z int)")
    con.execute(
        "insert into a select i, case when i % 7 > 0 then i % 4 end, 's' || (i % 3), (i * 7) % 11 "
        "from range(12) t(i)"
    )
    con.execute("insert into b select case when i % 6 > 0 then i % 5 end, i from range(9) t(i)")
    return connect(con)


@pytest.mark.parametrize("text", TEXTS[::12])  # the long test below has all texts
def test_rows_come_back_from_their_records(small: Connection, text: str) -> None:
    template, _, unsure = text.partition(" -- ")
    checked(small, template, sure=not unsure)


@pytest.mark.long
@pytest.mark.parametrize("text", TEXTS)
def test_all_rows_come_back_and_modes_agree(small: Connection, text: str) -> None:
    template, _, unsure = text.partition(" -- ")
    checked(small, template, sure=not unsure, most=1000)
    same(small, USED.sub(r"\1", template), ("witness", "defer"))


@pytest.mark.parametrize(
    ("key", "using"),
    [
        pytest.param(key, using, marks=[pytest.mark.long] * ((at - number) % 3 > 0))
        for at, key in enumerate(["s", "k", "s || '!'", "(s, k)", "upper(s)", "k // 2.0"])
        for number, using in enumerate(["using sum(v)", "using count(*) as n, max(v)", ""])
    ],
)
def test_pivot_by_the_values_in_the_data(small: Connection, key: str, using: str) -> None:
    sql = f"pivot a on {key} {using} group by id"
    result = small.sql(sql, lineage=True)
    plain = small.duckdb.sql(sql).to_arrow_table()
    assert result.to_arrow().schema == plain.schema
    assert sorted(rows_of(result.to_arrow())) == sorted(rows_of(plain))
    rids = [result.backward("a", [row]).rids.tolist() for row in range(len(result))]
    assert [[each] for each in result.to_arrow().column("id").to_pylist()] == rids


def test_pivot_reads_values_again_after_a_change() -> None:
    con = connect()
    con.execute("create table a as select i k, 's' || i % 2 s from range(4) t(i)")
    sql = "pivot a on s using count(*) group by k"
    assert con.sql(sql, lineage=True).columns == ["k", "s0", "s1"]
    con.execute("insert into a values (9, 'new')")
    result = con.sql(sql, lineage=True)
    assert result.columns == ["k", "new", "s0", "s1"]
    row = result.to_arrow().column("k").to_pylist().index(9)
    assert result.backward("a", [row]).rids.tolist() == [4]


SAMPLED = [
    "select list(id) ids from a using sample 5 rows",
    "select list(id) ids from a tablesample 50%",
    "select list(id) ids from a tablesample bernoulli(50%)",
    "select k, list(id) ids from (select * from a tablesample reservoir(6 rows)) q group by k",
    "select k, list(distinct id) ids from a, b using sample reservoir(9 rows)",
    "select k, list(id) ids from a tablesample reservoir(7 rows) where v > 3 group by k",
    "select [id] ids from a using sample 4 rows",
    "with s as (select * from a using sample 4 rows) "
    "select [x.id] ids from s x join s y on x.id = y.id",
    "select [id] ids from a where id in (select id from a using sample 3 rows)",
    "select list(id) over () ids from a using sample 3 rows",
    "select distinct [id] ids from a using sample 3 rows",
]


@pytest.mark.parametrize("sql", SAMPLED)
def test_a_sample_has_the_records_that_the_result_shows(small: Connection, sql: str) -> None:
    sql = sql.replace("select k, list(distinct id)", "select list(distinct id)")
    result = small.sql(sql, lineage=True)
    name = result.references[0]
    for row, ids in enumerate(result.to_arrow().column("ids").to_pylist()):
        assert sorted(ids or []) == result.backward(name, [row]).rids.tolist()
    if "rows" in sql and "join" not in sql and "[id]" in sql:
        assert len(result) == int(sql.split(" rows")[0].rpartition(" ")[2])
    assert result.backward("a").rids.size == len(
        {each for ids in result.to_arrow().column("ids").to_pylist() for each in ids or []}
    )


@pytest.mark.parametrize(
    "sql",
    [
        "select sum(id) from a tablesample reservoir(4 rows) repeatable (3)",
        "select id from a tablesample reservoir(4 rows) repeatable (3)",
        "select id, b.w from a tablesample bernoulli(50%) repeatable (3), b where a.k = b.k",
        "select distinct k from a using sample reservoir(5 rows) repeatable (1)",
        "select id from a using sample 100%",
        "select k, count(*) from a tablesample reservoir(20 rows) group by k",
    ],
)
def test_a_repeatable_sample_is_that_of_duckdb(small: Connection, sql: str) -> None:
    rows = rows_of(small.sql(sql, lineage=True).to_arrow())
    assert sorted(rows, key=str) == sorted(rows_of(small.duckdb.sql(sql).to_arrow_table()), key=str)


@pytest.mark.parametrize("share", ["20%", "(10 + 10)%"])
def test_a_share_of_the_rows(small: Connection, share: str) -> None:
    one = small.sql(f"select id from a order by id limit {share}", lineage=True)
    assert one.backward("a").rids.tolist() == [0, 1]
    counted = small.sql(f"select count(*) from (from a order by id limit {share})", lineage=True)
    assert counted.backward("a").rids.tolist() == [0, 1]


@pytest.mark.long
def test_a_long_recursion() -> None:
    con = connect()
    con.execute("create table step as select i here, i + 1 there from range(600) t(i)")
    result = con.sql(
        "with recursive walk as (select here, there from step where here = 0 "
        "union all select step.here, step.there from walk join step on step.here = walk.there) "
        "select there from walk order by there",
        lineage=True,
    )
    assert result.backward("step#2", [400]).rids.tolist() == list(range(1, 401))
    assert result.backward("step#1", [400]).rids.tolist() == [0]
    assert result.forward("step#2", [590]).tolist() == list(range(590, 600))


def test_a_recursion_over_a_graph_with_cycles() -> None:
    con = connect()
    con.execute("create table edge(a int, b int)")
    con.execute("insert into edge values (1, 2), (2, 3), (3, 1), (3, 4), (5, 6), (6, 5)")
    result = con.sql(
        "with recursive reach as (select a as here from edge where a = 1 "
        "union select b from reach join edge on edge.a = reach.here) select here from reach",
        lineage=True,
    )
    row = result.to_arrow().column("here").to_pylist().index(4)
    assert result.backward("edge#1", [row]).rids.tolist() == [0]
    assert result.backward("edge#2", [row]).rids.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("select id from a using sample 3 rows", "derivations of a sample"),
        ("select a.id from a positional join b", "derivations of a sample, or of a join by pos"),
        ("select id, q.w from a, (select w from b where b.k = a.k) q", "derivations of LATERAL"),
        ("with recursive t as (select id from a where id < 2 union all select id + 3 from t "
         "where id < 5) select id from t", "derivations of a recursive WITH query"),
    ],
)  # fmt: skip
def test_derivations_are_refused_by_name(small: Connection, sql: str, what: str) -> None:
    result = small.sql(sql, lineage=True)
    for ask in (result.why, result.how):
        with pytest.raises(NotCovered) as refused:
            ask(0)
        assert what in refused.value.wanted


def test_derivations_of_union_by_name_and_unpivot(small: Connection) -> None:
    union = small.sql("select k, s from a union all by name select w, k from b", lineage=True)
    assert [str(union.how(row)) for row in (1, 13)] == ["a/1", "b/1"]
    unpivot = small.sql("unpivot a on id, v into name n value w", lineage=True)
    assert str(unpivot.how(0)) == "a/0"
    pivot = small.sql("pivot a on s in ('s0') using sum(v) group by k", lineage=True)
    with pytest.raises(NotCovered, match="derivations of aggregates in a subquery"):
        pivot.why(0)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("pivot a on s using sum(v) group by k", ("pivot", "unknown")),
        ("unpivot a on k, v", ("unpivot", "unknown")),
        ("from a pivot (sum(v) for s in ('s0') group by k)", ("select", "unknown")),
        ("select id from a using sample 3 rows", ("select", "unknown")),
        ("select id from a tablesample 50%", ("select", "unknown")),
        ("select a.id from a positional join b", ("join", "unknown")),
        ("select a.id from a asof join b on a.k = b.k and a.v >= b.w", ("join", "unknown")),
        ("select id, q.w from a, (select w from b where b.k = a.k) q", ("join", "unknown")),
        ("select k from a union all by name select k from b", ("union", "any")),
        ("with recursive t as (select id from a union select id + 1 from t where id < 3) "
         "select id from t", ("select", "unknown")),
    ],
)  # fmt: skip
def test_the_kind_in_a_warehouse(sql: str, kind: tuple[str, str]) -> None:
    assert operation(sql, {"a", "b"}) == kind


@pytest.mark.parametrize("call", ["mean(v)", "kurtosis_pop(v)", "kurtosis_pop(v) + 1"])
def test_the_kind_of_an_aggregate_that_only_duckdb_knows(small: Connection, call: str) -> None:
    known = small.catalog().functions.aggregates
    assert operation(f"select {call} from a", {"a"}, known) == ("group by", "aggregate")


def test_texts_use_each_table_by_its_name() -> None:
    assert {name for text in TEXTS for name in USED.findall(text)} == {"a", "b", "e"}
