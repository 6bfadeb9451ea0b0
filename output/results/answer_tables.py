"""The tables printed for an answer: counts by table and operation, distances, times."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.progress import START

from ..escape import shown
from ..phrases import counted, listed
from ..sections import grid, styled
from .derivation_list import MOST_ROWS, STEPS, has_sets, table_name, with_rows

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from provhouse.model.answer import Answer

_NEAR_LEVELS = 8
"""The number of nearest distances whose items are listed, before ``_FAR_LEVELS`` farthest ones."""
_FAR_LEVELS = 2
_OPS = 4
"""The largest number of operations listed for a table of items."""


@dataclass(frozen=True)
class _Level:
    """The items at one distance, or a range of distances whose items are only counted."""

    first: int
    last: int
    items: int
    rows: list[tuple[str, ...]]
    """The name and the table of each shown item, and its set if the question requested it."""


def by_table(answer: "Answer") -> "Table":
    """Return a line for each table of items: the number of items, their distances, their ops."""
    counts, ops = _tables(answer), _ops(answer)
    way = "used by" if answer.direction == "upstream" else "made by"
    table = grid("table", right=("items", "hops"), after=(way,))
    return with_rows(
        table,
        counts,
        lambda row: (*_counts(row), styled(listed(ops.get(row["table"] or "", []), _OPS))),
        what="tables",
    )


def by_column(answer: "Answer") -> "Table":
    """Return a line for each table: the columns whose values were used, or had an influence.

    A table without known columns has question marks.
    """
    table = grid("table", right=("items",), after=("value", "influence"))
    for each in answer.columns[:MOST_ROWS]:
        influence = [f"{one.column} ({', '.join(one.roles)})" for one in each.influence]
        texts = [listed(names, MOST_ROWS) for names in (each.values, influence)]
        if each.role == "unknown":
            texts = ["?", "?"]
        table.add_row(table_name(each.table or None), f"{each.items:,}", *map(styled, texts))
    return table


def counts_by_table(counts: pa.Table) -> "Table":
    """Return a line for each table of items: the number of items and their distances."""
    return with_rows(grid("table", right=("items", "hops")), counts, _counts, what="tables")


def by_operation(counts: pa.Table) -> "Table":
    """Return a line for each operation, with its number of triples."""

    def cells(row: dict[str, Any]) -> "tuple[Text, str]":
        name = styled(shown(row["op"])) if row["op"] else styled("(no operation)", "dim")
        return name, f"{row['triples']:,}"

    return with_rows(grid("operation", right=("triples",)), counts, cells, what="operations")


def _counts(row: dict[str, Any]) -> "Iterator[Text | str]":
    low, high = row["nearest"], row["farthest"]
    yield table_name(row["table"])
    yield f"{row['items']:,}"
    yield f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _tables(answer: "Answer") -> pa.Table:
    """Return the number of items of each table, and their distances, nearest table first."""
    counts = answer.items.group_by("table").aggregate(
        [("item", "count"), ("depth", "min"), ("depth", "max")]
    )
    named = counts.rename_columns(
        {"item_count": "items", "depth_min": "nearest", "depth_max": "farthest"}
    )
    named = named.set_column(
        0, "table", named["table"].cast(pa.string())
    )  # Arrow cannot sort by a dictionary column
    return named.sort_by([("nearest", "ascending"), ("table", "ascending")])


def _ops(answer: "Answer") -> dict[str, list[str]]:
    """Return the operations for each table of items, most frequent first.

    A triple counts for the table of its far end: of src upstream, and of dst downstream.
    """
    far = "src" if answer.direction == "upstream" else "dst"
    items, ends = (_codes(column) for column in (answer.items["item"], answer.triples[far]))
    place = pc.index_in(ends, value_set=items)
    pairs = pa.table({"table": answer.items["table"].take(place), "op": answer.triples["op"]})
    pairs = pairs.filter(pc.is_valid(place))  # filters may show only the near end of a triple
    counts = pairs.group_by(["table", "op"]).aggregate([([], "count_all")])
    ordered = counts.sort_by([("count_all", "descending"), ("op", "ascending")])
    found: dict[str, list[str]] = {}
    for row in ordered.to_pylist():
        if row["op"]:
            found.setdefault(row["table"] or "", []).append(row["op"])
    return found


def _codes(names: pa.ChunkedArray) -> pa.Array:
    """Return the dictionary codes of names.

    Codes can be compared instead of names, because an answer's items and triples share one
    dictionary.
    """
    return names.combine_chunks().indices


def _levels(answer: "Answer") -> list[_Level]:
    """Return the items at the nearest and farthest distances, and count the items between."""
    counts = answer.items.group_by("depth").aggregate([("item", "count")]).sort_by("depth")
    depths = cast(list[int], counts["depth"].to_pylist())
    sizes = cast(list[int], counts["item_count"].to_pylist())
    starts = [0, *accumulate(sizes)]
    most = MOST_ROWS // min(len(sizes), _NEAR_LEVELS + _FAR_LEVELS)
    if answer.items.num_rows <= MOST_ROWS:
        most = MOST_ROWS

    def level(number: int) -> _Level:
        rows = sizes[number] if sizes[number] <= most + 1 else most  # "1 more" would take a row too
        some = answer.items.slice(starts[number], rows)
        columns = [some[name].to_pylist() for name in _listed_columns(answer)]
        named = list(zip(*columns, strict=True))
        return _Level(depths[number], depths[number], sizes[number], named)

    every = range(len(sizes))
    middle = every[_NEAR_LEVELS:-_FAR_LEVELS]
    if not middle:
        return [level(number) for number in every]
    items = sum(sizes[middle.start : middle.stop])
    between = _Level(depths[middle[0]], depths[middle[-1]], items, [])
    return [*map(level, every[:_NEAR_LEVELS]), between, *map(level, every[-_FAR_LEVELS:])]


def _listed_columns(answer: "Answer") -> tuple[str, ...]:
    return ("item", "table", "set") if has_sets(answer) else ("item", "table")


def by_distance(answer: "Answer") -> "Table":
    """Return a line for each of the nearest and farthest items, and count the items between."""
    table = grid(right=("hops",), after=_listed_columns(answer))
    for level in _levels(answer):
        far = f"{level.first:,}" if level.first == level.last else f"{level.first:,}-{level.last:,}"
        for item, name, *sets in level.rows:
            table.add_row(far, styled(shown(item)), table_name(name), *map(str, sets))
            far = ""
        left = level.items - len(level.rows)
        if left:
            words = "more" if level.rows else counted(left, "item").split()[-1]
            table.add_row(far, styled(f"… {left:,} {words}", "dim"))
    return table


def timed(answer: "Answer") -> "Table":
    """Return a line for each start and each step, with its time in milliseconds."""
    table = grid("step", right=("ms",))
    starts = [step for step in answer.seconds if step.startswith(START)]
    for step in (*starts, *STEPS):
        table.add_row(step, f"{answer.seconds.get(step, 0.0) * 1000:,.1f}")
    return table
