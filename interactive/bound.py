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
SCANNED = re.compile(r'"qualified_name":\{"path":(\[[^\]]*\])')
CALLED = re.compile(r'"qname":\{"path":(\[(?:"(?:[^"\\]|\\.)*",?)*\])')


class NotBound(Exception):
    """DuckDB does not bind a text, or cannot write down its plan."""


@dataclass(frozen=True)
class Bound:
    """A bound plan as JSON, without names and places in the text."""

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
        if self.text == other.text:
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
    return [Bound(IGNORED.sub("", plan)) for plan in plans]


def _plain(node: Any, names: Mapping[str, str]) -> Any:
    """Return a part of a plan in which each function has one name and form."""
    if isinstance(node, list):
        return [_plain(each, names) for each in node]
    if not isinstance(node, dict):
        return node
    found = {key: _plain(each, names) for key, each in node.items() if key != "is_operator"}
    if "qname" in found and "expression_class" in found:
        name = str(found["qname"]["path"][-1]).lower()
        found["qname"] = names.get(name, name)
    return found
