"""Read from DuckDB's plan how many rows it expects a query to group."""

import json
from typing import Any

import duckdb

AGGREGATES = ("HASH_GROUP_BY", "PERFECT_HASH_GROUP_BY", "UNGROUPED_AGGREGATE")
ESTIMATED = "Estimated Cardinality"


def expected_rows(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    """Return the number of rows that the outermost GROUP BY is expected to read; 0 if unknown."""
    ((_, text),) = con.execute(f"explain (format json) {sql}").fetchall()
    todo: list[Any] = json.loads(text)
    while todo:
        node = todo.pop(0)
        if str(node.get("name", "")).strip() in AGGREGATES:
            return max((_estimated(each) for each in node.get("children", [])), default=0)
        todo = node.get("children", []) + todo
    return 0


def _estimated(node: Any) -> int:
    """Return an operator's estimate; if it has none, the largest estimate of its inputs."""
    found = node.get("extra_info", {}).get(ESTIMATED)
    if found is not None:
        return int(str(found).strip("~ "))
    return max((_estimated(each) for each in node.get("children", [])), default=0)
