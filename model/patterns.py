"""The pattern of a table, which determines the names of the items that are its row ids."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from .errors import UsageError

USUAL = "{table}/{id}"
"""The pattern of a table for which no pattern is declared."""
_SIGNED, _DIGITS = re.compile(r"-?[0-9]*"), re.compile(r"[0-9]*")


@dataclass(frozen=True, order=True)
class Pattern:
    """The strings before and after the id in the names of a table's rows."""

    before: str
    after: str = ""

    def name(self, key: str) -> str:
        """Return the name of the row with this id or key."""
        return f"{self.before}{key}{self.after}"


def usual_pattern(table: str) -> Pattern:
    """Return the pattern of a table for which no pattern is declared: ``TABLE/ID``."""
    return Pattern(f"{table}/")


def pattern_of(table: str, declared: Mapping[str, Pattern]) -> Pattern:
    """Return the declared pattern of a table, or the usual pattern if none is declared."""
    return declared.get(table) or usual_pattern(table)


def declared_patterns(texts: Mapping[str, str]) -> dict[str, Pattern]:
    """Return the patterns that strings such as ``INV-{id}`` declare for tables.

    Raises UsageError for a string that is not a pattern.
    """
    return {table: _declared(table, text) for table, text in texts.items()}


def _declared(table: str, text: str) -> Pattern:
    before, _, after = text.partition("{id}")
    if not table or text.count("{id}") != 1 or "{table}" in after:
        raise UsageError(
            f"{text!r} is not a pattern of a table",
            "A pattern has {id} once, and {table} only before it" if table else "No table is named",
            f"Write a pattern such as INV-{{id}}; the usual pattern is {USUAL}",
        )
    pattern = Pattern(before.replace("{table}", table), after)
    if re.search(r"@-?[0-9]*$", pattern.before) and _DIGITS.fullmatch(after):
        raise UsageError(
            f"The pattern {text!r} of {table} gives names that look like versions of other names",
            "A name that ends with @ and digits is a version of the name before it",
            "Choose another character than @",
        )
    return pattern


def check_apart(patterns: Mapping[str, Pattern]) -> None:
    """Raise UsageError if two row ids could share a name under these patterns or the usual ones."""
    declared = [table for table, each in patterns.items() if each != usual_pattern(table)]
    for table in declared:
        pattern = patterns[table]
        found = re.fullmatch(r"(.+)/(-?[0-9]*)", pattern.before, re.DOTALL)
        if found and _DIGITS.fullmatch(pattern.after):  # a usual name ends so, too
            raise _clash(table, pattern, found[1], usual_pattern(found[1]))
        if found := re.fullmatch(r"(.*)/-?[0-9]+", pattern.after, re.DOTALL):
            other = f"{pattern.before}1{found[1]}"
            raise _clash(table, pattern, other, usual_pattern(other))
    for one, other in combinations(declared, 2):
        if _meet(patterns[one], patterns[other]):
            raise _clash(one, patterns[one], other, patterns[other])


def _meet(one: Pattern, other: Pattern) -> bool:
    """Return whether the same string can be the name of a row id under both patterns."""
    short, long = sorted((one.before, other.before), key=len)
    least, most = sorted((one.after, other.after), key=len)
    return (
        long.startswith(short)
        and most.endswith(least)
        and _SIGNED.fullmatch(long[len(short) :]) is not None
        and _DIGITS.fullmatch(most[: len(most) - len(least)]) is not None
    )


def _clash(table: str, pattern: Pattern, other: str, others: Pattern) -> UsageError:
    return UsageError(
        f"The pattern {pattern.name('{id}')!r} of {table} gives names that {other} may also have",
        f"Rows of {other} are named {others.name('{id}')!r}",
        "Choose a pattern whose beginning no other table has, such as INV-{id}",
    )
