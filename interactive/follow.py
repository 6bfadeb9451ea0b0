"""Follow hidden columns down to base tables, from a block's rows to the rids behind them.

Each block of the query is one step, and its rows are numbered (``eid``). The hidden columns of a
block yield either a link, or the questions for a witness query. The rows that the witness query
returns are the rows of the next block (Smoke, section 3.3: *defer*).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.model.arrays import column, unique
from provhouse.model.errors import Damaged
from provhouse.sql.not_covered import REWRITE, NotCovered

from .distinct_rows import Questions, distinct_questions
from .index.ancestors import ancestors
from .index.rid_indexes import Chain, Link, chained, flattened, from_pairs, merged
from .planning.apart import Apart, readable, unreadable, with_eids
from .planning.every_record import every_record
from .planning.row_identity import (
    Base,
    Derived,
    GroupIdentity,
    Identity,
    Recursive,
    UnionBranch,
    WitnessQuestion,
)
from .planning.witness import ASKED


@dataclass
class Tracer:
    """One descent from the rows of a result to the rids of the ``wanted`` references."""

    con: duckdb.DuckDBPyConnection
    apart: Apart
    sizes: Sequence[int] | Mapping[int, int]
    """For each reference, one more than the largest rid of its table."""
    wanted: frozenset[int]
    dense: frozenset[int] = frozenset()
    """The references to tables whose rids have no gaps."""
    masks: Mapping[int, NDArray[np.bool_]] = field(default_factory=dict)
    """For references with a condition, a mask of the rids that may have lineage."""
    found: dict[int, list[Chain]] = field(default_factory=dict)
    _readable: set[str] = field(default_factory=set)

    def rows(self, identity: Identity, table: pa.Table, number: int) -> dict[int, list[Chain]]:
        """Return the chains from the rows of ``table`` to each wanted reference.

        ``table`` contains the hidden columns of the rows.

        Raises NotCovered if DuckDB ends a witness query with an internal error.
        """
        try:
            eids = np.arange(number, dtype=np.int32)
            self._block(identity, BlockRows(table, eids, number, distinct=True), [])
        except duckdb.InternalException:
            raise NotCovered(
                "The lineage of this query cannot be computed",
                "DuckDB ends with an internal error in the query that finds the lineage",
                REWRITE,
            ) from None
        finally:
            for name in self._readable:
                unreadable(self.con, name)
        return {ref: self.found.get(ref, []) for ref in self.wanted}

    def _block(self, identity: Identity, block: "BlockRows", path: list[Link]) -> None:
        if identity.present is not None:
            block = block.where(block.table.column(identity.present).is_valid())
        for part in identity.parts:
            if isinstance(part, Base):
                self._base(part, block, path)
            elif isinstance(part, Derived):
                self._below(part.identity, *block.questions(part.columns), path)
            elif isinstance(part, UnionBranch):
                chosen = np.asarray(block.table.column(part.tag)) == part.number
                rows = block.where(pa.array(chosen)).select(part.columns)
                self._block(part.identity, rows, path)
            elif isinstance(part, WitnessQuestion):
                self._ask(part, identity.count, block, path)
            elif isinstance(part, Recursive):
                self._recursive(part, block, path)
            else:
                self._grouped(part, identity.count, block, path)

    def _base(self, part: Base, block: "BlockRows", path: list[Link]) -> None:
        if part.ref in self.wanted:
            rids = block.table.column(part.column).fill_null(-1).to_numpy()
            if (mask := self.masks.get(part.ref)) is not None and mask.size:
                rids = np.where(mask[rids], rids, -1)  # a rid of -1 stays -1
            link = from_pairs(block.eids, rids, block.number, self.sizes[part.ref])
            self.found.setdefault(part.ref, []).append(chained([*path, link]))

    def _below(self, identity: Identity, asked: Questions, link: Link, path: list[Link]) -> None:
        eids = np.arange(asked.number, dtype=np.int32)
        block = BlockRows(asked.table, eids, asked.number, distinct=True)
        self._block(identity, block, [*path, link])

    def _grouped(
        self, part: GroupIdentity, count: int | None, block: "BlockRows", path: list[Link]
    ) -> None:
        """Run witness queries for groups: one query for each grouping set."""
        masked = block.table.column(part.grouping).is_valid()  # NULL if DuckDB added an empty group
        block = block.where(masked)
        masks = np.asarray(block.table.column(part.grouping))
        for mask in unique(masks).tolist():
            rows = block.where(pa.array(masks == mask))
            self._ask(part.asked(mask), count, rows, path)

    def _recursive(self, part: Recursive, block: "BlockRows", path: list[Link]) -> None:
        """Run witness queries for a recursion's rows, and for all rows that these derive from."""
        if not any(each.witness.refs & self.wanted for each in part.asked):
            return
        block = block.where(block.table.column(part.column).is_valid())
        if part.recursion.linear:
            asked, link = block.questions([part.column])
            if part.parents is None:
                part.parents = self._parents(part)
            above, rows = ancestors(part.parents, asked.table.column(0).to_numpy())
            block, path = _numbered(rows), [*path, link, above]
        for each in part.asked:
            self._ask(each, None, block, path)

    def _parents(self, part: Recursive) -> Link:
        """Return the link from each stored row to the stored rows one step before it."""
        ref, name = part.recursion.ref, part.recursion.name
        ((number,),) = self.con.sql(f'select count(*) from "{name}"').fetchall()
        tracer = Tracer(self.con, self.apart, {ref: number}, frozenset({ref}))
        for each in part.asked:
            tracer._ask(each, None, _numbered(np.arange(number)), [])
        self._readable |= tracer._readable
        chains = [Chain([flattened(chain.links)]) for chain in tracer.found.get(ref, [])]
        if not chains:
            return Link(np.zeros(number + 1, np.int64), np.empty(0, np.int32), number)
        return merged(chains)[0].links[0]

    def _ask(
        self, part: WitnessQuestion, count: int | None, block: "BlockRows", path: list[Link]
    ) -> None:
        """Run a witness query, and follow the hidden columns of the rows that it returns."""
        witness = part.witness
        if not witness.refs & self.wanted:
            return
        asked, link = block.questions(part.columns, part.keyed)
        if asked.number == 1 and not part.columns:
            if (ref := every_record(witness)) in self.dense and self.sizes[ref]:
                self._every(ref, part, count, block, [*path, link])
                return
            text = witness.rows()
        else:
            text = self._asking(part, asked)
        width = len(witness.identity.outer) + len(witness.identity.names)
        found, hidden = self.apart.fetch(self.con.sql(text), text, range(1, 1 + width))
        keys = found.column(0).to_numpy().astype(np.int32, copy=False)
        if part.expects == "counted" and count is not None:
            expected = np.zeros(asked.number, np.int64)
            expected[asked.numbers] = block.table.column(count).to_numpy()
            verify(np.bincount(keys, minlength=asked.number) == expected)
        elif part.expects:
            verify(np.bincount(keys, minlength=asked.number) > 0)
        below = BlockRows(hidden, keys, asked.number)
        self._block(witness.identity, below, [*path, link])
        if part.otherwise is not None:
            missing = np.bincount(keys, minlength=asked.number) == 0
            self._ask(part.otherwise, None, block.where(pa.array(missing[asked.numbers])), path)

    def _every(
        self,
        ref: int,
        part: WitnessQuestion,
        count: int | None,
        block: "BlockRows",
        path: list[Link],
    ) -> None:
        """Link all rows of a block to all records of a table, without a query."""
        rids = np.arange(self.sizes[ref], dtype=np.int32 if self.sizes[ref] < 2**31 else np.int64)
        if part.expects == "counted" and count is not None:
            verify(block.table.column(count).to_numpy() == rids.size)
        if (mask := self.masks.get(ref)) is not None and mask.size:
            rids = rids[mask]
        link = Link(np.array([0, rids.size], np.int64), rids, self.sizes[ref])
        self.found.setdefault(ref, []).append(chained([*path, link]))

    def _asking(self, part: WitnessQuestion, asked: Questions) -> str:
        """Give DuckDB the questions of a witness query as a table; return the query's SQL text."""
        names = [f"c{at}" for at in range(len(part.columns))]
        eids = column(np.arange(asked.number, dtype=np.int32))
        table = with_eids(asked.table, names, eids)
        nullable = frozenset(at for at, name in enumerate(names) if table.column(name).null_count)
        if ASKED in self._readable:
            unreadable(self.con, ASKED)
        self._readable.add(ASKED)
        readable(self.con, ASKED, table)
        return part.witness.sql(nullable)


