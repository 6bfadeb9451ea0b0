"""Check the lineage of one generated query by running the query again on cut tables."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import permutations, product

import duckdb
import pyarrow as pa

from provhouse.interactive import Connection
from provhouse.interactive.result import Result
from provhouse.model.errors import UsageError
from provhouse.sql.not_covered import NotCovered

from .compare import brief, exact, loose, shape
from .database import Database, Leaf, Uncut, leaves
from .limits import MEMORY, SECONDS, TooSlow, limited
from .marks import render
from .queries import Text

INVERTED = 0.3
"""The share of queries whose lineage is also tested forward, with an index of all rows."""
Rids = dict[str, list[int]]
HIDDEN = re.compile("__h|__provhouse|sqlglot|pyarrow|__cte|__asked", re.IGNORECASE)
"""Names that a message may contain only if the query contains them too."""


@dataclass
class Outcome:
    """The result of checking one query, and the reason.

    The result is ``invalid``, ``refused``, ``slow``, ``right`` or ``wrong``.
    """

    kind: str
    why: str = ""
    rows: int = 0
    tried: int = 0
    undecided: list[str] = field(default_factory=list)


PAIRED = {"POSITIONAL JOIN", "ASOF JOIN"}
"""Joins whose result in DuckDB is not determined if row order is uncertain or rows tie."""
LIMIT = re.compile(r"\blimit ([0-9]+)(?! ?%|[.0-9])")
"""Matches a LIMIT. DuckDB 2.0 ignores the LIMIT of a query that compares with ALL of no rows."""


class Wrong(Exception):
    """The lineage or the result of a query is wrong."""


def check(con: Connection, plain: Database, text: Text, seed: int, most: int = 2) -> Outcome:
    """Check up to ``most`` rows of a query, and return the outcome for the query."""
    try:
        with limited() as late:
            found = _checked(con, plain, text, seed, most)
    except TooSlow:
        late.append(True)
    return Outcome("slow", f"more than {SECONDS:.0f} s") if late else found


def _checked(con: Connection, plain: Database, text: Text, seed: int, most: int) -> Outcome:
    sql = render(text.body + text.tail)
    try:
        expected = plain.run(sql)
    except (duckdb.Error, pa.ArrowException, OverflowError) as error:
        return Outcome("invalid", str(error).splitlines()[0])
    if (limit := LIMIT.search(text.tail)) and expected.num_rows > int(limit[1]):
        return Outcome("invalid", f"DuckDB returns {expected.num_rows} rows in spite of a LIMIT")
    outcome = Outcome("right", rows=expected.num_rows)
    try:
        result = con.sql(sql, lineage=True)
    except UsageError as error:
        if HIDDEN.search(HIDDEN_IN.sub("", str(error))) and not HIDDEN.search(sql):
            return Outcome("wrong", f"message with a hidden name: {error}")
        kind = "refused" if isinstance(error, NotCovered) else "usage"
        return Outcome(
            "refused", f"{'' if kind == 'refused' else 'UsageError: '}{error}", expected.num_rows
        )
    except duckdb.OutOfMemoryException:
        return Outcome("slow", f"more than {MEMORY}", expected.num_rows)
    except Exception as error:  # any other error that a user would see
        return Outcome("wrong", f"{type(error).__name__} in con.sql: {_first_line(error)}")
    try:
        _same_result(result, expected, text, outcome)
        _Checker(result, plain, text, outcome, random.Random(seed)).run(most)
    except NotCovered as error:  # DuckDB ends with an internal error
        return Outcome("refused", str(error), expected.num_rows)
    except Wrong as wrong:
        return Outcome("wrong", str(wrong), expected.num_rows)
    except duckdb.OutOfMemoryException:
        return Outcome("slow", f"more than {MEMORY}", expected.num_rows)
    except Exception as error:
        return Outcome("wrong", f"{type(error).__name__} later: {_first_line(error)}")
    return outcome


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


HIDDEN_IN = re.compile("in line [0-9]+, column [0-9]+")


def _same_result(result: Result, expected: pa.Table, text: Text, outcome: Outcome) -> None:
    found = result.to_arrow()
    if shape(found) != shape(expected):
        raise Wrong(f"other columns: {shape(found)} instead of {shape(expected)}")
    one, two = exact(found), exact(expected)
    if Counter(one) != Counter(two):
        message = f"other rows: {brief(one)} instead of {brief(two)}"
        paired = text.tags & PAIRED
        if not text.chooses or (len(one) != len(two) and not paired):
            raise Wrong(message)
        outcome.undecided.append(message)  # DuckDB may choose any of the rows
    elif text.ordered and loose(found) != loose(expected):
        raise Wrong(f"another order: {brief(one)} instead of {brief(two)}")


class _Checker:
    """A check of the lineage of one result."""

    def __init__(
        self, result: Result, plain: Database, text: Text, outcome: Outcome, rng: random.Random
    ) -> None:
        self._result, self._plain, self._text = result, plain, text
        self._outcome, self._rng = outcome, rng
        self._leaves = leaves(text.body + text.tail)
        self._refs = _matched(result, self._leaves)
        self._rows = loose(result.to_arrow())
        self._negative = set(result.negative)

    def run(self, most: int) -> None:
        """Check at most ``most`` rows of the result."""
        number = len(self._rows)
        chosen = sorted(self._rng.sample(range(number), min(most, number)))
        found = {row: self._records(row) for row in chosen}
        for row in chosen:
            self._row(row, found[row])
        if self._rng.random() > INVERTED:
            return
        for name in self._result.references if chosen else []:
            pairs = {(row, rid) for row in chosen for rid in found[row][name]}
            self._inverse(name, pairs, whole=len(chosen) == number)

    def _records(self, row: int) -> Rids:
        return {
            name: self._result.backward(name, [row]).rids.tolist()
            for name in self._result.references
        }

    def _row(self, row: int, rids: Rids) -> None:
        self._outcome.tried += 1
        try:
            if any(self._back(row, keep) for keep in self._tries(rids)):
                self._needed(row, rids)
                self._complete(row, rids)
                return
            if not self._back(row, {}):
                self._outcome.undecided.append("the text for the oracle differs")
                return
        except Uncut:
            self._outcome.undecided.append("a table is used too often")
            return
        except duckdb.Error as error:
            self._outcome.undecided.append(f"cut text fails: {str(error).splitlines()[0]}")
            return
        listed = ", ".join(f"{name} {found}" for name, found in rids.items())
        message = f"row {row} {brief([self._rows[row]])} does not come back from {listed}"
        if self._text.fragile or self._text.chooses:
            self._outcome.undecided.append(message)
        else:
            raise Wrong(message)

    def _needed(self, row: int, rids: Rids) -> None:
        """Fail if the row survives without its records of one reference."""
        if not self._text.sure or self._text.fragile or self._text.chooses or self._text.tail:
            return
        for at, (names, _) in self._refs.items():
            found = sorted({rid for name in names for rid in rids[name]})
            if self._text.single and len(names) == 1 and len(found) > 1:
                raise Wrong(f"row {row} has {len(found)} records of {names[0]}: {found}")
            if found and len(names) == 1:
                left = loose(self._plain.cut(self._text.body, {at: found}, without=True))
                if left.count(self._rows[row]) >= self._rows.count(self._rows[row]):
                    raise Wrong(f"row {row} does not need {found} of {names[0]}")

    def _complete(self, row: int, rids: Rids) -> None:
        """Fail if the row is still in the result after all its records have been deleted."""
        found = {
            at: sorted({rid for name in names for rid in rids[name]})
            for at, (names, _) in self._refs.items()
        }
        if not self._text.monotone or not any(found.values()):
            return
        left = loose(self._plain.cut(self._text.body, found, without=True))
        if left.count(self._rows[row]) >= self._rows.count(self._rows[row]):
            raise Wrong(f"row {row} {brief([self._rows[row]])} is still there without {rids}")

    def _back(self, row: int, keep: dict[int, list[int]]) -> bool:
        """Return whether a row is in the result of the query on cut tables."""
        return self._rows[row] in loose(self._plain.cut(self._text.body, keep))

    def _tries(self, rids: Rids) -> Iterator[dict[int, list[int]]]:
        """Yield combinations of cuts: for each leaf that is cut, the row ids that it keeps.

        Leaves with negative references are cut in the first round, and stay uncut in the second.
        """
        number = len(leaves(self._text.body))
        for whole in (set[str](), self._negative):
            for names in _orders(self._refs):
                yield {
                    at: sorted({rid for name in listed for rid in rids[name]})
                    for at, listed in names.items()
                    if at < number and not set(listed) & whole
                }

    def _inverse(self, name: str, pairs: set[tuple[int, int]], whole: bool) -> None:
        rids = {rid for _, rid in pairs}
        rows = {row for row, _ in pairs}
        for rid in sorted(rids)[:2]:  # the first call makes an index, which backward then reads
            forward = set(self._result.forward(name, [rid]).tolist())
            expected = {row for row, each in pairs if each == rid}
            if forward & rows != expected or (whole and forward != expected):
                raise Wrong(f"forward is not the inverse of backward for {name} {rid}: {forward}")
        every = set(self._result.backward(name).rids.tolist())
        if not rids <= every or (whole and rids != every):
            raise Wrong(f"backward of all rows differs from that of each for {name}")


def _matched(result: Result, found: list[Leaf]) -> dict[int, tuple[list[str], int]]:
    """Return each leaf's possible references, and the number of its top-level use.

    A table in an unread WITH query has no reference, so rows must reappear without that table.
    """
    matched: dict[int, tuple[list[str], int]] = {}
    for table in {leaf.table for leaf in found}:
        own = [at for at, leaf in enumerate(found) if leaf.table == table]
        names = [
            name for name, place in zip(result.references, result.tables, strict=True)
            if f"{'temp' if place.database == 'temp' else place.schema}.{place.name}".lower()
            == table.replace('"', "").lower()
        ]  # fmt: skip
        for index, at in enumerate(own):
            matched[at] = ([names[index]] if len(names) == len(own) else names, found[at].top)
    return matched


def _orders(
    matched: dict[int, tuple[list[str], int]],
) -> Iterator[dict[int, list[str]]]:
    """Yield all assignments of one table's references to the leaves of one view or macro."""
    groups: dict[tuple[int, str], list[int]] = {}
    for at, (names, top) in matched.items():
        groups.setdefault((top, names[0].partition("#")[0] if names else ""), []).append(at)
    several = [own for own in groups.values() if len(own) > 1]
    choices: Iterable[tuple[tuple[int, ...], ...]] = product(
        *(permutations(own) for own in several)
    )
    for number, choice in enumerate(choices):
        if number >= 12:
            return
        found = {at: names for at, (names, _) in matched.items()}
        for own, order in zip(several, choice, strict=True):
            for at, other in zip(own, order, strict=True):
                found[at] = matched[other][0]
        yield found
