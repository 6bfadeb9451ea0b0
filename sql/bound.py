"""DuckDB's own reading of a query: the plan that it binds, before it optimises.

provhouse reads SQL with sqlglot, and DuckDB with its own parser and catalogue. A query is accepted
only if both readings agree: provhouse writes its tree as SQL text again, DuckDB must bind this text
to the same plan as the user's text, and the plan must scan the tables that provhouse found.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb

from .catalog import TablePlace
from .scan_order import CHOOSING, KEEPS, in_table_order, renumber

IGNORED = re.compile(
    r'"(?:alias|query_location|query_location_length|table_index)":(?:"(?:[^"\\]|\\.)*"|\d+),?'
)
"""A pattern that matches the parts of a plan that do not affect its result.

Quotes in a plan are escaped.
"""
NAN = re.compile('"value":(-?[A-Z][A-Za-z]*)')
"""A pattern that matches NaN and infinity, which DuckDB does not write as valid JSON.

Quotes are escaped.
"""
SPELLING = {
    "alias", "query_location", "query_location_length", "table_index", "is_operator",
    "bound_columns", "aggregate_index", "group_index", "groupings_index", "window_index",
    "unnest_index", "cte_index", "mark_index", "input_table_names",
}  # fmt: skip
"""The parts in ``IGNORED``, and further parts that depend on spelling, such as letter case."""
TRUE = {
    "expression_class": "BOUND_CONSTANT",
    "type": "VALUE_CONSTANT",
    "value": {"type": {"id": "BOOLEAN"}, "is_null": False, "value": True},
}
PATH = r'\{"path":(\[(?:"(?:[^"\\]|\\.)*",?)*\])'
SCANNED = re.compile(f'"qualified_name":{PATH}')
CALLED = re.compile(f'"qname":{PATH}')


class NotBound(Exception):
    """The error for SQL that DuckDB does not bind, or whose plan DuckDB cannot write as JSON."""


@dataclass(frozen=True)
class Bound:
    """A bound plan as JSON."""

    text: str

    @cached_property
    def scans(self) -> Counter[TablePlace]:
        """The number of scans of each table."""
        return Counter(TablePlace(*json.loads(path)) for path in SCANNED.findall(self.text))

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """The root of each statement's plan."""
        return list(json.loads(self.text)["plans"])

    @property
    def collated(self) -> bool:
        """Whether DuckDB compares strings of the query with a collation."""
        return '"collation"' in self.text

    @cached_property
    def called(self) -> set[str]:
        """The names of the functions that are called, in lower case."""
        return {str(json.loads(path)[-1]).lower() for path in set(CALLED.findall(self.text))}

    def same(self, other: "Bound", names: Mapping[str, str]) -> bool:
        """Return whether two plans compute the same result.

        ``names`` maps each alias of a function to the function's documented name.
        """
        if IGNORED.sub("", self.text) == IGNORED.sub("", other.text):
            return True
        one, two = (json.loads(each.text) for each in (self, other))
        if _Reader(names).plain(one) == _Reader(names).plain(two):
            return True
        one, two = (in_table_order(each["plans"]) for each in (one, two))
        return bool(_Reader(names).plain(one) == _Reader(names).plain(two))


def bound(con: duckdb.DuckDBPyConnection, *texts: str) -> list[Bound]:
    """Return the plans of queries. Raises NotBound if DuckDB refuses one."""
    listed = ", ".join(["json_serialize_plan(?, skip_default := true)"] * len(texts))
    try:
        (plans,) = con.execute(f"select {listed}", list(texts)).fetchall()
    except duckdb.Error as error:
        raise NotBound(str(error)) from None
    for plan in plans:
        if not plan:
            raise NotBound("DuckDB writes no plan of it, as if a bit string is compared to another")
        if plan.startswith('{"error":true'):
            raise NotBound(json.loads(plan)["error_message"])
    return [Bound(NAN.sub(r'"value":"\1"', plan)) for plan in plans]


class _Reader:
    """A reader that converts a plan to a form that does not depend on spelling and numbering."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._ctes: dict[int, int] = {}
        """Maps each WITH query's number in the plan to the query's position in the plan."""

    def plain(self, node: Any) -> Any:
        """Return a part of a plan in a form that does not depend on spelling and numbering."""
        if isinstance(node, list):
            return [self.plain(each) for each in node]
        if not isinstance(node, dict):
            return node
        cte = self._cte(node)
        found = {key: self.plain(each) for key, each in node.items() if key not in SPELLING}
        return _same_form(found | cte, self._names)

    def _cte(self, node: dict[str, Any]) -> dict[str, Any]:
        if "ctename" in node:
            return {"ctename": self._ctes.setdefault(node.get("table_index", 0), len(self._ctes))}
        if node.get("type") == "LOGICAL_CTE_REF":
            return {"cte_index": self._ctes.get(node.get("cte_index", 0))}
        return {}


def _same_form(found: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a plan node in which each function has one name and equal joins have one form."""
    if found.get("condition") == TRUE:
        del found["condition"]  # sqlglot writes a cross join with UNNEST as a join ON TRUE
        if found["type"] == "LOGICAL_ANY_JOIN" and found.get("join_type") == "INNER":
            del found["join_type"]
            found["type"] = "LOGICAL_CROSS_PRODUCT"
    if "conditions" in found:
        found["conditions"].sort(key=json.dumps)  # USING lists columns in another order
    if "qname" in found and "expression_class" in found:
        name = str(found["qname"]["path"][-1]).lower()
        found["qname"] = names.get(name, name)
    if found.get("type") == "BOUND_REF":
        found.setdefault("index", 0)
    if found.get("type") in ("LOGICAL_ORDER_BY", "LOGICAL_LIMIT"):
        return _chosen_last(found)
    return found["children"][0] if _repeats(found) else found


def _chosen_last(node: dict[str, Any]) -> dict[str, Any]:
    """Return an ORDER BY or LIMIT node with the projection below it, if any, moved above it."""
    below: dict[str, Any] = node["children"][0]
    if any(map(node.get, CHOOSING)):
        return node
    del node["children"]
    listed = below["expressions"] if below.get("type") == "LOGICAL_PROJECTION" else [{}]
    if any(each.get("type") != "BOUND_REF" for each in listed):
        return node | {"children": [below]}
    renumber(node, [each["index"] for each in listed])
    return below | {"children": [node | {"children": below["children"]}]}


def _repeats(node: dict[str, Any]) -> bool:
    """Return whether a node only repeats the columns below it, as ``SELECT * FROM (...)`` does."""
    if node.get("type") != "LOGICAL_PROJECTION":
        return False
    found = [(each.get("type"), each.get("index", 0)) for each in node["expressions"]]
    return found == [("BOUND_REF", at) for at in range(_width(node["children"][0]))]


def _width(node: dict[str, Any]) -> int:
    """Return the number of a node's columns, or -1 if it is not known."""
    while node.get("type") in KEEPS and not any(map(node.get, CHOOSING)):
        (node,) = node["children"]
    if node.get("type") == "LOGICAL_PROJECTION":
        return len(node["expressions"])
    if node.get("type") == "LOGICAL_EXPRESSION_GET":
        return len(node["expr_types"])
    return -1
