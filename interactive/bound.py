"""DuckDB's own reading of a query: the plan that it binds, before it optimises.

provhouse reads SQL with sqlglot, and DuckDB with its own parser and catalogue. A query has lineage
only if both read the same: the text that provhouse writes from its tree must be bound to the plan
of the user's text, and that plan must scan the tables that provhouse found.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb

from .catalog import Place

IGNORED = re.compile(
    r'"(?:alias|query_location|query_location_length|table_index)":(?:"(?:[^"\\]|\\.)*"|\d+),?'
)
"""Parts of a plan that do not change what it computes. Quotes in its texts are escaped."""
SPELLING = {
    "alias", "query_location", "query_location_length", "table_index", "is_operator",
    "bound_columns", "input_table_names",
}  # fmt: skip
"""These parts, and others that depend on how a text is written, such as names by case."""
TRUE = {
    "expression_class": "BOUND_CONSTANT",
    "type": "VALUE_CONSTANT",
    "value": {"type": {"id": "BOOLEAN"}, "is_null": False, "value": True},
}
SCANNED = re.compile(r'"qualified_name":\{"path":(\[[^\]]*\])')
CALLED = re.compile(r'"qname":\{"path":(\[(?:"(?:[^"\\]|\\.)*",?)*\])')


class NotBound(Exception):
    """DuckDB does not bind a text, or cannot write down its plan."""


@dataclass(frozen=True)
class Bound:
    """A bound plan as JSON."""

    text: str

    @cached_property
    def scans(self) -> Counter[Place]:
        """How often each table is scanned."""
        return Counter(Place(*json.loads(path)) for path in SCANNED.findall(self.text))

    @cached_property
    def called(self) -> set[str]:
        """The names of the functions that are called, in lower case."""
        return {str(json.loads(path)[-1]).lower() for path in CALLED.findall(self.text)}

    def same(self, other: "Bound", names: Mapping[str, str]) -> bool:
        """Return whether two plans compute the same; ``names`` has functions with several names."""
        if IGNORED.sub("", self.text) == IGNORED.sub("", other.text):
            return True
        return _plain(json.loads(self.text), names) == _plain(json.loads(other.text), names)


def bound(con: duckdb.DuckDBPyConnection, *texts: str) -> list[Bound]:
    """Return the plans of queries; raise NotBound if DuckDB refuses one."""
    listed = ", ".join(["json_serialize_plan(?, skip_default := true)"] * len(texts))
    try:
        (plans,) = con.execute(f"select {listed}", list(texts)).fetchall()
    except duckdb.Error as error:
        raise NotBound(str(error)) from None
    for plan in plans:
        if plan.startswith('{"error":true'):
            raise NotBound(json.loads(plan)["error_message"])
    return list(map(Bound, plans))


def _plain(node: Any, names: Mapping[str, str]) -> Any:
    """Return a part of a plan in which each function has one name and form."""
    if isinstance(node, list):
        return [_plain(each, names) for each in node]
    if not isinstance(node, dict):
        return node
    found = {key: _plain(each, names) for key, each in node.items() if key not in SPELLING}
    if "ctename" in found:
        found["ctename"] = found["ctename"].lower()
    if found.get("condition") == TRUE:  # sqlglot writes a cross join with UNNEST as a join ON TRUE
        del found["condition"]
        if found.get("type") == "LOGICAL_ANY_JOIN" and found.get("join_type") == "INNER":
            return {"type": "LOGICAL_CROSS_PRODUCT", "children": found["children"]}
    if "qname" in found and "expression_class" in found:
        name = str(found["qname"]["path"][-1]).lower()
        found["qname"] = names.get(name, name)
    return found["children"][0] if _repeats_values(found) else found


def _repeats_values(node: dict[str, Any]) -> bool:
    """Return whether a node is ``SELECT * FROM (VALUES ...)``, as sqlglot writes VALUES."""
    if node.get("type") != "LOGICAL_PROJECTION":
        return False
    if node["children"][0].get("type") != "LOGICAL_EXPRESSION_GET":
        return False
    found = [(each.get("type"), each.get("index", 0)) for each in node["expressions"]]
    return found == [("BOUND_REF", at) for at in range(len(found))]
