"""Each edit changes one operator of a query, and the answer names this operator."""

from pathlib import Path

import pytest

from helpers.flow import Flow
from provhouse.equivalence.first_difference import first_difference
from provhouse.workflows.revisions import SinkPlan
from provhouse.workflows.why_not_reused import why_not_reused

DDL = """
    create table t(id integer primary key, s varchar, a integer, b integer, d date);
    create table u(a integer, b integer, name varchar);"""
TABLES = {
    "t": "select i::integer id, chr((97 + i % 4)::integer) s, nullif(i % 7, 3)::integer a, "
    "(i % 3)::integer b, date '2020-01-01' + (i % 40)::integer d from range(60) x(i)",
    "u": "select (i % 5)::integer a, (i % 2)::integer b, 'n' || i % 4 as name from range(20) x(i)",
}
GROUPS = """
    with q as (select id, s, a, b, d from t where a > 1)
    select q.s, sum(q.b + 1)::bigint as n, max(q.d) as d
    from q join u on q.a = u.a
    where u.b = 0 and q.id in (select b from u where name <> 'n1')
    group by q.s having count(*) > 1"""
RANKED = """
    select id, s, round(a / 2) as half, cast(b as bigint) as b,
        sum(b) over (partition by s order by id rows between 2 preceding and current row) as near
    from t where id between 2 and 50 and s is not null"""
UNITED = """
    select a, b from t where a > 1 union all (select a, b from u except select a, b from t)"""
FIRST = "select distinct s, a, d from t join u using (a) order by d, s, a nulls last limit 9"
SETS = "select s, b, count(*) as n from t group by grouping sets ((s, b), (s), ())"
PLAIN = "select t.id, u.name from t left join u on t.a = u.a where t.b = 1"
PLANTED: dict[str, tuple[str, str, str, str]] = {
    "a literal of a WITH": (GROUPS, "a > 1", "a > 2", "filter"),
    "a kind of join": (GROUPS, "q join u", "q left join u", "join"),
    "a key of a join": (GROUPS, "on q.a = u.a", "on q.b = u.a", "join"),
    "a condition of a join": (GROUPS, "q.a = u.a", "q.a >= u.a", "join"),
    "an argument of an aggregate": (GROUPS, "q.b + 1", "q.b + 2", "aggregate"),
    "an aggregate": (GROUPS, "max(q.d)", "min(q.d)", "aggregate"),
    "DISTINCT in an aggregate": (GROUPS, "sum(q.b", "sum(distinct q.b", "aggregate"),
    "FILTER of an aggregate": (GROUPS, "max(q.d)", "max(q.d) filter (q.b = 1)", "aggregate"),
    "a key of groups": (GROUPS, "group by q.s", "group by q.s, q.b", "aggregate"),
    "HAVING": (GROUPS, "count(*) > 1", "count(*) > 2", "filter"),
    "a literal of a subquery": (GROUPS, "name <> 'n1'", "name <> 'n2'", "filter"),
    "a column of a subquery": (GROUPS, "(select b from", "(select a from", "join"),
    "IN as NOT IN": (GROUPS, "q.id in", "q.id not in", "filter"),
    "HAVING removed": (GROUPS, "having count(*) > 1", "", "aggregate"),
    "a cast of a result": (GROUPS, "::bigint as n", "::integer as n", "project"),
    "a frame": (RANKED, "2 preceding", "3 preceding", "window"),
    "an order of a window": (RANKED, "order by id", "order by id desc", "window"),
    "a partition": (RANKED, "partition by s ", "partition by b ", "window"),
    "a function of a window": (RANKED, "sum(b) over", "max(b) over", "window"),
    "a function": (RANKED, "round(", "floor(", "project"),
    "an argument": (RANKED, "a / 2", "a / 3", "project"),
    "the type of a cast": (RANKED, "b as bigint", "b as smallint", "project"),
    "BETWEEN": (RANKED, "2 and 50", "2 and 51", "filter"),
    "IS NULL": (RANKED, "s is not null", "s is null", "filter"),
    "a condition removed": (RANKED, " and s is not null", "", "filter"),
    "WHERE removed": (RANKED, "where id between 2 and 50 and s is not null", "", "filter removed"),
    "ALL": (UNITED, "union all", "union", "distinct"),
    "a set operation": (UNITED, "except", "intersect", "intersect"),
    "EXCEPT ALL": (UNITED, "except", "except all", "except"),
    "the columns of one side": (UNITED, "select a, b from u", "select b, a from u", "except"),
    "another table": (UNITED, "select a, b from u", "select a, b from t", "scan of u removed"),
    "DISTINCT removed": (FIRST, "distinct ", "", "distinct removed"),
    "USING": (FIRST, "using (a)", "using (a, b)", "join"),
    "a direction": (FIRST, "by d,", "by d desc,", "sort"),
    "NULLS FIRST": (FIRST, "nulls last", "nulls first", "sort"),
    "a count": (FIRST, "limit 9", "limit 8", "limit"),
    "an offset": (FIRST, "limit 9", "limit 9 offset 1", "limit"),
    "LIMIT removed": (FIRST, "limit 9", "", "limit removed"),
    "grouping sets": (SETS, "(s), ()", "(b), ()", "aggregate"),
    "a column of a scan": (PLAIN, "u.name", "u.b as name", "project"),
    "a filter above a join": (PLAIN, "where t.b = 1", "where u.b = 1", "filter"),
    "DISTINCT added": (PLAIN, "select t", "select distinct t", "distinct"),
    "ORDER BY added": (PLAIN, "= 1", "= 1 order by t.id, u.name", "sort"),
    "a window added": (PLAIN, "u.name", "max(u.name) over () as name", "window"),
    "columns in another order": (PLAIN, "t.id, u.name", "u.name, t.id", "columns"),
    "another name": (PLAIN, "u.name", "u.name as label", "columns"),
}
"""A query, an edit of it, and the operator that the edit changes."""
REUSED = {
    "the name of a subquery": (UNITED, "from u except", "from u as v except"),
    "conditions in another order": (PLAIN, "t.a = u.a", "u.a = t.a"),
    "an unused column": (GROUPS, "select id, s,", "select id, id + 1 as more, s,"),
}


