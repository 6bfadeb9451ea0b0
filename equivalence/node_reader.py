"""Read a node of a serialised plan, and make sure that no part remains unread."""

import json
from typing import Any, Self

SPELLING = {
    "alias", "query_location", "query_location_length", "table_index", "is_operator",
    "has_serialize", "input_table_names",
}  # fmt: skip
"""Parts that do not change a result: positions in the text, and numbers that DuckDB assigns."""
NO_INDEX = 1 << 64


class NotTranslated(Exception):
    """The error for a part of a plan that cannot be translated with certainty."""


class NodeReader:
    """A node whose parts are read one by one; leaving the block checks that none remains."""

    def __init__(self, node: dict[str, Any]) -> None:
        self.kind = str(node.get("type", "node"))
        self._left = {key: each for key, each in node.items() if key not in SPELLING}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is None and self._left:
            raise NotTranslated(f"{self.kind} with {min(self._left)}")

    def take(self, part: str, default: Any = None) -> Any:
        """Return a part, or the default if it is not set."""
        return self._left.pop(part, default)

    def skip(self, *parts: str) -> None:
        """Ignore parts that only number what the plan contains."""
        for part in parts:
            self._left.pop(part, None)

    def expect(self, **parts: Any) -> None:
        """Raise NotTranslated if a part is set and does not have the given value."""
        for part, value in parts.items():
            if self._left.pop(part, value) != value:
                raise NotTranslated(f"{self.kind} with {part}")


def path_of(part: Any) -> list[str]:
    """Return a name with the names of its catalog and schema, as a path."""
    with NodeReader(part) as node:
        return list(map(str, node.take("path")))


def canonical(part: Any) -> str:
    """Return a part of a plan as one string that contains everything."""
    return json.dumps(part, sort_keys=True, separators=(",", ":"))


def type_text(part: Any) -> str:
    """Return a type as a string. Raises NotTranslated if it has a collation or a time zone."""
    text = part["id"] if set(part) == {"id"} else canonical(part)
    if '"collation"' in text:
        raise NotTranslated("a collation")
    if "TIME ZONE" in text:
        raise NotTranslated("a time zone")
    return str(text)
