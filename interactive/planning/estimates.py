"""The number of rows that DuckDB expects a query to group, from its plan."""

import json
from typing import Any

import duckdb

AGGREGATES = ("HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "UNGROUPED_AGGREGATE")
ESTIMATED = "Estimated Cardinality"


def expected_rows(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    """Return the expected number of rows that the outermost GROUP BY reads; 0 if it is unknown."""
    ((_, text),) = con.execute(f"explain (format json) {sql}").fetchall()
    todo: list[Any] = json.loads(text)
    while todo:
        node = todo.pop(0)
        if str(node.get("name", "")).strip() in AGGREGATES:
            return max((_estimated(each) for each in node.get("children", [])), default=0)
        todo = node.get("children", []) + todo
    return 0


def _estimated(node: Any) -> int:
    """Return the estimate of an operator; if it has none, the largest of the operators below it."""
    found = node.get("extra_info", {}).get(ESTIMATED)
    if found is not None:
        return int(str(found).strip("~ "))
    return max((_estimated(each) for each in node.get("children", [])), default=0)
