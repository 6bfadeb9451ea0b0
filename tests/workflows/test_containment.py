"""A tightened query is computed from a stored result, with the same rows as a full execution."""

from pathlib import Path

import duckdb
import pytest

from helpers.contained import CASES, Edited
from helpers.contained import DDL as PAIRS
from helpers.flow import Flow, write
from helpers.sampled import one_in
from provhouse.workflows.containment import Contained, ContainingRows
from provhouse.workflows.revisions import SinkPlan

DDL = "create table t(id integer primary key, s varchar, a integer, d date, v double);"
ROWS = """
    select i::integer id,
        case when i % 5 = 0 then null else chr((97 + i % 4)::integer) || i % 3 end s,
        nullif(i % 7, 3)::integer a, date '2020-01-01' + (i % 40)::integer d, (i / 3)::double v
    from range(120) t(i)"""
WIDE = "select id, s, a, d from t where a > 1"
GROUPS = "select s, count(*) as n from t group by s"
JOINED = "select x.id, x.s, y.a from t x join t y on x.id = y.a where x.a > 0"
SALES = """
    select i::integer id, date '2024-01-01' + (i * 7 % 400)::integer as day,
        [null, 'Rome', 'Oslo', 'Bern', 'Riga'][1 + i % 5] as city,
        ['toy', 'tool', null, 'book'][1 + i % 4] as kind,
        nullif(i % 61, 7)::decimal(10, 2) as amount, (i % 6)::integer as customer
    from range(200) t(i)"""
CUSTOMERS = """
    select i::integer customer, 'n' || i as name, ['IT', 'NO', 'CH'][1 + i % 3] as country
    from range(5) t(i)"""
NARROW = {
    "a condition more": (WIDE, "select id, s, a, d from t where a > 1 and s = 'a1'"),
    "fewer columns": (WIDE, "select d, id from t where a > 1"),
    "OR with NULL": (WIDE, "select id from t where a > 1 and (a < 4 or s is null)"),
    "NOT": (WIDE, "select id from t where a > 1 and not (s = 'b1' and a = 2)"),
    "a date": (WIDE, "select id, a from t where d >= date '2020-01-20' and a > 1"),
    "LIKE": (WIDE, "select id from t where s like 'a%' and a > 1"),
    "a computed column": (WIDE, "select a + id as total from t where a > 1 and id < 50"),
    "a WITH": (
        WIDE,
        "with q as (select * from t where a > 1) select id as k from q where s <> 'x'",
    ),
    "HAVING": (GROUPS, "select s, count(*) as n from t group by s having count(*) > 5"),
    "a join": (JOINED, f"{JOINED} and y.a = 2"),
    "a quote": (WIDE, "select id from t where a > 1 and s <> 'it''s'"),
}
NOT_CONTAINED = {
    "a wider condition on a missing column": (WIDE, "select id from t where v > 0"),
    "a condition on a missing column": (WIDE, "select id from t where a > 1 and v > 2"),
    "a missing column": (WIDE, "select id, v from t where a > 1"),
    "an order": (WIDE, "select id from t where a > 1 and id < 9 order by id"),
    "a limit": (WIDE, "select id from t where a > 1 order by id limit 3"),
    "groups": (WIDE, "select s, count(*) as n from t where a > 1 group by s"),
    "distinct rows": (WIDE, "select distinct s from t where a > 1"),
    "a condition below a group": (GROUPS, "select s, count(*) as n from t where a > 1 group by s"),
    "a limited result": (
        "select id, a from t order by id limit 9",
        "select id, a from t where a > 1 order by id limit 9",
    ),
    "another join": (JOINED, JOINED.replace("join t y", "left join t y") + " and y.a = 2"),
    "an unknown function": (WIDE, "select id from t where a > 1 and upper(s) = 'A1'"),
}


def flow_with(folder: Path, text: str) -> Flow:
    """Return a workflow whose first revision has been executed."""
    flow = Flow(folder, DDL)
    flow.table("t", ROWS)
    flow.execute(flow.add(text), text, "t")
    return flow