def difference(one: str, other: str) -> str:
    """Return the first operator that differs, without its number."""
    first, second = (SinkPlan.of("sql", text, DDL) for text in (one, other))
    found = first_difference((first.plan, second.plan), (first.keys, second.keys))
    name, _, rest = found.partition(", ")
    return f"{name}{' removed' if 'removed' in rest else ''}"


@pytest.mark.parametrize("case", PLANTED.values(), ids=PLANTED)
def test_the_operator_with_the_planted_edit_is_named(case: tuple[str, str, str, str]) -> None:
    text, old, new, operator = case
    assert text.count(old) == 1
    assert difference(text, text.replace(old, new)) == operator


@pytest.mark.parametrize("case", REUSED.values(), ids=REUSED)
def test_nothing_differs_after_an_edit_that_changes_nothing(case: tuple[str, str, str]) -> None:
    text, old, new = case
    assert old in text
    assert difference(text, text.replace(old, new)) == ""


def test_an_operator_of_a_table_that_nothing_depends_on_is_not_named() -> None:
    unused = "select id from (select id, a + 1 as x from t) where id > {}"
    edited = unused.replace("a + 1", "a + 2").format(2)
    assert difference(unused.format(1), edited) == "filter"


def test_a_scan_of_a_column_with_another_type_is_named() -> None:
    one, other = (
        SinkPlan.of("sql", "select s from t where id > 1", ddl)
        for ddl in (DDL, DDL.replace("id integer", "id bigint"))
    )
    found = first_difference((one.plan, other.plan), (one.keys, other.keys))
    assert found == "scan of t, operator 1 of 3"


def test_the_question_names_the_operator(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    for name, rows in TABLES.items():
        flow.table(name, rows)
    flow.execute(flow.add(PLAIN), PLAIN, "t", "u")
    edited = PLAIN.replace(" left join", " join").replace(" u ", " u as v ").replace("u.", "v.")
    found = why_not_reused(flow.layout, f"flow@r{flow.add(edited)}")
    assert (found.nearest, found.operator) == ("flow@r1", "join, operator 3 of 5")
    same = why_not_reused(flow.layout, f"flow@r{flow.add(PLAIN.replace('t.b = 1', '1 = t.b'))}")
    assert (same.reused, same.operator, same.changes) == (True, "", ())
