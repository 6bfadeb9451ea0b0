"""Reading a node of a serialised plan in which no part may stay unread."""

import json
from typing import Any, Self

SPELLING = {
    "alias", "query_location", "query_location_length", "table_index", "is_operator",
    "has_serialize", "input_table_names",
}  # fmt: skip
"""Parts that do not change a result: places in the text, and numbers that DuckDB gives."""
NO_INDEX = 1 << 64


class NotTranslated(Exception):
    """The error for a part of a plan that has no certain translation."""


class NodeReader:
    """A node whose parts are taken one by one; leaving the block checks that none remains."""

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
        """Leave out parts that only number what the plan contains."""
        for part in parts:
            self._left.pop(part, None)

    def expect(self, **parts: Any) -> None:
        """Raise NotTranslated if a part is set and is not this value."""
        for part, value in parts.items():
            if self._left.pop(part, value) != value:
                raise NotTranslated(f"{self.kind} with {part}")


def path_of(part: Any) -> list[str]:
    """Return a name with the names that it is in."""
    with NodeReader(part) as node:
        return list(map(str, node.take("path")))


def canonical(part: Any) -> str:
    """Return a part of a plan as one text, with nothing left out."""
    return json.dumps(part, sort_keys=True, separators=(",", ":"))


def type_text(part: Any) -> str:
    """Return a type as a text. Raises NotTranslated if it has a collation or a time zone."""
    text = part["id"] if set(part) == {"id"} else canonical(part)
    if '"collation"' in text:
        raise NotTranslated("a collation")
    if "TIME ZONE" in text:
        raise NotTranslated("a time zone")
    return str(text)
