"""Marks in a text of SQL, each of which stands for one use of a table, a view or a macro.

A generated text has marks, so that the oracle can replace one use only. No parser is needed for it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MARK = re.compile("«([^|»]*)[|]([^|»]*)[|]([^|»]*)»")


@dataclass(frozen=True)
class Use:
    """One use: the key of the object, its name in the text, and whether no alias follows it."""

    key: str
    written: str
    flags: str = ""

    def mark(self) -> str:
        """Return the text that stands for the use. ``b`` in ``flags``: bare, without an alias."""
        return f"«{self.key}|{self.written}|{self.flags}»"


def uses(text: str) -> list[Use]:
    """Return the uses in a text, in their order."""
    return [Use(*found.groups()) for found in MARK.finditer(text)]


def render(text: str, names: Mapping[int, str] | None = None) -> str:
    """Return SQL; ``names`` replaces some uses, which are counted from 0."""
    at = -1

    def one(found: "re.Match[str]") -> str:
        nonlocal at
        at += 1
        use = Use(*found.groups())
        if names is None or at not in names:
            return use.written
        plain = use.written.rsplit(".", 1)[-1]
        return f"{names[at]} as {plain}" if "b" in use.flags else names[at]

    return MARK.sub(one, text)


def mapped(text: str, change: Callable[[Use], Use]) -> str:
    """Return a text whose uses are changed."""
    return MARK.sub(lambda found: change(Use(*found.groups())).mark(), text)