def verify(right: NDArray[np.bool_]) -> None:
    """Raise Damaged unless all elements of ``right`` are true: each group has its witnesses."""
    if not right.all():
        raise Damaged(
            "The lineage of the result is incomplete",
            f"{int((~right).sum()):,} of {right.size:,} groups have different rows than when the "
            "query ran: a table changed, or the query is not deterministic",
            "Run the query again; replace random(), and floating-point sums that are compared",
        )


def _numbered(numbers: NDArray[np.int64]) -> "BlockRows":
    """Return a block with one row for each of the given numbers."""
    table = pa.table({"number": numbers.astype(np.int64)})
    return BlockRows(table, np.arange(numbers.size, dtype=np.int32), numbers.size)


@dataclass
class BlockRows:
    """Rows with hidden columns; row i belongs to ``eids[i]``, one of ``number`` eids."""

    table: pa.Table
    eids: NDArray[np.int32]
    number: int
    distinct: bool = False
    """Whether no two rows have the same values in all columns."""

    def where(self, mask: pa.Array) -> "BlockRows":
        """Return the rows where a mask is true."""
        if isinstance(mask, pa.ChunkedArray):
            mask = mask.combine_chunks()
        chosen = np.asarray(mask)
        return BlockRows(self.table.filter(mask), self.eids[chosen], self.number, self.distinct)

    def select(self, columns: list[int]) -> "BlockRows":
        """Return the rows with only the given columns."""
        return BlockRows(self.table.select(columns), self.eids, self.number)

    def questions(self, columns: list[int], keyed: bool = False) -> tuple[Questions, Link]:
        """Return the distinct values of the given columns, and the link from eids to them.

        If ``keyed``, distinct rows always differ in these columns, so the rows need not be
        compared.
        """
        if keyed and self.distinct and columns:
            numbers = np.arange(self.eids.size, dtype=np.int32)
            asked = Questions(self.table.select(columns), self.eids.size, numbers)
        else:
            asked = distinct_questions(self.table.select(columns), self.eids.size)
        link = from_pairs(self.eids, asked.numbers, self.number, asked.number)
        return asked, link
