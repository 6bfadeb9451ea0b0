"""Convert Neo4j's values to plain Python values, for printed tables, CSV and JSON."""

import base64
import math
from collections.abc import Mapping
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point


def plain(value: Any) -> object:
    """Return a value as text, a number, a boolean, None, or lists and dicts of these."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no infinity and no NaN
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, Node):
        return _node(value)
    if isinstance(value, Relationship):
        return _relationship(value)
    if isinstance(value, Path):
        return {
            "nodes": [_node(node) for node in value.nodes],
            "relationships": [_relationship(step) for step in value.relationships],
        }
    return _compound(value)


def _compound(value: Any) -> object:
    if isinstance(value, Point):
        return {"srid": value.srid, "coordinates": list(value)}
    if hasattr(value, "iso_format"):  # dates, times and durations; a duration is also a tuple
        return value.iso_format()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    return str(value)


def _node(node: Node) -> dict[str, object]:
    return {
        "element": node.element_id,
        "labels": sorted(node.labels),
        "properties": {key: plain(value) for key, value in node.items()},
    }


def _relationship(step: Relationship) -> dict[str, object]:
    start, end = step.nodes
    return {
        "type": step.type,
        "start": start.element_id if start else None,
        "end": end.element_id if end else None,
        "properties": {key: plain(value) for key, value in step.items()},
    }
