"""The plans of a connection's queries, by SQL text, and the plans' temporary tables."""

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import duckdb

from provhouse.sql.catalog import Catalog
from provhouse.sql.quoting import quoted

if TYPE_CHECKING:
    from .planning.plan import Plan

PLANS = 500
"""The maximum number of queries whose plans are kept."""


class PlanCache:
    """The plans of one connection. The oldest plans are discarded first."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._plans: dict[str, Plan] = {}
        self._evicted: list[tuple[weakref.ref[Plan], list[str]]] = []
        self.binds_ahead = True
        """Whether DuckDB binds the witness queries of a plan before the query runs.

        It need not if all lineage is asked for at once: then a witness query fails early, too.
        """

    def __contains__(self, query: str) -> bool:
        return query in self._plans

    def get(self, query: str, catalog: Callable[[], Catalog]) -> "Plan":
        """Return the plan of a query."""
        found = self._plans.get(query)
        if found is None:
            from .planning.plan import collector_paused, plan
            from .planning.rehearse import rehearse

            with collector_paused():
                found = plan(self._con, query, catalog())
                rehearse(self._con, found, self.binds_ahead)
            if len(self._plans) >= PLANS:
                oldest = self._plans.pop(next(iter(self._plans)))
                self._evicted.append((weakref.ref(oldest), [name for name, _ in oldest.kept]))
                del oldest
                self._drop_evicted()
            self._plans[query] = found
        return found

    def clear(self) -> None:
        """Discard all plans, and drop their temporary tables."""
        drop(self._con, [name for each in self._plans.values() for name, _ in each.kept])
        drop(self._con, [name for _, names in self._evicted for name in names])
        self._plans.clear()
        self._evicted.clear()

    def _drop_evicted(self) -> None:
        """Drop the temporary tables of discarded plans that no result uses any more."""
        drop(self._con, [name for plan, names in self._evicted if plan() is None for name in names])
        self._evicted = [each for each in self._evicted if each[0]() is not None]


def drop(con: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Drop temporary tables, if they exist."""
    for name in tables:
        con.execute(f"drop table if exists temp.{quoted(name)}").fetchall()
