"""The result of a query, and the lineage of its rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings

from .catalog import Place
from .decoded import Unfit
from .divided import Divided, divide, flattened
from .fused import Fused
from .group_by import Grouped, run
from .identity import Asked
from .inject import LISTED, listed_link
from .links import Chain, Link, Rows, distinct, merged
from .modes import chosen, compiled, explained, not_compiled
from .names import quoted
from .parse import Reference
from .plan import Plan
from .polynomial import Derivation, Polynomial, Witness, minimal
from .records import Records
from .selection import Mask, mask
from .snapshot import Snapshot
from .trace import Tracer
from .want import Mode, Want
from .why import derivations, one_row

if TYPE_CHECKING:
    from provhouse.ingest.summary import Summary

    from .connection import Connection


class Result:
    """The rows of a query, numbered from 0 in the order that DuckDB returned them."""

    def __init__(
        self, con: "Connection", query: str, plan: Plan, want: Want, mode: Mode | None
    ) -> None:
        self._con = con
        self.query = query
        self._plan = plan
        self._want = want
        self._snapshot = Snapshot(con, (each.table for each in plan.references))
        self._chains: dict[int, list[Chain]] = {}
        self._cells: Grouped | None = None
        self._divided: Divided | None = None
        self._masks: dict[int, Mask] = {}
        if want.pushed:
            self._restrict()
        self._hidden = pa.table({})
        if (fused := compiled(con, plan, want, mode)) is not None:
            self._compiled(fused, mode)
        if self._cells is None:
            self._query(mode)
        if want.by:
            self._divide()
        if "forward" in want.directions:
            self._invert()
        con.memory.used(self)

    def _compiled(self, fused: Fused, mode: Mode | None) -> None:
        """Run the query in compiled loops, unless the data does not allow it."""
        try:
            self._cells = run(self._con.duckdb, fused, self._con.columns)
        except Unfit as unfit:
            if mode is not None:
                raise not_compiled(str(unfit)) from None
            return
        self.mode: Mode = "compiled"
        self._rows = self._cells.rows.rename_columns(self._plan.names)
        if self._want.refs is not None or mode is not None:
            self._index(sorted(self._declared()))

    def _restrict(self) -> None:
        """Find which records may have lineage, of the one reference that is declared."""
        refs = sorted(self._declared()) if self._want.refs else []
        if len(refs) != 1:
            raise UsageError(
                "A condition or attributes of Want are for one reference",
                f"It declares {', '.join(self._want.refs or ()) or 'none'}, and the query reads "
                f"{', '.join(self.references) or 'none'}",
                "Name one: Want(refs=('lineitem#2',), ...)",
            )
        if self._want.where:
            self._masks = {refs[0]: mask(self._con, self.tables[refs[0]], self._want.where)}

    def _divide(self) -> None:
        """Divide the records of each row by the declared columns."""
        (ref,) = self._declared()
        self._index([ref])
        links = [Chain([flattened(chain.links)]) for chain in self._chains[ref]]
        size = self._con.size(self.tables[ref])
        none = Link(np.zeros(len(self) + 1, int), np.empty(0, np.int32), size)
        link = merged(links)[0].links[0] if links else none
        want = self._want
        self._divided = divide(self._con, self.tables[ref], want.by, want.aggregates, link)

    def _query(self, mode: Mode | None) -> None:
        """Run the query in DuckDB, and capture what the mode says."""
        con, plan = self._con, self._plan
        refs = self._declared()
        self.mode = chosen(plan, refs, self._want, mode)
        injected = plan.injected(refs, self._want.where) if self.mode == "inject" else None
        self._keep()
        found = con.duckdb.sql(injected.sql if injected else plan.sql).to_arrow_table()
        self._rows = found.select(range(len(plan.names))).rename_columns(plan.names)
        self._hidden = found.select(plan.hidden)
        for ref in injected.refs if injected else []:
            column = found.column(f"{LISTED}{ref}")
            size = con.size(plan.references[ref].table)
            self._chains[ref] = [Chain([listed_link(column, size)])]
        if self.mode == "defer":
            self._index(sorted(refs))

    def _keep(self) -> None:
        """Store the blocks that may choose other rows when they run again, once for each plan."""
        for name, query in self._plan.kept:
            text = f'create temp table if not exists "{name}" as {query}'
            self._con.duckdb.execute(text).fetchall()

    def _declared(self) -> frozenset[int]:
        """Return the declared references, by position."""
        names = self._want.refs
        if names is None:
            return frozenset(range(len(self._plan.references)))
        return frozenset(at for name in names for at in self._wanted(name))

    def _invert(self) -> None:
        for chain in (each for chains in self._chains.values() for each in chains):
            for link in chain.links:
                if link.codes is None:
                    link.inverse()

    @property
    def connection(self) -> "Connection":
        """The connection that the query ran on."""
        return self._con

    def __len__(self) -> int:
        return int(self._rows.num_rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._rows.column_names)

    @property
    def references(self) -> list[str]:
        """The uses of base tables in the query, in the order of its text."""
        return [each.name for each in self._plan.references]

    @property
    def negative(self) -> list[str]:
        """The references that rows depend on by having no match there; they have no records.

        These are tables in NOT EXISTS, NOT IN, ALL, and on the right of EXCEPT.
        """
        return [self._plan.references[at].name for at in sorted(self._plan.negative)]

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        return self._rows

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        return self._rows.to_pandas()

    def backward(
        self,
        ref: str,
        rows: Iterable[int] | None = None,
        *,
        where: Mapping[str, Any] | None = None,
    ) -> Records:
        """Return the records of a table that rows of the result were made of; of all rows if None.

        ``ref`` is a table, or one use of it such as ``lineitem#2``. If ``Want.where`` was declared,
        only records that meet it are found. ``where`` has values of columns in ``Want.by``. Raises
        UsageError if the query does not read the table, if a row does not exist, if a column was
        not declared, or if a table changed since the query ran.
        """
        chosen = self.positions(rows)
        refs = self._wanted(ref)
        with self._con.lock:
            self.check_unchanged()
            if where:
                rids = self._parts(refs).records(chosen, where)
            else:
                rids = self._backward(refs, chosen)
            self._con.memory.used(self)
        table = self._plan.references[refs[0]].table
        return Records(self._con, table, rids, self._snapshot)

    def aggregate(self, ref: str, rows: Iterable[int] | None = None) -> pa.Table:
        """Return the declared aggregates of the records of some rows, by the declared columns.

        They are read off for one row, and for several if these share no record and the aggregates
        are counts, sums, minima and maxima; else they are computed from the records. Raises
        UsageError as ``backward`` does, and if ``Want.by`` was not declared.
        """
        chosen = self.positions(rows)
        refs = self._wanted(ref)
        with self._con.lock:
            self.check_unchanged()
            found = self._parts(refs).read(self._con, chosen)
        if found is not None:
            return found
        keys = ", ".join(map(quoted, self._want.by))
        listed = ", ".join([keys, *self._want.aggregates])
        return self.backward(ref, chosen).sql(f"select {listed} from records group by {keys}")

    def _parts(self, refs: list[int]) -> Divided:
        if self._divided is None or set(refs) != self._declared():
            raise UsageError(
                "The lineage is not divided by columns",
                "",
                "Declare them: Want(refs=('t',), by=('c',)), or ask the records with sql()",
            )
        return self._divided

    def forward(self, ref: str, rids: Iterable[int]) -> Rows:
        """Return the numbers of the result's rows that records of a table are in.

        Raises UsageError as ``backward`` does.
        """
        asked = distinct(np.asarray(list(rids) if not isinstance(rids, np.ndarray) else rids))
        refs = self._wanted(ref)
        with self._con.lock:
            self.check_unchanged()
            self._index(refs)
            size = self._con.size(self._plan.references[refs[0]].table)
            if asked.size and not 0 <= int(asked[0]) <= int(asked[-1]) < size:
                raise UsageError(f"{ref} has no such rid", f"Its rids are 0 to {size - 1:,}")
            parts = [chain.forward(asked) for at in refs for chain in self._chains[at]]
            self._con.memory.used(self)
        return _together(parts)

    def why(self, row: int) -> list[Witness]:
        """Return the witnesses of a row: the smallest sets of records that suffice for its values.

        The records of one set were joined. Of a GROUP BY, each set suffices for the group to
        exist; the values of aggregates rest on all sets together. Raises NotCovered where a row
        depends on more than the records that are joined, as with outer joins or LIMIT in a
        subquery, and UsageError as ``backward`` does.
        """
        return minimal(self._derivations(row, how=False))

    def how(self, row: int) -> Polynomial:
        """Return the polynomial of a row: the sum of its derivations, each a product of records.

        With the numbers of each record in its table, its value is the number of rows with equal
        values, or of a GROUP BY the group's ``count(*)``. If duplicates are removed, the row exists
        if the value is not 0. Raises NotCovered as ``why`` does, and for other aggregates.
        """
        return Polynomial(dict(self._derivations(row, how=True)))

    def _derivations(self, row: int, how: bool) -> Counter[Derivation]:
        (at,) = self.positions([row]).tolist()
        with self._con.lock:
            self.check_unchanged()
            return derivations(self, at, how)

    def identifying(self, row: int) -> pa.Table | None:
        """Return the keys of a group, or the values of another row; None from compiled loops."""
        if self._cells is not None:
            return None
        first = self._plan.identity.parts[0] if self._plan.identity.parts else None
        if isinstance(first, Asked) and first.expects == "counted":
            return one_row(self._hidden, first.columns, row)
        return one_row(self._rows, list(range(self._rows.num_columns)), row)

    def explain(self) -> str:
        """Return how the lineage of each reference is captured, and the size of its index."""
        return explained(self.mode, self._plan, self._chains, self._declared(), self._want)

    @property
    def size(self) -> int:
        """The size of all indexes in bytes."""
        return sum(link.size for link in self._links())

    @property
    def resident(self) -> int:
        """The part of the size that is in memory, not in files."""
        return sum(link.resident for link in self._links())

    def spill(self, folder: Path) -> None:
        """Move all indexes to files in a folder."""
        for link in self._links():
            link.spill(folder)

    def _links(self) -> Iterator[Link]:
        for chain in (each for chains in self._chains.values() for each in chains):
            yield from chain.links
        if self._divided is not None:
            yield self._divided.link

    def save(
        self,
        warehouse: str | Path,
        *,
        table: str,
        key: str,
        names: Mapping[str, str],
        run: str | None = None,
        **settings: object,
    ) -> "Summary":
        """Ingest the lineage of all rows into a warehouse, as one new generation.

        A row becomes the item ``table/K``, K its value in the column ``key``. ``names`` has the
        column that identifies the records of each base table. All records of one row are one
        derivation; its kind follows from the outermost operator of the query, and is ``unknown``
        where that would not say exactly when a row exists, as with subqueries or windows.
        ``settings`` are those of the warehouse that differ from its file. Raises UsageError if a
        column is missing, or is NULL or not unique, or a table has changed, and what an ingest
        raises.

        >>> result.save("warehouse", table="report", key="carrier", names={"flights": "id"})
        """
        from .saving import save

        loaded = Settings.load({**settings, "warehouse": Path(warehouse)})
        return save(self._con, self, loaded, table, key, names, Silent(), run)

    @property
    def tables(self) -> list[Place]:
        """The tables of ``references``."""
        return [each.table for each in self._plan.references]

    def chains(self, table: Place) -> list[Chain]:
        """Return the indexed lineage in a table, of all its records.

        Raises UsageError if a table has changed, or a condition left records without lineage.
        """
        if any(self.tables[ref] == table for ref in self._masks):
            raise UsageError(
                "The lineage of this result is not whole",
                f"Want declared that only records with {self._want.where} have lineage",
                "Run the query again without this condition",
            )
        refs = [at for at, place in enumerate(self.tables) if place == table]
        with self._con.lock:
            self.check_unchanged()
            self._index(refs)
            return [chain for at in refs for chain in self._chains[at]]

    def _backward(self, refs: list[int], rows: Rows) -> Rows:
        if self._cells is not None:
            self._index(refs)
        missing = [at for at in refs if at not in self._chains]
        if missing:
            tracer = self._tracer(missing)
            chosen = self._hidden.take(pa.array(rows)) if self._hidden.num_columns else self._hidden
            found = tracer.rows(self._plan.identity, chosen, rows.size)
        parts = []
        for at in refs:
            for chain in found[at] if at in missing else self._chains[at]:
                parts.append(chain.backward(np.arange(rows.size) if at in missing else rows))
        return _together(parts)

    def _index(self, refs: list[int]) -> None:
        """Index the lineage of all rows for some references."""
        missing = [at for at in refs if at not in self._chains]
        if missing and self._cells is not None:
            cells = self._cells.cells
            rows = Link(None, self._cells.row_cells, cells.number)
            if (only := self._masks.get(missing[0])) is not None:
                cells = cells.only(only)
            self._chains[missing[0]] = [Chain([rows, cells.link()])]
        elif missing:
            tracer = self._tracer(missing)
            found = tracer.rows(self._plan.identity, self._hidden, len(self))
            self._chains |= {ref: merged(chains) for ref, chains in found.items()}

    def _tracer(self, refs: list[int]) -> Tracer:
        sizes = [self._con.size(each.table) for each in self._plan.references]
        return Tracer(self._con.duckdb, sizes, frozenset(refs), self._masks)

    def positions(self, rows: Iterable[int] | None) -> Rows:
        """Return distinct numbers of rows, or of all; raises UsageError if one does not exist."""
        if rows is None:
            return np.arange(len(self))
        found = distinct(np.asarray(list(rows), np.int64))
        if found.size and not 0 <= int(found[0]) <= int(found[-1]) < len(self):
            raise UsageError(
                f"The result has no row {int(found[-1])}", f"Its rows are 0 to {len(self) - 1:,}"
            )
        return found

    def _wanted(self, ref: str) -> list[int]:
        """Return the positions of the references that a name means."""
        found = [at for at, each in enumerate(self._plan.references) if _means(ref, each)]
        tables = {self._plan.references[at].table for at in found}
        if len(tables) != 1:
            raise UsageError(
                f"The query reads {'several tables' if tables else 'no table'} {ref!r}",
                f"It reads {', '.join(self.references) or 'none'}",
                "Name one of them",
            )
        return found

    def check_unchanged(self) -> None:
        """Raise UsageError if a table has changed since the query ran."""
        self._snapshot.check(
            "The lineage of this result can no longer be asked", "Run the query again"
        )


def _means(ref: str, reference: Reference) -> bool:
    wanted = ref.lower()
    full = f"{reference.table.schema}.{reference.table.name}"
    return wanted in (reference.name.lower(), reference.table.name.lower(), full.lower())


def _together(parts: list[Rows]) -> Rows:
    return parts[0] if len(parts) == 1 else distinct(np.concatenate([np.empty(0, int), *parts]))