@pytest.mark.parametrize(("wide", "narrow"), one_in(6, NARROW.values()), ids=NARROW)
def test_a_narrower_query_is_a_filter_of_the_stored_rows(
    tmp_path: Path, wide: str, narrow: str
) -> None:
    flow = flow_with(tmp_path, wide)
    found = flow.reuse(flow.add(narrow))
    assert (found.decision, found.by, found.of) == ("filter", "filter", "flow@r1"), found
    computed = duckdb.connect().execute(found.sql)
    names = [each[0] for each in computed.description or ()]
    rows = sorted(computed.fetchall(), key=repr)
    oracle = flow.prepared("t").execute(narrow)
    assert names == [each[0] for each in oracle.description or ()]
    assert rows == sorted(oracle.fetchall(), key=repr)
    assert rows


@pytest.mark.parametrize("case", one_in(6, CASES.values()), ids=CASES)
def test_an_edited_query_is_computed_from_the_stored_rows_and_a_delta(
    tmp_path: Path, case: Edited
) -> None:
    """For 26 of 30 pairs, reuse gives an answer, with the same rows as executing the new query."""
    flow = Flow(tmp_path, PAIRS)
    flow.table("sales", SALES)
    flow.table("customers", CUSTOMERS)
    tables = ("sales", "customers") if "customers" in case.stored else ("sales",)
    flow.execute(flow.add(case.stored), case.stored, *tables)
    found = flow.reuse(flow.add(case.edited))
    if case.kind == "not contained":
        assert found.decision == "build", found
        return
    assert found.decision in ("filter", "delta"), found
    assert (found.decision == "delta") >= (case.kind == "stored plus delta")
    con = flow.prepared(*tables)
    computed = con.execute(found.sql)
    names, rows = [each[0] for each in computed.description or ()], computed.fetchall()
    more = con.execute(found.delta).fetchall() if found.delta else []
    oracle = con.execute(case.edited)
    assert names == [each[0] for each in oracle.description or ()]
    assert sorted([*rows, *more], key=repr) == sorted(oracle.fetchall(), key=repr)
    assert bool(more) == (case.kind == "stored plus delta")
    assert rows or not more


@pytest.mark.parametrize(("stored", "asked"), one_in(6, NOT_CONTAINED.values()), ids=NOT_CONTAINED)
def test_other_queries_are_built(tmp_path: Path, stored: str, asked: str) -> None:
    flow = flow_with(tmp_path, stored)
    found = flow.reuse(flow.add(asked))
    assert (found.decision, found.sql) == ("build", "")


def test_a_filter_of_a_removed_result_is_not_offered(tmp_path: Path) -> None:
    wide, narrow = NARROW["a condition more"]
    flow = flow_with(tmp_path, wide)
    Path(flow.reuse(1).path).unlink()
    assert flow.reuse(flow.add(narrow)).decision == "build"


@pytest.mark.parametrize("decision", ["filter", "delta"])
def test_an_audit_compares_computed_rows_with_those_of_the_whole_query(
    tmp_path: Path, decision: str
) -> None:
    edited = WIDE.replace("> 1", "> 3" if decision == "filter" else "> 0")
    flow = flow_with(tmp_path, WIDE)
    number = flow.add(edited)
    found = flow.reuse(number, audited=1.0)
    assert (found.decision, found.audited) == (decision, True), found
    assert not flow.reuse(number).audited
    lie = tmp_path / "lie.parquet"
    write(f"{WIDE} and id <> 5".replace("a > 1", "a > 3"), lie, flow.prepared("t"))
    flow.store(1, {"result": lie}, "t")
    wrong = flow.reuse(number, audited=1.0)
    assert (wrong.decision, wrong.audited) == ("build", False)
    assert wrong.reason == "an audit has found that the result of flow@r1 was wrong"


def test_an_audit_revokes_a_wrong_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_few(new: SinkPlan, old: SinkPlan, stored: ContainingRows) -> Contained:
        return Contained(f"select id, s, a, d from {stored.source} where id > 99")

    flow = flow_with(tmp_path, WIDE)
    number = flow.add(WIDE.replace("> 1", "> 3"))
    with monkeypatch.context() as patched:
        patched.setattr("provhouse.workflows.reuse_search.contained", too_few)
        found = flow.reuse(number, audited=1.0)
    assert (found.decision, "the rule is revoked" in found.reason) == ("build", True), found
    assert flow.reuse(number).decision == "build"
    assert flow.reuse(1).decision == "reuse"
