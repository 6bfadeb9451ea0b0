"""Marks in SQL text. Each mark stands for one use of a table, a view or a macro.

With the marks in a generated query, the oracle can replace a single use without a parser.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MARK = re.compile("«([^|»]*)[|]([^|»]*)[|]([^|»]*)»")


@dataclass(frozen=True)
class Use:
    """One use: the object's key, its name in the SQL text, and whether the use has no alias."""

    key: str
    written: str
    flags: str = ""

    def mark(self) -> str:
        """Return the mark that stands for the use in SQL text.

        The letter ``b`` in ``flags`` means bare: no alias follows.
        """
        return f"«{self.key}|{self.written}|{self.flags}»"


def uses(text: str) -> list[Use]:
    """Return the uses in SQL text, in the order in which they occur."""
    return [Use(*found.groups()) for found in MARK.finditer(text)]


def render(text: str, names: Mapping[int, str] | None = None) -> str:
    """Return the SQL of a text with marks.

    ``names`` replaces some uses. Its keys are the numbers of the uses, counted from 0.
    """
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
    """Return the text after ``change`` has replaced each use."""
    return MARK.sub(lambda found: change(Use(*found.groups())).mark(), text)
