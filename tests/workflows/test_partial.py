"""A query starts from stored results, and returns the same rows as a full execution."""

from pathlib import Path

import duckdb
import pytest

from helpers.flow import Flow, write
from helpers.sampled import one_in

DDL = """
    create table t(id integer primary key, s varchar, a integer, b integer not null);
    create table u(a integer, name varchar);
    create schema mart;
    create view mart.cleaned as select id, s, coalesce(a, 0) as a, b from t where b < 3;
    create view joined as select c.id, c.s, u.name, c.b from mart.cleaned c join u on c.a = u.a;"""
TABLES = {
    "t": "select i::integer id, chr((97 + i % 4)::integer) s, nullif(i % 7, 3)::integer a, "
    "(i % 5)::integer b from range(60) x(i)",
    "u": "select (i % 5)::integer a, 'n' || i % 4 as name from range(20) x(i)",
}
STORED = {
    "cleaned": "select id, s, coalesce(a, 0) as a, b from t where b < 3",
    "joined": "select name, id as number, b, s from joined",
    "totals": "select s, count(*) as n, sum(b)::bigint as total from t group by s",
    "wide": "select s, sum(b) as total from t where id > 5 group by s",
    "ordered": "select id, s from t where b = 1 order by id",
}
"""The sinks of an executed revision."""
PARTIAL = {
    "a view": ("select s, max(a) as m from mart.cleaned group by s", {"cleaned"}),
    "a view of a view": ("select s, count(*) as n from joined where b > 0 group by s", {"joined"}),
    "a WITH": (
        "with q as (select t.b, t.s, id, coalesce(t.a, 0) a from t where b < 3) "
        "select q.id, u.name from q left join u on q.a = u.a where s <> 'a'",
        {"cleaned"},
    ),
    "a WITH that reads another": (
        "with c as (from mart.cleaned), j as (select c.id, u.name from c join u on c.a = u.a), "
        "k as (select name, count(*) as n from j group by name) select name as x, n from k",
        {"joined"},
    ),
    "a subquery": (
        "select x.s, x.total + 1 as more from (select s, count(*) n, sum(b)::bigint as total "
        "from t group by s) as x join u on x.n > u.a",
        {"totals"},
    ),
    "IN": (
        "select name from u where a in (select coalesce(a, 0) from t where b < 3)",
        {"cleaned"},
    ),
    "EXISTS of a view": (
        "select name from u where exists (select 1 from mart.cleaned c where c.a = u.a)",
        {"cleaned"},
    ),
    "two of them": (
        "select c.id, g.n from mart.cleaned c join (select s, count(*) n from t group by s) g "
        "on c.s = g.s",
        {"cleaned", "totals"},
    ),
    "sides of a union": (
        "select s, n from (select s, count(*) as n from t group by s) where n > 2 "
        "union all select s, a from mart.cleaned",
        {"cleaned", "totals"},
    ),
    "one result twice": (
        "select x.id from mart.cleaned x join mart.cleaned y on x.id = y.a",
        {"cleaned"},
    ),
    "a view that a WITH hides": (
        "with joined as (select s, a from mart.cleaned) select s, max(a) m from joined group by s",
        {"cleaned"},
    ),
    "a view in a view": (
        "select c.s, max(u.name) as m from mart.cleaned c left join u on c.a = u.a group by c.s",
        {"cleaned"},
    ),
    "a quoted name": (
        'with "a ""q" as (select s as "S x", sum(b)::bigint as n, count(*) c from t group by s) '
        'select max("S x") as s, n from "a ""q" group by "a ""q".n',
        {"totals"},
    ),
}
BUILT = {
    "another condition": "select s, max(a) m from (select s, a from t where b < 4) group by s",
    "a correlated subquery": "select name, (select count(*) from t where t.a = u.a) as n from u",
    "a type that files lack": "select s from (select s, sum(b) as total from t where id > 5 "
    "group by s) where total > 3",
    "a limit of an order": "select s, count(*) n from (select id, s from (select id, s from t "
    "where b = 1 order by id) limit 5) group by s",
    "recursion": "with recursive r as (select 1 as x union all select x + 1 from r where x < 3), "
    "q as (from mart.cleaned) select max(x) as x, count(*) as n from r, q",
}


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """A workflow whose sinks have all been executed."""
    made = Flow(tmp_path_factory.mktemp("flow"), DDL)
    for name, rows in TABLES.items():
        made.table(name, rows)
    number = made.add(STORED)
    for sink, text in STORED.items():
        made.execute(number, {sink: text}, *(("t", "u") if sink == "joined" else ("t",)))
    return made


def executed(con: duckdb.DuckDBPyConnection, text: str) -> tuple[list[str], list[str]]:
    """Return the names, types and rows of a query."""
    found = con.sql(text)
    types = [f"{name} {type_}" for name, type_ in zip(found.columns, found.types, strict=True)]
    return types, sorted(map(repr, found.fetchall()))


def inputs(flow: Flow) -> dict[str, str]:
    """Return the current states of both tables."""
    return {name: str(flow.folder / f"{name}.parquet") for name in TABLES}


@pytest.mark.parametrize("case", one_in(6, PARTIAL))
def test_a_query_starts_at_stored_results(flow: Flow, case: str) -> None:
    text, starts = PARTIAL[case]
    both = inputs(flow)
    read = {name: both[name] for name in both if name == "t" or " u" in text or " joined" in text}
    found = flow.reuse(flow.add(text), inputs=read, audited=1.0)
    assert (found.decision, {*found.starts}) == ("partial", {f"flow@r1 {each}" for each in starts})
    assert found.audited
    con = flow.prepared(*TABLES)
    assert executed(con, found.sql) == executed(con, text)
    assert executed(con, found.sql)[1]


def test_an_audit_withdraws_a_wrong_start(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    flow.table("t", TABLES["t"])
    lie = tmp_path / "lie.parquet"
    write(f"{STORED['cleaned']} and coalesce(a, 0) < 4", lie, flow.prepared("t"))
    flow.store(flow.add({"cleaned": STORED["cleaned"]}), {"cleaned": lie}, "t")
    number = flow.add(PARTIAL["a view"][0])
    assert flow.reuse(number).decision == "partial"
    found = flow.reuse(number, audited=1.0)
    assert (found.decision, found.sql) == ("build", "")
    assert found.reason == "an audit has found that the result of flow@r1 was wrong"
    assert flow.reuse(number).decision == "build"


@pytest.mark.parametrize("case", one_in(4, BUILT))
def test_what_is_not_certainly_a_part_is_built(flow: Flow, case: str) -> None:
    found = flow.reuse(flow.add(BUILT[case]), inputs=inputs(flow))
    assert (found.decision, found.sql, found.starts) == ("build", "", ())
