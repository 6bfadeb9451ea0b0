"""The collations of columns, under which DuckDB may treat different strings as equal."""

import json
from typing import Any

import duckdb

from .bound import NotBound, bound
from .not_covered import REWRITE, NotCovered


def collations(con: duckdb.DuckDBPyConnection, sql: str) -> dict[int, str]:
    """Return, by position, the collation of each column of a query that has a collation.

    Raises NotCovered for a string with a collation that is nested in another value, and for a query
    whose plan DuckDB cannot write as JSON.
    """
    try:
        (found,) = bound(con, sql)
    except NotBound:
        raise _refusal() from None
    plan = json.loads(found.text)["plans"][0]
    while "expressions" not in plan and plan.get("children"):
        plan = plan["children"][-1]  # WITH queries come before the query
    kinds = [each["return_type"] for each in plan.get("expressions", [])]
    return {at: name for at, kind in enumerate(kinds) if (name := _collation(kind))}


def _collation(kind: dict[str, Any]) -> str:
    name = (kind.get("type_info") or {}).get("collation", "")
    if not name and '"collation"' in json.dumps(kind):
        raise _refusal()
    return str(name)


def _refusal() -> NotCovered:
    return NotCovered("Lineage of collations in nested values is not supported", "", REWRITE)
