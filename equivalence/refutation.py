"""The search for small contents of tables for which two queries return different rows."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import duckdb

from provhouse.sql.time_limit import seconds_left

from .empty_database import EmptyDatabase
from .plan_form import PlanForm
from .random_rows import RandomRows

FIRST, MORE = 6, 18
"""The numbers of random databases that are tried before a proof, and then if the proof fails."""
SEED = 38
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Example:
    """Contents of tables for which two queries return different rows."""

    tables: dict[str, list[Row]]
    only_first: list[Row]
    only_second: list[Row]


class Refutation:
    """The random databases in which two queries are executed, and the outcome."""

    def __init__(
        self, database: EmptyDatabase, texts: tuple[str, str], plans: tuple[PlanForm, PlanForm]
    ) -> None:
        self._database, self._texts = database, texts
        self._random_rows = RandomRows(database, plans, SEED)
        self._tried = self._with_rows = self._limited = 0

    def example(self, databases: int) -> Example | None:
        """Try further databases; return the first contents for which the rows differ, or None."""
        for _ in range(databases):
            self._random_rows.fill()
            self._tried += 1
            one, other = map(self._rows, self._texts)
            seconds_left()  # raises TooSlow after an interrupted query
            if one is not None and other is not None and one != other:
                lost, gained = list((one - other).elements()), list((other - one).elements())
                return Example(self._random_rows.rows(), lost, gained)
            self._with_rows += bool(one)
        return None

    def outcome(self) -> str:
        """Return the verdict of the executions when none of them showed different rows."""
        found = f"{self._tried} random databases show no difference"
        if self._limited:
            found += f", but {self._limited} executions need more memory than they may use"
        return found if self._with_rows else f"{found}, but none of them gives rows"

    def _rows(self, text: str) -> Counter[Row] | None:
        """Return the rows of a query as a multiset, or None if the query ends with an error."""
        try:
            return Counter(map(_hashable, self._database.con.execute(text).fetchall()))
        except duckdb.OutOfMemoryException:
            self._limited += 1
        except duckdb.Error:
            pass
        return None


def _hashable(row: Row) -> Row:
    """Return a row in which lists are strings, and NaN is equal to itself."""
    return tuple(repr(each) if isinstance(each, list | dict | float) else each for each in row)
