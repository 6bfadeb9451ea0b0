"""No part of a serialised plan is overlooked: each part of each node is changed, one at a time.

DuckDB's own serialiser lists the parts: with ``skip_default := false`` it writes every argument of
every node, including arguments that are not set. The changed plan must have another key, or be
opaque.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from helpers.sampled import one_in
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.from_duckdb import Translation
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import PlanForm, doubts

DDL = """create table t(a integer primary key, b varchar, d decimal(10, 2), l integer[]);
    create table u(a integer, e varchar)"""
QUERIES = (
    "select t.a + 1, b, d from t left join u on t.a = u.a and t.b < u.e or t.d > 3",
    "select a, b, d from t join u using (a)",
    "select a from t semi join u using (a)",
    "select b, count(distinct a) filter (where a > 1), sum(d order by a), grouping(b) from t "
    "group by rollup(b) having count(*) > 1",
    "select distinct b from t union all select e from u",
    "select a from t except all select a from u",
    "select a from t intersect select a from u",
    "select a, sum(d) filter (where a > 1) over (partition by b order by a rows between 1 "
    "preceding and 2 following exclude ties), lag(d, 2, 0) over (order by a) from t",
    "select case when a in (1, 2) then b else 'x' end, try_cast(b as integer) from t "
    "where b is not null and not a > 3 and b like 'x%'",
    "select a, b from t order by a desc nulls first limit 3 offset 1",
    "select unnest(l), a, b, d from t",
    "select x, y from (values (1, 'a'), (2, 'b')) v(x, y)",
    "with q as (select a, b from t) select q.a, r.b from q, q r",
    "select a from t where a in (select u.a from u where u.e = t.b)",
    "select a from t where a > (select avg(a) from u)",
    "select a from t where a > (select u.a from u where e = 'x')",
    "select a from t where exists (select * from u where e = 'x')",
    "select coalesce(b, 'x'), a is null, b not in ('x', 'y'), rank() over (order by a) from t "
    "where a is distinct from 3",
)
NUMBERED = {
    "alias", "query_location", "query_location_length", "table_index", "is_operator", "catalog",
    "has_serialize", "input_table_names", "group_index", "aggregate_index", "groupings_index",
    "mark_index", "unnest_index", "window_index", "cte_index", "column_count", "ctename", "schema",
    "table", "bound_columns", "materialize",
}  # fmt: skip
"""Names and numbers that DuckDB assigns and that do not affect the result."""
LISTS = {"names", "returned_types", "column_indexes", "chunk_types", "children"}
"""Lists whose elements are only changed: an added element would not be read."""
OTHERS = {
    "aggregate_type": {"DISTINCT", "NON_DISTINCT"},
    "join_type": {"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "MARK", "SINGLE"},
    "null_order": {"NULLS FIRST", "NULLS LAST"},
    "comparison": {"COMPARE_EQUAL", "COMPARE_LESSTHAN", "COMPARE_NOT_DISTINCT_FROM"},
    "exclude_clause": {"NO_OTHER", "CURRENT_ROW", "GROUP", "TIES"},
    "start": {"UNBOUNDED_PRECEDING", "CURRENT_ROW_RANGE", "EXPR_PRECEDING_RANGE"},
    "end": {"UNBOUNDED_FOLLOWING", "CURRENT_ROW_RANGE", "EXPR_FOLLOWING_RANGE"},
    "distinct_type": {"DISTINCT", "DISTINCT_ON"},
    "type": {"ASCENDING", "DESCENDING", "CONJUNCTION_AND", "CONJUNCTION_OR", "COMPARE_EQUAL"},
}
"""Values that the translation supports, and therefore does not refuse."""
Path = tuple[str | int, ...]


def _serialised(database: EmptyDatabase, text: str, skip: bool) -> Any:
    query = f"select json_serialize_plan(?, skip_default := {str(skip).lower()})"
    (found,) = database.con.execute(query, [text]).fetchall()[0]
    return json.loads(found)["plans"][0]


def _parts(full: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the value of each part of a plan."""
    if isinstance(full, dict):
        for key, value in full.items():
            yield (*path, key), value
            yield from _parts(value, (*path, key))
    if isinstance(full, list):
        for at, value in enumerate(full):
            yield from _parts(value, (*path, at))


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"trap {value}"
    return [*value, {"trap": 1}] if isinstance(value, list) else {**(value or {}), "trap": 1}


def _set(plan: Any, path: Path, value: Any) -> Any | None:
    """Return the plan with another value at ``path``, or None if it lacks the node there."""
    changed = copy.deepcopy(plan)
    node = changed
    for step in path[:-1]:
        if isinstance(node, dict) and step not in node:
            return None
        node = node[step]
    node[path[-1]] = value
    return changed


def _keyed(database: EmptyDatabase, node: Any) -> tuple[str, bool]:
    root = Translation(database.facts).operator(node)
    plan = PlanForm("duckdb", "0", (), tuple("abcdefgh"[: len(root.columns)]), root)
    return plan_keys(plan).whole, bool(doubts(plan))


def _is_refused(database: EmptyDatabase, node: Any, key: str) -> bool:
    try:
        found, doubtful = _keyed(database, node)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return True
    return doubtful or found != key


def _traps(plan: Any, full: Any) -> Iterator[tuple[Path, Any]]:
    for path, value in _parts(full):
        further = isinstance(value, list) and path[-1] in LISTS
        if NUMBERED & set(path) or further or _is_unread(full, path):
            continue
        others = OTHERS.get(str(path[-1]), set()) - {value} if isinstance(value, str) else set()
        for other in (_changed(value), *sorted(others)):
            if (changed := _set(plan, path, other)) is not None:
                yield path, changed


@pytest.fixture(scope="module")
def database() -> Iterator[EmptyDatabase]:
    with empty_database(DDL) as found:
        yield found


@pytest.mark.parametrize("text", one_in(4, QUERIES))
def test_every_part_of_every_node_changes_the_key(database: EmptyDatabase, text: str) -> None:
    plan, full = (_serialised(database, text, skip) for skip in (True, False))
    key, doubtful = _keyed(database, plan)
    assert not doubtful
    traps = list(_traps(plan, full))
    assert len(traps) > 30
    assert [path for path, changed in traps if not _is_refused(database, changed, key)] == []


@pytest.mark.long
def test_the_queries_have_parts_of_many_kinds(database: EmptyDatabase) -> None:
    kinds = set()
    for text in QUERIES:
        plan, full = (_serialised(database, text, skip) for skip in (True, False))
        kinds |= {(_kind(full, path), path[-1]) for path, _ in _traps(plan, full)}
    assert len(kinds) > 150


def _is_unread(full: Any, path: Path) -> bool:
    """Return whether ``path`` is inside a table column that the scan does not read."""
    node = full
    for at, step in enumerate(path):
        if step in ("names", "returned_types") and len(path) > at + 1:
            return path[at + 1] not in [each.get("index", 0) for each in node["column_indexes"]]
        node = node[step]
    return False


def _kind(full: Any, path: Path) -> str:
    """Return the type of the node that contains the part at ``path``."""
    node, kind = full, str(full.get("type", ""))
    for step in path[:-1]:
        node = node[step]
        kind = str(node.get("type", step)) if isinstance(node, dict) else kind
    return kind
