"""Convert Neo4j's values to plain Python values, for printed tables, CSV and JSON."""

import base64
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from provhouse.runtime.packages import Deferred

if TYPE_CHECKING:
    import neo4j
else:
    neo4j = Deferred("neo4j")


def plain(value: Any) -> object:
    """Return a value as a string, a number, a boolean, None, or lists and dicts of these."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no infinity and no NaN
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, neo4j.graph.Node):
        return _node(value)
    if isinstance(value, neo4j.graph.Relationship):
        return _relationship(value)
    if isinstance(value, neo4j.graph.Path):
        return {
            "nodes": [_node(node) for node in value.nodes],
            "relationships": [_relationship(step) for step in value.relationships],
        }
    return _compound(value)


def _compound(value: Any) -> object:
    if isinstance(value, neo4j.spatial.Point):
        return {"srid": value.srid, "coordinates": list(value)}
    if hasattr(value, "iso_format"):  # dates, times and durations; a duration is also a tuple
        return value.iso_format()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    return str(value)


def _node(node: "neo4j.graph.Node") -> dict[str, object]:
    return {
        "element": node.element_id,
        "labels": sorted(node.labels),
        "properties": {key: plain(value) for key, value in node.items()},
    }


def _relationship(step: "neo4j.graph.Relationship") -> dict[str, object]:
    start, end = step.nodes
    return {
        "type": step.type,
        "start": start.element_id if start else None,
        "end": end.element_id if end else None,
        "properties": {key: plain(value) for key, value in step.items()},
    }
