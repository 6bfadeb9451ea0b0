"""The lineage of a result's rows: indexed for all rows, or found on request for given rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import column
from provhouse.sql.not_covered import NotCovered

from .capture import CapturedRows
from .compiled.cells import Cells, locate
from .derivations_of_row import one_row
from .follow import Tracer, verify
from .index.decoded import Unfit
from .index.rid_indexes import Chain, Link, Rows, flattened, merged, reordered, together
from .modes import located
from .planning.apart import is_carried
from .planning.condition import Mask
from .planning.plan import Plan
from .planning.row_identity import WitnessQuestion

if TYPE_CHECKING:
    from .session_state import Session


class Lineage:
    """The lineage of one result. References are identified by their positions in the query.

    ``masks`` contains, for references with a condition, a mask of the records that may have
    lineage.
    """

    def __init__(
        self, con: "Session", plan: Plan, captured: CapturedRows, masks: Mapping[int, Mask]
    ) -> None:
        self._con, self._plan, self._captured, self._masks = con, plan, captured, masks
        self.chains = dict(captured.listed)
        """The indexes, by reference. A reference without an entry has no index yet."""

    def index(self, refs: Sequence[int]) -> None:
        """Index the lineage of all rows in the given references, if not done yet."""
        missing = [at for at in refs if at not in self.chains]
        captured = self._captured
        if not missing:
            return
        if captured.cells is not None and captured.row_cells is not None:
            (ref,) = missing  # compiled loops run queries of one table
            self.chains[ref] = [self._masked(ref, captured.cells).chain(captured.row_cells)]
            return
        if (chain := self._located(missing)) is not None:
            self.chains[missing[0]] = [chain]
            return
        number = captured.rows.num_rows
        found = self._tracer(missing).rows(self._plan.identity, captured.hidden, number)
        self.chains |= {ref: merged(chains) for ref, chains in found.items()}

    def _masked(self, ref: int, cells: Cells) -> Cells:
        return cells.only(self._masks[ref]) if ref in self._masks else cells

    def _located(self, refs: Sequence[int]) -> Chain | None:
        """Find the groups' records in compiled loops; return None if DuckDB must find them."""
        con, hidden = self._con, self._captured.hidden
        grouping = located(con, self._plan)
        question = self._plan.identity.parts[0] if grouping else None
        if grouping is None or not isinstance(question, WitnessQuestion):
            return None
        try:
            found = locate(con.duckdb, grouping, con.columns)
            groups = found.cells_of([hidden.column(at) for at in question.columns])
        except Unfit:
            return None
        if (count := self._plan.identity.count) is not None:
            counts = found.cells.counts.sum(axis=0)[groups]
            verify(counts == hidden.column(count).to_numpy())
        return self._masked(refs[0], found.cells).chain(groups)

    def reorder(self, order: Rows) -> None:
        """Reorder the rows. The indexes of all references must exist."""
        captured = self._captured
        hidden = captured.hidden.take(pa.array(order)) if captured.hidden.num_columns else None
        self._captured = replace(
            captured, rows=captured.rows.take(pa.array(order)), hidden=hidden or captured.hidden
        )
        self.chains = {
            ref: [reordered(chain, order) for chain in chains]
            for ref, chains in self.chains.items()
        }

    def invert(self) -> None:
        """Compute the inverses of all existing indexes."""
        for chains in self.chains.values():
            for link in (link for chain in chains for link in chain.links):
                if link.codes is None:
                    link.inverse()

    def backward(self, refs: Sequence[int], rows: Rows) -> Rows:
        """Return the distinct rids of the given rows.

        This indexes all rows only if compiled loops ran the query.
        """
        if self._captured.cells is not None:
            self.index(refs)
        missing = [at for at in refs if at not in self.chains]
        parts = [chain.backward(rows) for at in refs for chain in self.chains.get(at, [])]
        if missing:
            hidden = self._captured.hidden
            asked = hidden.take(column(rows)) if hidden.num_columns else hidden
            found = self._tracer(missing).rows(self._plan.identity, asked, rows.size)
            every = np.arange(rows.size)
            parts += [chain.backward(every) for chains in found.values() for chain in chains]
        return together(parts)

    def forward(self, refs: Sequence[int], rids: Rows) -> Rows:
        """Return the distinct rows that derive from the given rids, by an index of all rows."""
        self.index(refs)
        return together([chain.forward(rids) for at in refs for chain in self.chains[at]])

    def whole(self, ref: int) -> Link:
        """Return the lineage in one reference as a single link, however large it becomes."""
        self.index([ref])
        links = merged([Chain([flattened(chain.links)]) for chain in self.chains[ref]])
        if links:
            return links[0].links[0]
        offsets = np.zeros(self._captured.rows.num_rows + 1, np.int64)
        return Link(
            offsets, np.empty(0, np.int32), self._con.size(self._plan.references[ref].table)
        )

    def identifying(self, row: int) -> pa.Table | None:
        """Return a row's values, or its group's keys; None if compiled loops ran the query."""
        captured, identity = self._captured, self._plan.identity
        if captured.cells is not None:
            return None
        first = identity.parts[0] if identity.parts else None
        if isinstance(first, WitnessQuestion) and first.expects == "counted":
            return one_row(captured.hidden, first.columns, row)
        for name, kind in zip(self._plan.names, self._plan.kinds, strict=True):
            if not is_carried(kind):
                raise NotCovered(
                    f"Derivations of a row with values of type {kind} are not supported",
                    f"The column is {name!r}",
                    "Leave it out, or ask backward() for its records",
                )
        return one_row(captured.rows, list(range(captured.rows.num_columns)), row)

    def links(self) -> Iterator[Link]:
        """Yield the links of all indexes."""
        for chain in (each for chains in self.chains.values() for each in chains):
            yield from chain.links

    def _tracer(self, refs: Sequence[int]) -> Tracer:
        con = self._con
        extents = [con.extent(each.table) for each in self._plan.references]
        sizes = [end for _, end in extents]
        dense = frozenset(at for at, (rows, end) in enumerate(extents) if rows == end)
        return Tracer(con.duckdb, con.apart(), sizes, frozenset(refs), dense, self._masks)
