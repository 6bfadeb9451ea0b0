"""The result of a query, and the lineage of its rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.pictures.drawing import Drawing
from provhouse.runtime.packages import package
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from .capture import capture
from .column_cache import needed
from .derivations_of_row import derivations
from .divided import Divided, divide
from .index.rid_indexes import Chain, Link, Rows, distinct
from .modes import explained
from .notebook import SHOWN, html_table
from .planning.condition import masks
from .planning.plan import Plan
from .planning.want import Mode, Want
from .polynomial import Derivation, Polynomial, Witness, minimal
from .result_lineage import Lineage
from .result_picture import lineage_graph
from .table_behind import TableBehind
from .table_records import Records
from .table_states import TableStates

if TYPE_CHECKING:
    from provhouse.ingest.ingest_summary import Summary

    from .session_state import Session


class Result:
    """The rows of a query, numbered from 0 in the order in which DuckDB returned them."""

    def __init__(
        self, con: "Session", query: str, plan: Plan, want: Want, mode: Mode | None
    ) -> None:
        self._con = con
        self.query = query
        self._plan = plan
        self._want = want
        self._snapshot = TableStates(con, self.tables)
        self._declared = plan.declared(want.refs)
        self._masks = masks(con, plan, want, self._declared)
        began, decoded = process_time(), con.columns.size
        captured = capture(con, plan, want, mode, self._declared)
        self.mode: Mode = captured.mode
        self._rows = captured.rows
        self._lineage = Lineage(con, plan, captured, self._masks)
        self._divided: Divided | None = None
        self.added = False
        """Whether a statement has added the rows to a table that already contained rows."""
        self._ahead(forced=mode is not None)
        if not want.pushed and con.columns.size == decoded:  # later runs need not decode
            seconds = process_time() - began
            plan.took(self.mode, want.refs is not None, seconds)
            could = plan.compiled(con.duckdb, con.catalog()) if want.refs is not None else None
            if could is not None and self.mode != "compiled":
                con.columns.paid(needed(could), seconds)
        con.memory.used(self)

    def _ahead(self, forced: bool) -> None:
        """Index the declared lineage in advance."""
        wanted = self._want.refs is not None or forced
        if self.mode == "defer" or (self.mode == "compiled" and wanted):
            self._lineage.index(sorted(self._declared))
        if self._want.by:
            (ref,) = self._declared
            by, aggregates, link = self._want.by, self._want.aggregates, self._lineage.whole(ref)
            self._divided = divide(self._con, self.tables[ref], by, aggregates, link)
        if "forward" in self._want.directions:
            self._lineage.invert()

    @property
    def connection(self) -> "Session":
        """The connection on which the query ran."""
        return self._con

    def __len__(self) -> int:
        return int(self._rows.num_rows)

    def __repr__(self) -> str:
        return f"<Result of {', '.join(self.references) or 'no table'}: {len(self):,}>"

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._rows.column_names)

    @property
    def kinds(self) -> list[str]:
        """The DuckDB types of the columns."""
        return list(self._plan.kinds)

    @property
    def references(self) -> list[str]:
        """The references to base tables in the query, in the order of the SQL text."""
        return [each.name for each in self._plan.references]

    @property
    def behind(self) -> list[str]:
        """The tables from which statements with lineage made the tables that the query reads.

        ``backward`` and ``forward`` also accept these tables.
        """
        with self._con.lock:
            behind = self._con.made.behind(self.tables)
        return list(dict.fromkeys(state.place.name for state in behind))

    @property
    def negative(self) -> list[str]:
        """The references that must have no match for a row to be in the result.

        They contribute no records to its lineage. These are tables in NOT EXISTS, NOT IN, ALL, and
        on the right of EXCEPT.
        """
        return [self._plan.references[at].name for at in sorted(self._plan.negative)]

    @property
    def choices(self) -> list[str]:
        """The clauses of the query that select some rows, such as "OFFSET in line 2, column 8".

        The rows that such a clause skips may be missing from all lineage. So the records of a row
        show the data from which it was made, not why it was selected, and the query on these
        records alone might not return the row.
        """
        return list(self._plan.choices)

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return self._rows

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame; raise Unavailable if pandas is not installed."""
        package("pandas")
        return self._rows.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return html_table(self._rows.slice(0, SHOWN), len(self))

    def draw(self, rows: Iterable[int] | None = None) -> Drawing:
        """Return a picture of the tables behind ``rows``, with the number of records of each.

        None means all rows. Notebooks display the picture. Raises UsageError as ``backward`` does.

        >>> result.draw([0]).save("row.svg")
        """
        chosen = self.positions(rows)
        found = {name: len(self.backward(name, chosen)) for name in self.references}
        return Drawing(lineage_graph(self.query, found, self.negative, len(chosen)))

    def backward(
        self,
        ref: str,
        rows: Iterable[int] | None = None,
        *,
        where: Mapping[str, Any] | None = None,
    ) -> Records:
        """Return the records of a table from which ``rows`` were made; None means all rows.

        ``ref`` is a table, or a reference to it such as ``lineitem#2``, or one of ``behind``. If
        ``Want.where`` was declared, only records that meet this condition are returned. ``where``
        maps columns in ``Want.by`` to values; only records with these values are returned. Raises
        UsageError if the query does not read the table, if a row does not exist, if a column was
        not declared, if a table has changed since the query ran, or if the lineage back to one of
        ``behind`` is unknown.
        """
        chosen = self.positions(rows)
        with self._con.lock:
            self.check_unchanged()
            if where:
                refs = self._plan.named(ref)
                table, rids = self.tables[refs[0]], self._parts(refs).records(chosen, where)
            else:
                found = self._behind(ref)
                table, rids = found.table, found.backward(chosen)
            self._con.memory.used(self)
            known = table in self.tables
            states = self._snapshot if known else TableStates(self._con, [*self.tables, table])
            return Records(self._con, table, rids, states)

    def aggregate(self, ref: str, rows: Iterable[int] | None = None) -> pa.Table:
        """Return the declared aggregates over the records behind ``rows``.

        They are grouped by the declared columns. For one row, the stored aggregates are read. For
        several rows, stored aggregates are merged if no record belongs to two rows and all
        aggregates are counts, sums, minima or maxima; otherwise, the aggregates are computed from
        the records. Raises UsageError as ``backward`` does, and if ``Want.by`` was not declared.
        """
        chosen = self.positions(rows)
        refs = self._plan.named(ref)
        with self._con.lock:
            self.check_unchanged()
            found = self._parts(refs).read(self._con, chosen)
        if found is not None:
            return found
        keys = ", ".join(map(quoted, self._want.by))
        listed = ", ".join([keys, *self._want.aggregates])
        return self.backward(ref, chosen).sql(f"select {listed} from records group by {keys}")

    def _parts(self, refs: list[int]) -> Divided:
        if self._divided is None or set(refs) != self._declared:
            raise UsageError(
                "The lineage is not divided by columns",
                "",
                "Declare them: Want(refs=('t',), by=('c',)), or query the records with sql()",
            )
        return self._divided

    def forward(self, ref: str, rids: Iterable[int]) -> Rows:
        """Return the numbers of the result's rows to which the given records contributed.

        Raises UsageError as ``backward`` does.
        """
        given = rids if isinstance(rids, np.ndarray) else np.asarray(list(rids), np.int64)
        asked = distinct(given)
        with self._con.lock:
            self.check_unchanged()
            found = self._behind(ref)
            size = self._con.size(found.table)
            if asked.size and not 0 <= int(asked[0]) <= int(asked[-1]) < size:
                raise UsageError(f"{ref} has no such rid", f"Its rids are 0 to {size - 1:,}")
            rows = found.forward(asked, self.positions(None))
            self._con.memory.used(self)
        return rows

    def _behind(self, name: str) -> TableBehind:
        return TableBehind(self._con.made, self._plan, self._lineage, name)

    def why(self, row: int) -> list[Witness]:
        """Return the witnesses of a row: the minimal sets of records that suffice to produce it.

        The records of one set were joined. For a GROUP BY, each set suffices for the group to
        exist; the values of aggregates depend on all sets together. Raises NotCovered if a row
        depends on more than the joined records, as with outer joins or LIMIT in a subquery, and
        UsageError as ``backward`` does.
        """
        return minimal(self._derivations(row, how=False))

    def how(self, row: int) -> Polynomial:
        """Return the polynomial of a row: the sum of its derivations, each a product of records.

        If the value of a record is its multiplicity in its table, the value of the polynomial is
        the number of rows with equal values, or for a GROUP BY the group's ``count(*)``. If
        duplicates are removed, the row exists if the polynomial's value is not 0. Raises NotCovered
        as ``why`` does, and for other aggregates.
        """
        return Polynomial(dict(self._derivations(row, how=True)))

    def _derivations(self, row: int, how: bool) -> Counter[Derivation]:
        (at,) = self.positions([row]).tolist()
        with self._con.lock:
            self.check_unchanged()
            return derivations(self, at, how)

    def identifying(self, row: int) -> pa.Table | None:
        """Return the values that identify a row: all its values, or the keys of its group.

        Returns None if compiled loops ran the query.
        """
        return self._lineage.identifying(row)

    def explain(self) -> str:
        """Return how the lineage of each reference is captured, and the size of its index."""
        return explained(self.mode, self._plan, self._lineage.chains, self._declared, self._want)

    @property
    def size(self) -> int:
        """The size of all indexes in bytes."""
        return sum(link.size for link in self._links())

    @property
    def resident(self) -> int:
        """The number of bytes of ``size`` that are in memory, not in files."""
        return sum(link.resident for link in self._links())

    def spill(self, folder: Path) -> None:
        """Move all indexes to files in a folder."""
        for link in self._links():
            link.spill(folder)

    def _links(self) -> Iterator[Link]:
        yield from self._lineage.links()
        if self._divided is not None:
            yield self._divided.link

    def save(
        self,
        warehouse: str | Path,
        *,
        table: str,
        key: str,
        names: Mapping[str, str],
        run: str = "",
        **settings: object,
    ) -> "Summary":
        """Ingest the lineage of all rows into a warehouse, as one new generation.

        A row becomes the item ``table/K@V``, where K is its value in the column ``key``, and V is
        the version of this save. Rows that earlier saves of ``table`` stored and the result lacks
        count as deleted, unless the result comes from an INSERT. ``names`` maps each base table to
        the column that identifies its records. ``run`` is a name for the run. All records of one
        row form one derivation. Its kind is determined by the outermost operator of the query, and
        is ``unknown`` if this operator does not determine exactly when a row exists, as with
        subqueries or windows. ``settings`` are the warehouse settings that differ from the settings
        file. Raises UsageError if a column is missing, contains NULL or is not unique, if versioned
        records are named without their versions, or if a table has changed. Also raises the errors
        of an ingest.

        >>> result.save("warehouse", table="report", key="carrier", names={"flights": "id"})
        """
        from .saving import save

        loaded = Settings.load({**settings, "warehouse": Path(warehouse)})
        return save(self._con, self, loaded, table, key, names, Silent(), run)

    @property
    def tables(self) -> list[TablePlace]:
        """The table of each reference, in the order of ``references``."""
        return [each.table for each in self._plan.references]

    def chains(self, table: TablePlace) -> list[Chain]:
        """Return the indexes of all rows, for all references to ``table``.

        Raises UsageError if a table has changed, or if ``Want.where`` left records without lineage.
        """
        if any(self.tables[ref] == table for ref in self._masks):
            raise UsageError(
                "The lineage of this result is incomplete",
                f"Want restricts the lineage to records with {self._want.where}",
                "Run the query again without this condition",
            )
        refs = [at for at, place in enumerate(self.tables) if place == table]
        with self._con.lock:
            self.check_unchanged()
            self._lineage.index(refs)
            return [chain for at in refs for chain in self._lineage.chains[at]]

    def positions(self, rows: Iterable[int] | None) -> Rows:
        """Return the distinct numbers of ``rows`` in ascending order; None means all rows.

        Raises UsageError if a row does not exist.
        """
        if rows is None:
            return np.arange(len(self))
        found = distinct(np.asarray(list(rows), np.int64))
        if (missing := found[(found < 0) | (found >= len(self))]).size:
            known = f"Its rows are 0 to {len(self) - 1:,}" if len(self) else "It has no rows"
            raise UsageError(f"The result has no row {missing[0]}", known)
        return found

    def stored(self, order: Rows | None, *, renewed: bool = True, added: bool = False) -> "Result":
        """Return the result after a statement has stored its rows, in the order of stored rows.

        ``order`` contains the current number of each row, in the new order; None keeps the order.
        ``renewed`` states whether the statement left the tables that the query read unchanged.
        ``added`` states whether the target table already contained rows, as with INSERT.
        """
        self.added = added
        if order is not None:
            self._rows = self._rows.take(pa.array(order))
            self._lineage.reorder(order)
        if renewed:
            self._snapshot = TableStates(self._con, self.tables)
        return self

    def check_unchanged(self) -> None:
        """Raise UsageError if a table has changed since the query ran."""
        self._snapshot.check(
            "The lineage of this result can no longer be asked", "Run the query again"
        )
