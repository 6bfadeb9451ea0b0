"""The edits of a query: earlier results are reused where this is certain to be correct.

The result of an edit may equal an earlier result, or be computed from one in whole or in part.
Results are kept in memory, and discarded when a table may have changed. With a workflow, each edit
is stored in a warehouse too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import duckdb
import pyarrow as pa

from provhouse.equivalence.plan_form import doubts
from provhouse.equivalence.verdict import by_key
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.settings import Settings
from provhouse.sql.catalog import TablePlace
from provhouse.workflows.containment import Contained, ContainingRows, contained
from provhouse.workflows.revision_tables import now
from provhouse.workflows.revisions import SinkPlan

from .table_states import TableStates

if TYPE_CHECKING:
    from .duckdb_session import Connection
    from .edit_revisions import EditRevisions

MOST = 100
"""The number of results that are kept."""
MOST_BYTES = 512 << 20
MOST_TRIED = 8
"""The number of earlier results that are tried as the basis of one edit."""
SCHEMAS = """
    select format('create schema if not exists "{}"', replace(schema_name, '"', '""'))
    from duckdb_schemas() where database_name = current_database() and not internal
    order by all"""
TABLES = """
    select sql from duckdb_tables() where not internal and database_name in (?, 'temp')
    order by table_oid"""
VIEWS = """
    select sql from duckdb_views() where not internal and database_name in (?, 'temp')
    order by view_oid"""


@dataclass(frozen=True)
class Edited:
    """The result of one edit."""

    number: int
    """The number of the edit, counted from 1."""
    rows: pa.Table
    by: Literal["key", "filter", "delta", "computed"]
    """The origin of the rows.

    key: they equal the rows of an earlier result. filter: they were computed from an earlier
    result. delta: they were computed from an earlier result and from the missing rows of the
    tables. computed: they were computed from the tables alone.
    """
    of: int
    """The number of the earlier edit whose result was used; 0 if none was."""
    revision: str = ""
    """The revision of the workflow that the edit is; empty if it is not stored."""


@dataclass(frozen=True)
class _Kept:
    """A result that may be reused."""

    edited: Edited
    plan: SinkPlan
    stored: ContainingRows


class Edits:
    """A session of edits to queries on one connection, and the edits' results."""

    def __init__(self, con: "Connection", revisions: "EditRevisions | None" = None) -> None:
        self._con = con
        self._revisions = revisions
        self._own = duckdb.connect()
        self._number = 0
        self._kept: list[_Kept] = []
        self._states: TableStates | None = None

    def sql(self, query: str) -> Edited:
        """Return the rows of a query, from earlier results if this is certain to be correct.

        Raises UsageError if the file behind a table has changed, and DuckDB's own errors.
        """
        with self._con.lock:
            self._forget_changed()
            self._number += 1
            started, plan = now(), self._plan(query)
            if isinstance(plan, SinkPlan) and not doubts(plan.plan):
                found = self._known(plan) or self._parted(plan) or self._new(query)
                self._keep(found, plan)
            else:  # its rows may differ from run to run
                found = self._new(query)
            if self._revisions is None:
                return found
            name = self._revisions.add(plan, found.rows, found.number, found.of, started)
            return replace(found, revision=name)

    def _new(self, query: str) -> Edited:
        return Edited(self._number, self._computed(query), "computed", 0)

    def _computed(self, query: str) -> pa.Table:
        return self._con.sql(query).to_arrow_table()

    def _plan(self, query: str) -> SinkPlan | BadInput:
        """Return the plan of a query, or the reason why it has none."""
        try:
            return SinkPlan.of("sql", query, self._ddl)
        except BadInput as reason:
            return reason

    @cached_property
    def _ddl(self) -> str:
        """The statements that declare the connection's tables and views."""
        con = self._con.duckdb
        (database,) = con.execute("select current_database()").fetchall()
        rows = con.execute(SCHEMAS).fetchall()
        for query in (TABLES, VIEWS):
            rows += con.execute(query, [*database]).fetchall()
        return ";\n".join(str(text).rstrip(";") for (text,) in rows)

    def _forget_changed(self) -> None:
        """Discard all results if a table may have changed since they were computed."""
        try:
            if self._states:
                self._states.check("", "")
                return
        except UsageError:
            self._kept.clear()
            if self._revisions:
                self._revisions.forget()
            self.__dict__.pop("_ddl", None)
        self._states = TableStates(self._con, self._tables())

    def _tables(self) -> Sequence[TablePlace]:
        """Return all tables of the connection."""
        query = "select database_name, schema_name, table_name from duckdb_tables()"
        return [TablePlace(*row) for row in self._con.duckdb.execute(query).fetchall()]

    def _known(self, plan: SinkPlan) -> Edited | None:
        for each in reversed(self._kept):
            found = by_key((each.plan.keys, plan.keys), ())
            if found and found.kind == "equal" and each.plan.plan.names == plan.plan.names:
                return Edited(self._number, each.edited.rows, "key", each.edited.number)
        return None

    def _parted(self, plan: SinkPlan) -> Edited | None:
        """Compute a query's rows from an earlier result, and the missing rows from the tables."""
        parted: tuple[Contained, _Kept] | None = None
        for each in self._nearest(plan):
            part = contained(plan, each.plan, each.stored, proving=False)
            if part and not part.delta:
                rows = self._own.sql(part.sql).to_arrow_table()
                return Edited(self._number, rows, "filter", each.edited.number)
            if part and parted is None:
                parted = part, each
        if parted is None:
            return None
        part, each = parted
        rows, more = self._own.sql(part.sql).to_arrow_table(), self._computed(part.delta)
        if not rows.schema.equals(more.schema):
            return None
        return Edited(self._number, pa.concat_tables([rows, more]), "delta", each.edited.number)

    def _nearest(self, plan: SinkPlan) -> list[_Kept]:
        """Return the results whose plans share the most operators with ``plan``, best first.

        Of equally good ones, newer results come first.
        """
        mine = Counter(plan.keys.operators)

        def rank(each: _Kept) -> tuple[int, int]:
            return (mine & Counter(each.plan.keys.operators)).total(), each.edited.number

        return sorted(self._kept, key=rank, reverse=True)[:MOST_TRIED]

    def _keep(self, found: Edited, plan: SinkPlan) -> None:
        """Keep a result, and drop the oldest results beyond the limits on number and size."""
        if found.by == "key":
            return
        name = f"result{found.number}"
        self._own.register("given", found.rows)
        self._own.execute(f"create table {name} as from given")
        self._own.unregister("given")
        made = self._own.table(name)
        columns, types = tuple(made.columns), tuple(map(str, made.types))
        self._kept.append(_Kept(found, plan, ContainingRows(columns, types, name, name, "rowid")))
        while len(self._kept) > MOST or self._bytes() > MOST_BYTES:
            self._own.execute(f"drop table {self._kept.pop(0).stored.source}")

    def _bytes(self) -> int:
        return sum(each.edited.rows.nbytes for each in self._kept)


def stored_edits(con: "Connection", workflow: str, warehouse: Path, *, shared: bool) -> Edits:
    """Return a session whose edits become revisions of a workflow in a warehouse.

    Raises UsageError for a connection that other code may use too: not all of its changes are
    noticed, so results might be stored with the wrong states of tables.
    """
    from .edit_revisions import EditRevisions

    if shared:
        raise UsageError(
            "The edits of this connection cannot be stored",
            "DuckDB has opened it, and not all changes of its tables are noticed",
            "Open the file by interactive.connect(PATH)",
        )
    return Edits(con, EditRevisions(con, workflow, Settings.load({"warehouse": warehouse})))
