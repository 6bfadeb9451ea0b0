"""Lineage questions about a tracked frame, and the ways to store its lineage in a warehouse."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import unique
from provhouse.model.errors import UsageError

from .program_place import program_place
from .row_links import Rows, own_rows
from .step_graph import Items, StepNode, ancestors, backward, forward
from .tracked_row_names import key_names, position_names
from .tracked_triples import ingest_triples, triples, write_triples

if TYPE_CHECKING:
    from provhouse.ingest.ingest_summary import Summary


class Records:
    """Distinct rows of a source, or of marked rows: the answer to a lineage question."""

    def __init__(self, table: str, rids: Rows, names: pa.Array, rows: Any) -> None:
        self.table = table
        self.rids = rids
        """The positions of the rows in the table's frame, in ascending order."""
        self.names: list[str] = names.take(pa.array(rids)).to_pylist()
        """The key of each row, or its position if the frame has no key."""
        self._rows = rows

    def __len__(self) -> int:
        return int(self.rids.size)

    def __repr__(self) -> str:
        return f"<Records of {self.table}: {len(self):,}>"

    @property
    def rows(self) -> Any:
        """The rows, as a plain frame of the source's own library."""
        return self._rows


class AskedRows:
    """A frame whose rows have lineage. The libraries' frames derive from this class."""

    _node: StepNode

    def _column_of(self, key: str) -> pa.Array | pa.ChunkedArray:
        raise NotImplementedError

    def _plain(self) -> Any:
        """Return the frame's data."""
        raise NotImplementedError

    @staticmethod
    def _chosen(data: Any, rids: Rows) -> Any:
        """Return the rows of a plain frame at the given positions."""
        raise NotImplementedError

    def _with_node(self, node: StepNode) -> Self:
        raise NotImplementedError

    def backward(
        self, rows: Iterable[int] | None = None, table: str | None = None
    ) -> dict[str, Records]:
        """Return the records from which ``rows`` derive, by table; None means all rows.

        Rows are numbered from 0. Tables are sources and marked frames; ``table`` restricts the
        answer to one of them. A table without records is left out, unless it is named. Raises
        UsageError if a row or the table does not exist.
        """
        tables = self._tables()
        if table is not None:
            _known(table, tables)
        found = backward(self._node, self._positions(rows))
        return {
            name: Records(name, rids, items.names(), self._chosen(items.data, rids))
            for name, at in tables.items()
            if table in (None, name)
            and (items := at.items) is not None
            and ((rids := found.get(at, own_rows(0))).size or table is not None)
        }

    def forward(self, table: str, rids: Iterable[int]) -> Rows:
        """Return the numbers of the rows that derive from the given records of a table.

        ``rids`` are the positions of the records in the table's frame. Raises UsageError if the
        table or a record does not exist.
        """
        tables = self._tables()
        source = _known(table, tables)
        return forward(self._node, source, _checked(rids, source.size, f"The table {table}"))

    def mark(self, table: str, key: str | None = None) -> Self:
        """Return the frame with its rows marked as items, named ``TABLE/KEY``.

        Without ``key``, the rows are named by position. ``save`` and ``write_triples`` then store
        triples that lead to these items, and triples that lead on from them. Raises UsageError if
        the key does not identify the rows.
        """
        items = self._items(table, key)
        items.names()
        op = self._node.op or f"mark {program_place()}"
        return self._with_node(
            StepNode(self._node.size, op, "all", [(None, self._node)], self._node.axis, items)
        )

    def write_triples(
        self, path: str | os.PathLike[str], *, table: str, key: str | None = None
    ) -> int:
        """Write the lineage of all rows to a file for ``provhouse ingest``.

        Returns the number of triples. The path must end in ``.csv`` or ``.parquet``. A row becomes
        the item ``TABLE/KEY``; without ``key``, rows are named by position. Raises UsageError if
        the key does not identify the rows.
        """
        return write_triples(self._triples(table, key), path)

    def save(
        self,
        warehouse: str | os.PathLike[str],
        *,
        table: str,
        key: str | None = None,
        run: str | None = None,
        **settings: object,
    ) -> "Summary":
        """Ingest the lineage of all rows into a warehouse, as one new generation.

        Rows are named as by ``write_triples``. ``settings`` are the warehouse settings that differ
        from the settings file. Raises UsageError if the key does not identify the rows, and the
        errors of an ingest.
        """
        return ingest_triples(self._triples(table, key), warehouse, f"frame {table}", run, settings)

    @property
    def tables(self) -> list[str]:
        """The tables from which the rows may derive: sources and marked frames."""
        return list(self._tables())

    def _triples(self, table: str, key: str | None) -> Any:
        node, marked = self._node, self._node.items
        if marked is not None and not marked.is_source and (table, key) == (marked.table, None):
            return triples(node, marked)
        if table in self._tables():
            raise UsageError(
                f"The rows cannot be named after {table!r}",
                "They derive from a table of this name",
                "Choose another table name",
            )
        items = self._items(table, key)
        items.names()
        op = node.op or f"save {program_place()}"
        return triples(StepNode(node.size, op, "all", [(None, node)], node.axis), items)

    def _items(self, table: str, key: str | None) -> Items:
        if not table:
            raise UsageError("The rows have no table name", "", "Name it, as in table='orders'")
        return Items(table, _names(self, table, key), self._plain(), is_source=False)

    def _tables(self) -> dict[str, StepNode]:
        found: dict[str, StepNode] = {}
        for node in ancestors(self._node):
            if node.items is None:
                continue
            if node.items.table in found:
                raise UsageError(
                    f"Two frames have the name {node.items.table!r}",
                    "So it is not clear which rows a question is about",
                    "Read the file once, or give the frames different names: table='orders_2'",
                )
            found[node.items.table] = node
        return found

    def _positions(self, rows: Iterable[int] | None) -> Rows:
        size = self._node.size
        return own_rows(size) if rows is None else _checked(rows, size, "The frame")


def _names(frame: AskedRows, table: str, key: str | None) -> Any:
    made: list[pa.Array] = []

    def names() -> pa.Array:
        if not made:
            size = frame._node.size
            found = None if key is None else key_names(frame._column_of(key), key, table)
            made.append(position_names(size) if found is None else found)
        return made[0]

    return names


def _known(table: str, tables: dict[str, StepNode]) -> StepNode:
    if table not in tables:
        raise UsageError(
            f"The rows do not come from a table {table!r}",
            f"They come from: {', '.join(tables) or 'no table'}",
        )
    return tables[table]


def _checked(rows: Iterable[int], size: int, what: str) -> Rows:
    found = unique(np.asarray(list(rows), np.int64))
    if (missing := found[(found < 0) | (found >= size)]).size:
        known = f"Its rows are 0 to {size - 1:,}" if size else "It has no rows"
        raise UsageError(f"{what} has no row {missing[0]}", known)
    return found
