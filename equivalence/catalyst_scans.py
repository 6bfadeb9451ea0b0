"""The identity of the tables and files that Spark's plans read."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .catalyst_node import Node, is_node, kind_of
from .node_reader import NotTranslated, canonical

RELATION = "execution.datasources.LogicalRelation"
PLACES = frozenset({"path", "paths", "serialization.format"})
"""Options that repeat the location of the files."""
PARSED = frozenset({"csv", "json", "xml"})
"""Formats for which a malformed record's values depend on the columns that a query reads."""


@dataclass(frozen=True)
class FilesRead:
    """A table or folder that a plan reads."""

    table: tuple[str, ...]
    """The name of its scan in the plan form."""
    paths: tuple[str, ...]
    format: str
    version: int | None
    """The version of a Delta table; None for other formats."""


def files_read(plan: Any) -> Iterator[FilesRead]:
    """Yield the files and tables that a Spark plan reads, in the order of its scans."""
    if is_node(plan) and kind_of(plan) == RELATION:
        relation, table = plan["fields"]["relation"], plan["fields"]["catalogTable"]
        if isinstance(relation, dict) and "paths" in relation:
            paths, format_ = tuple(sorted(relation["paths"])), relation["format"].split(" ")[0]
            name = tuple(table["table"]) if table else paths
            yield FilesRead(name, paths, format_, relation.get("snapshot"))
    inner = plan.values() if isinstance(plan, dict) else plan if isinstance(plan, list) else ()
    for each in inner:
        yield from files_read(each)


def scanned(
    node: Node, relation: Any, table: Any, plan: Node
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a table's name or the files' paths, and all options that affect how they are read.

    Raises NotTranslated for any other source.
    """
    if not isinstance(relation, dict) or "paths" not in relation:
        raise NotTranslated("a source that is neither a table nor files")
    for _, name, _, _, metadata in node["output"]:
        if any(key.endswith("metadata_col") for key in json.loads(metadata)):
            raise NotTranslated(f"the column {name}, which describes files")
    options = [pair for pair in relation["options"] if pair[0] not in PLACES]
    format_ = relation["format"].split(" ")[0]
    read: list[str] = []
    if format_ in PARSED:
        if any(name == "mode" and value.lower() == "dropmalformed" for name, value in options):
            raise NotTranslated("records that are dropped if a column that is read is malformed")
        read = [canonical(relation["data"]), canonical(_columns_read(node, plan))]
    version = ["version", str(relation["pinned"])] if relation.get("pinned") is not None else []
    place = table["table"] if table else sorted(relation["paths"])
    kind = ["table"] if table else ["files", relation["format"]]
    how = [canonical(options), canonical(relation["partitions"])]
    return tuple(place), (*kind, *version, *how, *read)


def _columns_read(node: Node, plan: Node) -> list[str]:
    """Return the names of the scan's columns that the plan reads."""
    used = {str(each[0]) for each in plan["output"]} | set(_references(plan))
    return [name for id_, name, *_ in node["output"] if id_ in used]


def _references(part: Any) -> list[str]:
    if is_node(part):
        if kind_of(part) == "AttributeReference":
            return [str(part["others"][0])]
        if kind_of(part) == RELATION:
            return []
        part = [part["fields"], part["others"]]
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [each for one in inner for each in _references(one)]
