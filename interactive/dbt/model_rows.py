"""The lineage of one model's rows, found by running its compiled SQL again with lineage.

The SQL must return the rows that dbt has built. Otherwise the model is refused, since its rows
might have another lineage.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.errors import ProvhouseError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted
from provhouse.workflows.dbt.project import ProjectNode

from ..index.rid_indexes import Chain
from ..result import Result
from ..saving import gathered
from .built_row_names import RowNames, unique_key
from .model_op import ModelOp, model_op
from .opened_database import BEFORE, NOW, PART, OpenedDatabase
from .rows_compared import same_in_arrow, same_rows
from .trace_file import Targets, TraceFile
from .watermark import watermark_rows


@dataclass(frozen=True)
class Derived:
    """The rows that a model's SQL returns, with their lineage."""

    node: ProjectNode
    result: Result
    op: ModelOp
    chains: Mapping[TablePlace, list[Chain]]
    """For each source table, the indexes from the rows to the records of the table."""


def refused(reason: str) -> NotCovered:
    """Return the error for a model whose lineage is not supported."""
    return NotCovered("Lineage of this model is not supported", reason)


class ModelRows:
    """The lineage of models, written to a trace."""

    def __init__(self, opened: OpenedDatabase, names: RowNames, trace: TraceFile) -> None:
        self._opened, self._names, self._trace = opened, names, trace

    def derived(self, node: ProjectNode, text: str) -> Derived:
        """Run the SQL of a model with lineage. Raises NotCovered if it is not supported."""
        try:
            result = self._opened.con.sql(text, lineage=True)
            tables = {place.name for place in result.tables}
            op = model_op(node.name, node.file, text, result, tables)
        except NotCovered:
            raise
        except ProvhouseError as error:
            raise refused(str(error)) from error
        except duckdb.Error as error:
            raise refused(
                "DuckDB cannot run its compiled SQL on the database as it is now"
            ) from error
        return Derived(node, result, op, self._chains(result))

    def _chains(self, result: Result) -> Mapping[TablePlace, list[Chain]]:
        """Return the indexes of a result's lineage. Raises NotCovered if it cannot be found."""
        try:
            return {place: result.chains(place) for place in result.tables}
        except NotCovered:
            raise
        except ProvhouseError as error:
            raise refused(str(error)) from error
        except duckdb.Error as error:
            raise refused("DuckDB cannot run the query that finds the lineage") from error

    def view(self, node: ProjectNode, text: str) -> None:
        """Write the lineage of a view's rows, and store the rows as the view for later queries."""
        found = self.derived(node, text)
        place = self._opened.stand_in(node, text, found.result.to_arrow())
        self.write(found, Targets(self._names.name_view(node, place)))

    def table(self, node: ProjectNode) -> None:
        """Write the lineage of the rows of a table that is rebuilt completely by its SQL."""
        built = self._opened.stored(node)
        found = self.derived(node, self._opened.text(node))
        if (at := self._matched(found, built, [])) is None:
            raise refused("The rows that its SQL gives are not those of its table")
        self._write_built(found, built, at, pa.array([], pa.string()))

    def incremental(self, node: ProjectNode) -> None:
        """Write the lineage of the rows of an incremental model that this run has made."""
        built, before = self._opened.stored(node), self._opened.before(node)
        if node.parts.rows.get("incremental_strategy") == "microbatch":
            raise refused("It is built in batches (microbatch)")
        if before is None or not self._opened.is_table(before):
            self.table(node)
            return
        for text in self._texts(node, before):
            found = self.derived(node, text)
            kept, names = self._kept_rows(node, found, before)
            if (at := self._matched(found, built, [kept.sql()])) is not None:
                self._write_built(found, built, at, names)
                return
            if (at := self._matched(found, built, [])) is not None:
                self._write_built(found, built, at, names[:0])  # a full refresh
                return
        raise refused("The rows that its SQL gives are not those that the run has added")

    def _texts(self, node: ProjectNode, before: TablePlace) -> list[str]:
        """Return the variants of an incremental model's SQL to try, in order.

        If the model has a watermark, the first variant reads only the earlier rows that determine
        the watermark. The last variant reads all earlier rows.
        """
        whole = self._opened.text(node, {node.id: before})
        rows = watermark_rows(whole, before)
        if rows is None:
            return [whole]
        source = f"from {before.sql()} where rowid in ({rows}) order by rowid"
        place = self._opened.stored_aside(node, PART + node.id, f"select * {source}")
        self._opened.con.changed()
        self._names.name(place, self._names_of(before, f"select rowid as rid {source}"))
        return [self._opened.text(node, {node.id: place}), whole]

    def _kept_rows(
        self, node: ProjectNode, found: Derived, before: TablePlace
    ) -> tuple[TablePlace, pa.Array]:
        """Return the earlier rows that new rows do not replace, as a table, and the rows' names."""
        self._now(found.result, before)
        same = " and ".join(f"n.{quoted(name)} = b.{quoted(name)}" for name in unique_key(node))
        where = f"where not exists (select 1 from {NOW} n where {same})" if same else ""
        source = f"from {before.sql()} b {where} order by b.rowid"
        place = self._opened.stored_aside(node, f"kept {node.id}", f"select b.* {source}")
        return place, self._names_of(before, f"select b.rowid as rid {source}")

    def _names_of(self, place: TablePlace, query: str) -> pa.Array:
        """Return the names of the rows of a table whose row ids ``query`` returns."""
        rids = self._opened.arrow(query)["rid"]
        return self._names.by_rid(place).take(rids.combine_chunks())

    def _now(self, result: Result, typed: TablePlace) -> None:
        """Store the rows of a result in ``NOW``, with the column types of the table ``typed``."""
        self._opened.duckdb.execute(f"create or replace table {NOW} as from {typed.sql()} limit 0")
        try:
            self._opened.insert(NOW, result.to_arrow(), "by name")
        except duckdb.Error:
            raise refused("Its table has other columns than its SQL") from None

    def _matched(self, found: Derived, built: TablePlace, before: list[str]) -> I64 | None:
        """Return, for each row of a built table, the position of the equal expected row.

        The expected rows are the rows of the tables ``before``, followed by the rows that the
        model's SQL returned. Returns None if the rows differ.
        """
        rows = found.result.to_arrow()
        if not before and (at := same_in_arrow(self._opened, built, rows)) is not None:
            return at
        self._now(found.result, built)
        return same_rows(self._opened, built, [*before, NOW])

    def _write_built(self, found: Derived, built: TablePlace, at: I64, kept: pa.Array) -> None:
        """Name the rows of a built table, and write the lineage of its new rows.

        ``at`` contains, for each built row, the position of the equal row in the list of the kept
        rows followed by the new rows. ``kept`` are the names of the kept rows.
        """
        node, names = found.node, self._names
        key = names.key(node, built)
        place = np.empty(len(at), np.int64)
        place[at] = np.arange(len(at))
        place = place[len(kept) :]  # of the new rows
        if key:
            new = names.named(node, built, key).take(pa.array(place))
        else:
            new = names.numbered(node, place)
        every = pa.concat_arrays([kept, new]).take(pa.array(at))
        names.keep(node, key, every, mixed=len(kept) > 0)
        self.write(found, Targets(new))

    def write(self, found: Derived, targets: Targets) -> None:
        """Write the lineage of a model's rows as triples."""
        names = self._names
        for place, chains in found.chains.items():
            own = place.database == BEFORE or place.schema.startswith(PART)
            source = names.table_of(place), names.by_rid(place)
            role = "state" if own else "input"
            for chain in chains:
                for near, rids in gathered(chain, len(found.result)):
                    at, dst = targets.of(near)
                    self._trace.write(
                        found.op,
                        found.node.name,
                        dst,
                        source[0],
                        source[1].take(pa.array(rids[at])),
                        role,
                    )
