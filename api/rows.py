"""Rows of a result, stored as an Arrow table and read one by one or as a data frame."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

import pyarrow as pa

from provhouse.output.arrow_rows import decoded, tuples
from provhouse.output.escape import shown
from provhouse.output.sections import Section, grid, styled
from provhouse.runtime.packages import package

from .html import Displayed

Row = TypeVar("Row", covariant=True)
SHOWN = 20
"""The maximum number of rows that a notebook shows."""


class Item(NamedTuple):
    """An item of an answer, with its table and its depth: the fewest hops to it."""

    item: str
    table: str
    """The name of the item's table; empty if the item has none."""
    depth: int
    set: int | None = None
    """The id of the item's connected set, if the question asked for sets."""


class Triple(NamedTuple):
    """A triple: ``dst`` was derived from ``src`` by ``op``."""

    src: str
    dst: str
    op: str
    attributes: Mapping[str, str]


class FoundItem(NamedTuple):
    """An item that ``find`` found, and its table."""

    item: str
    table: str


class TableCount(NamedTuple):
    """The items of one table in a summary, and the fewest hops to the nearest and the farthest."""

    table: str
    items: int
    nearest: int
    farthest: int


class OpCount(NamedTuple):
    """The triples of one operation in a summary."""

    op: str
    triples: int


class Operation(NamedTuple):
    """The description of an op; fields without a value are None."""

    op: str
    kind: str | None
    function: str | None
    module: str | None
    sql: str | None
    job: str | None
    place: str | None
    exactness: str | None
    born: int
    """The generation in which the op was described."""


class Fate(NamedTuple):
    """An item in a what-if answer with its fate: dies, changed, undecided or survives."""

    item: str
    table: str
    fate: str


class FateCount(NamedTuple):
    """The number of items of one table with each fate."""

    table: str
    dies: int
    changed: int
    undecided: int
    survives: int


class ChangedValue(NamedTuple):
    """An aggregate that would change. ``after`` is None if no input would be left."""

    item: str
    table: str
    op: str
    function: str
    before: float
    after: float | None
    inputs_lost: int


class UnknownValue(NamedTuple):
    """A value that may change but cannot be computed again, and the reason."""

    item: str
    table: str
    op: str
    reason: str


class MayCreate(NamedTuple):
    """An op that may create items that are not stored, because some of its inputs are deleted."""

    op: str
    inputs_lost: int


class Derivation(NamedTuple):
    """One derivation of an item."""

    item: str
    op: str
    kind: str
    function: str | None
    inputs: list[str]
    more: int
    """The number of inputs beyond the listed ones."""


class Alternatives(NamedTuple):
    """An aggregate of an item, in the answer to ``what_if_each``."""

    op: str
    function: str | None
    before: float | None
    inputs: int
    reason: str | None
    """The reason why the values without each input are unknown."""


class Alternative(NamedTuple):
    """The value of an aggregate without one of its inputs."""

    op: str
    item: str
    table: str
    after: float | None
    """The value, or None if no other input is left."""
    change: float | None


class Difference(NamedTuple):
    """The value of an aggregate in each of two generations."""

    op: str
    function: str | None
    before: float | None
    after: float | None
    difference: float | None
    """The sum of the shares of all inputs, if the function is ``sum``, ``count`` or ``avg``."""
    reason: str | None
    """The reason why the difference is unknown."""


class ChangedInput(NamedTuple):
    """An input that was added, that was removed, or whose value changed."""

    op: str
    input: str
    change: str
    before: float | None
    after: float | None
    times_before: int | None
    times_after: int | None
    share: float | None
    """The input's share of the difference; None if shares are not additive for this function."""


class Part(NamedTuple):
    """An item of a subgraph."""

    item: str
    table: str
    part: str
    """The item's role in the subgraph: ancestor, descendant or sibling."""


class Invocation(NamedTuple):
    """An invocation of a module; fields with an unknown value are None."""

    module: str
    run: str | None
    execution: str | None
    invocation: str | None
    triples: int


class Node(NamedTuple):
    """A node of a view: an item, a set, a table, a module or an invocation."""

    node: int
    kind: str
    name: str
    table: str | None
    module: str | None
    run: str | None
    execution: str | None
    invocation: str | None
    items: int
    """The number of items in the node. In a module or an invocation, only hidden items count."""
    invocations: int | None


class Edge(NamedTuple):
    """The triples between two nodes of a view that have the same op."""

    source: int
    target: int
    op: str
    triples: int


class Rows(Displayed, Sequence[Row], Generic[Row]):
    """A sequence of named tuples, each built from a row of an Arrow table when it is read.

    >>> items = warehouse.lineage("revenue/2026-03").items
    >>> len(items), items[0]
    (6, Item(item='invoices/10', table='invoices', depth=1, set=None))
    >>> [item.item for item in items if item.table == "prices"]
    ['prices/milk', 'prices/tea']

    Libraries that read Arrow take ``items.to_arrow()``, for example ``polars.DataFrame``.
    """

    def __init__(self, table: pa.Table, make: Callable[[Sequence[Any]], Row]) -> None:
        self._table = table
        self._make = make

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[Row]:
        return map(self._make, tuples(self._table))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> "Rows[Row]": ...
    def __getitem__(self, place: int | slice) -> "Row | Rows[Row]":
        places = range(len(self))[place]  # raises IndexError
        if isinstance(places, int):
            return next(iter(Rows(self._table.slice(places, 1), self._make)))
        if places.step == 1:
            return Rows(self._table.slice(places.start, len(places)), self._make)
        return Rows(self._table.take(pa.array(places, pa.int64())), self._make)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows):
            return NotImplemented
        return len(self) == len(other) and all(map(_equal, self, other))

    def __repr__(self) -> str:
        return f"<{len(self):,} rows: {', '.join(self._table.column_names)}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table, without a copy.

        Names are dictionary-encoded, and attributes are JSON objects as strings.

        >>> warehouse.lineage("revenue/2026-03").items.to_arrow().column_names
        ['item', 'table', 'depth']
        """
        return self._table

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame; raise Unavailable if pandas is not installed.

        >>> print(warehouse.lineage("revenue/2026-03", depth=1).items.to_pandas())
                  item     table  depth
        0  invoices/10  invoices      1
        1   invoices/9  invoices      1
        """
        package("pandas")
        return decoded(self._table).to_pandas()

    def _sections(self) -> Iterator[Section]:
        table = grid(*self._table.column_names)
        for row in tuples(self._table.slice(0, SHOWN)):
            table.add_row(*(styled(shown(str(value))) for value in row))
        yield table
        if len(self) > SHOWN:
            yield styled(f"… {len(self) - SHOWN:,} more", "dim")


def _equal(one: object, other: object) -> bool:
    return one == other


def rows_of(kind: Callable[..., Row], table: pa.Table) -> Rows[Row]:
    """Return the rows of a table as named tuples; the column of the last field may be missing."""
    if table.column_names[-1:] == ["attributes"]:
        return Rows(table, lambda values: kind(*values[:-1], json.loads(values[-1] or "{}")))
    return Rows(table, lambda values: kind(*values))
