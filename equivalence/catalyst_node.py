"""Read a node of Spark's analysed plans, and make sure that no argument remains unread.

``PlanText.java`` writes the nodes: ``fields`` contains the arguments by name, and ``others`` the
arguments of further parameter lists.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .node_reader import NodeReader, NotTranslated, canonical
from .plan_form import Column

Node = dict[str, Any]
CATALYST = "org.apache.spark.sql.catalyst."
PACKAGES = (f"{CATALYST}expressions.", f"{CATALYST}plans.logical.", "org.apache.spark.sql.")
"""Package prefixes to remove from class names; the first matching one is removed."""
OBJECT = re.compile(
    r"org\.apache\.spark\.sql\.catalyst\.(?:plans|expressions(?:\.aggregate)?)\.(\w+)\$"
)
ATOMIC = frozenset(
    {"boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary"}
    | {"date", "timestamp", "timestamp_ntz", "void"}
)


class CatalystNode(NodeReader):
    """A node of Catalyst whose arguments are read one by one."""

    def __init__(self, node: Node) -> None:
        self.kind = kind_of(node)
        self.type = node.get("type")
        others = {f"further argument {at}": each for at, each in enumerate(node["others"])}
        self._left = node["fields"] | others

    def rest(self) -> Iterator[tuple[str, Any]]:
        """Yield the names and values of all unread arguments, and mark them as read."""
        while self._left:
            name = next(iter(self._left))
            yield name, self._left.pop(name)


def kind_of(node: Node) -> str:
    """Return the class name of a node, without the package if it is one of Spark's."""
    name = str(node["node"])
    for package in PACKAGES:
        if name.startswith(package):
            return name.removeprefix(package)
    return name


def is_node(part: Any) -> bool:
    """Return whether a part of a plan is a node."""
    return isinstance(part, dict) and "node" in part


def is_plan(part: Any) -> bool:
    """Return whether a part of a plan is an operator."""
    return is_node(part) and "output" in part


def object_of(part: Any) -> str:
    """Return the class name of an object without arguments, such as the type of a join."""
    found = (
        OBJECT.fullmatch(part["object"]) if isinstance(part, dict) and "object" in part else None
    )
    if found is None or part.get("fields"):
        raise NotTranslated("an argument of an unknown class")
    return found[1]


def readable(part: Any) -> str:
    """Return an argument as one string; raise NotTranslated if Spark's value has no string form."""
    text = canonical(part)
    if '"unread":' in text or '"node":' in text:
        raise NotTranslated("an argument of an unknown class")
    return text


def catalyst_type(part: Any) -> str:
    """Return a type as a string. Raises NotTranslated for a type that is not known."""
    if isinstance(part, str) and (part in ATOMIC or part.startswith("decimal(")):
        return part
    for inner in _inner_types(part):
        catalyst_type(inner)
    return canonical(part)


def _inner_types(part: Any) -> list[Any]:
    if isinstance(part, dict):
        if "array" in part:
            return [part["array"]]
        if "map" in part:
            return list(part["map"])
        if "struct" in part:
            return [type_ for _, type_, _, _ in part["struct"]]
    raise NotTranslated(f"the type {part}")


def columns_of(output: Sequence[Any]) -> tuple[Column, ...]:
    """Return the columns of a node's output."""
    return tuple(Column(catalyst_type(type_), nullable) for _, _, type_, nullable, _ in output)
