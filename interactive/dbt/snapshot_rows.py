"""The lineage of the rows of a snapshot: versions of source rows that a run opens or closes.

dbt decides which rows these are. A new row must have the values of exactly one row of the
snapshot's query, and a closed row may differ from its earlier state only in the end of its
validity.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted
from provhouse.workflows.dbt.project import ProjectNode

from .built_row_names import RowNames, snapshot_columns, unique_key
from .model_rows import Derived, ModelRows, refused
from .opened_database import OpenedDatabase
from .rows_compared import values
from .trace_file import Targets, TraceFile

FOUND = "The rows that its query gives are not those that the run has added"


class SnapshotRows:
    """The lineage of snapshots, written to a trace."""

    def __init__(
        self, opened: OpenedDatabase, names: RowNames, trace: TraceFile, models: ModelRows
    ) -> None:
        self._opened, self._names, self._trace, self._models = opened, names, trace, models

    def snapshot(self, node: ProjectNode) -> None:
        """Write the lineage of the rows of a snapshot that this run has opened or closed."""
        built, before = self._opened.stored(node), self._opened.before(node)
        text = self._opened.text(node)
        found = self._models.derived(node, text)
        read = self._opened.stored_aside(node, f"read {node.id}", f"from ({text}\n) limit 0")
        self._opened.insert(read.sql(), found.result.to_arrow())
        was, closed = self._compared(node, built, before)
        opened = np.flatnonzero(was < 0)
        rows = self._read_rows(built, read)
        if (rows[opened] < 0).any():
            raise refused(FOUND)
        names, old = self._named(node, built, before, was, closed)
        self._write_closed(found, names, old, closed)
        also = self._replacing(node, built, read, closed)
        at = np.concatenate([opened, also[0]])
        origin = np.concatenate([rows[opened], also[1]])
        targets = Targets(names.take(pa.array(at)), origin, len(found.result))
        self._models.write(found, targets)

    def _compared(
        self, node: ProjectNode, built: TablePlace, before: TablePlace | None
    ) -> tuple[I64, I64]:
        """Return each row's position before the run (-1 for new rows), and the closed rows."""
        number = self._opened.con.measured(built)[0]
        if before is None:
            return np.full(number, -1), np.empty(0, np.int64)
        added = snapshot_columns(node)
        columns = dict(self._opened.columns(built))
        if columns.keys() != self._opened.columns(before).keys():
            raise refused("Its columns have changed")
        same = {name: kind for name, kind in columns.items() if name != added["valid_to"]}
        id_, end = quoted(added["scd_id"]), quoted(added["valid_to"])
        text = f"""
            with a as ({_numbered(built)}), b as ({_numbered(before)})
            select coalesce(b.nth, -1) as was,
                b.nth is not null and a.{end} is distinct from b.{end} as closed,
                b.nth is null
                    or {values(same, "a")} is not distinct from {values(same, "b")} as kept
            from a left join b on a.{id_} = b.{id_} order by a.nth"""
        found = self._opened.arrow(text)
        was = found["was"].to_numpy()
        kept = bool(np.all(found["kept"].to_numpy()))
        gone = self._opened.con.measured(before)[0] - np.unique(was[was >= 0]).size
        if len(found) != number or gone or not kept:
            raise refused(FOUND)
        return was, np.flatnonzero(found["closed"].to_numpy())

    def _read_rows(self, built: TablePlace, read: TablePlace) -> I64:
        """Return, for each row, the only query row with the same values; -1 for none or several."""
        columns = self._opened.columns(read)
        if not {*columns} <= {*self._opened.columns(built)}:
            raise refused("Its columns have changed")
        text = f"""
            with read as (
                select min(rowid) as nth, count(*) as n, {values(columns)} as row
                from {read.sql()} group by all)
            select case when n = 1 then read.nth else -1 end as nth
            from {built.sql()} a
            left join read on {values(columns, "a")} is not distinct from read.row
            order by a.rowid"""
        found = self._opened.arrow(text)["nth"]
        return np.asarray(found.fill_null(-1).to_numpy(), np.int64)

    def _named(
        self, node: ProjectNode, built: TablePlace, before: TablePlace | None, was: I64, closed: I64
    ) -> tuple[pa.Array, pa.Array]:
        """Store the names of all rows; return them, and the earlier names of closed rows."""
        names, key = self._names, self._names.key(node, built)
        every = np.arange(len(was))
        new = names.named(node, built, key) if key else names.numbered(node, every)
        if before is None:
            names.keep(node, key, new, mixed=False)
            return new, new[:0]
        old = names.in_order(before)
        changed = was < 0
        changed[closed] = True
        chosen = np.where(changed, every + len(old), was)
        mixed = pa.concat_arrays([old, new]).take(pa.array(chosen))
        names.keep(node, key, mixed, mixed=True)
        return mixed, old.take(pa.array(was[closed]))

    def _replacing(
        self, node: ProjectNode, built: TablePlace, read: TablePlace, closed: I64
    ) -> tuple[I64, I64]:
        """Return pairs of a closed row and the query row that replaced it, as two arrays."""
        if not closed.size:
            return closed, closed
        same = " and ".join(f"({_of(k, 'a')}) = ({_of(k, 'r')})" for k in unique_key(node))
        text = f"""
            select a.nth, r.rowid as rid from ({_numbered(built)}) a
            join {read.sql()} r on {same}"""
        found = self._opened.arrow(text)
        at, rows = (np.asarray(found[name].to_numpy(), np.int64) for name in ("nth", "rid"))
        chosen = np.isin(at, closed)
        return at[chosen], rows[chosen]

    def _write_closed(self, found: Derived, names: pa.Array, old: pa.Array, closed: I64) -> None:
        if closed.size:
            op, table = replace(found.op, op=f"{found.op.op}: close"), found.node.name
            self._trace.write(op, table, names.take(pa.array(closed)), table, old, "state")


def _numbered(table: TablePlace) -> str:
    return f"select *, row_number() over (order by rowid) - 1 as nth from {table.sql()}"


def _of(column: str, alias: str) -> str:
    return f"{alias}.{quoted(column)}"
