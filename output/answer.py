"""An answer as a person reads it: in words, by table, by distance, and how it was found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table
from rich.text import Text

from .escape import shown
from .output import STEPS
from .path import operation
from .table import counted, grid, table_name
from .words import headline, how, notes

if TYPE_CHECKING:
    from provhouse.model.answer import Answer

ROWS = 20
"""The most rows in one section."""
_NEAR_LEVELS = 8
_FAR_LEVELS = 2


@dataclass(frozen=True)
class Level:
    """The items at one distance, or the number of those at several: none of these are shown."""

    first: int
    last: int
    items: int
    rows: list[tuple[str, str]]
    """Item and table of those that are shown."""


def sections(answer: "Answer", timing: bool = False) -> Iterator[Text | Table]:
    """What to print, top to bottom; ``timing`` adds what each step took."""
    yield headline(answer)
    for note in notes(answer):
        yield Text(note, "yellow")
    if answer.counts and answer.counts.tables.num_rows:
        yield from headed("By table", _by_table(answer.counts.tables))
        yield from headed("By operation", _by_operation(answer.counts.ops))
    if answer.items.num_rows:
        yield from headed("By table", _by_table(_tables(answer), _ops(answer), _way(answer)))
        yield from headed("By distance", _by_distance(answer))
        if 0 < answer.triples.num_rows <= ROWS:
            yield from headed("Step by step", step_by_step(answer.triples))
        if answer.items.num_rows > ROWS or answer.triples.num_rows > ROWS:
            yield Text("\nAll items: --format csv --out FILE; every step: --format json", "dim")
    if timing:
        yield from headed("Time", _timed(answer))
    yield Text(how(answer), "dim")


def headed(title: str, table: Table) -> Iterator[Text | Table]:
    """A table under its title."""
    yield Text(f"\n{title}", "bold underline")
    yield table


def _tables(answer: "Answer") -> pa.Table:
    """What a summary counts: in the order of distance, as the data went."""
    counts = answer.items.group_by("table").aggregate(
        [("item", "count"), ("depth", "min"), ("depth", "max")]
    )
    named = counts.rename_columns(
        {"item_count": "items", "depth_min": "nearest", "depth_max": "farthest"}
    )
    named = named.set_column(0, "table", named["table"].cast(pa.string()))  # codes have no order
    return named.sort_by([("nearest", "ascending"), ("table", "ascending")])


def _by_table(counts: pa.Table, ops: Mapping[str, list[str]] | None = None, way: str = "") -> Table:
    table = grid("table", right=("items", "hops"))
    if ops is not None:
        table.add_column(way, overflow="fold")
    for row in counts.slice(0, ROWS).to_pylist():
        low, high = row["nearest"], row["farthest"]
        listed = [] if ops is None else [Text(_listed(ops.get(row["table"] or "", [])))]
        hops = f"{low:,}" if low == high else f"{low:,}-{high:,}"
        table.add_row(table_name(row["table"]), f"{row['items']:,}", hops, *listed)
    if counts.num_rows > ROWS:
        table.add_row(Text(f"… {counts.num_rows - ROWS:,} more tables", "dim"))
    return table


def _by_operation(counts: pa.Table) -> Table:
    table = grid("operation", right=("triples",))
    for row in counts.slice(0, ROWS).to_pylist():
        name = Text(shown(row["op"])) if row["op"] else Text("(no operation)", "dim")
        table.add_row(name, f"{row['triples']:,}")
    if counts.num_rows > ROWS:
        table.add_row(Text(f"… {counts.num_rows - ROWS:,} more operations", "dim"))
    return table


def _way(answer: "Answer") -> str:
    return "went on by" if answer.direction == "upstream" else "came by"


def _ops(answer: "Answer") -> dict[str, list[str]]:
    """The operations at the far end of the triples, by table, the most frequent first."""
    far = "src" if answer.direction == "upstream" else "dst"
    items, ends = (_codes(column) for column in (answer.items["item"], answer.triples[far]))
    place = pc.index_in(ends, value_set=items)
    pairs = pa.table({"table": answer.items["table"].take(place), "op": answer.triples["op"]})
    pairs = pairs.filter(pc.is_valid(place))  # filters may show only the near end
    counts = pairs.group_by(["table", "op"]).aggregate([([], "count_all")])
    ordered = counts.sort_by([("count_all", "descending"), ("op", "ascending")])
    found: dict[str, list[str]] = {}
    for row in ordered.to_pylist():
        if row["op"]:
            found.setdefault(row["table"] or "", []).append(row["op"])
    return found


def _codes(names: pa.ChunkedArray) -> pa.Array:
    """What stands for the names; items and triples of an answer share one array of them."""
    return names.combine_chunks().indices


def _listed(names: list[str], most: int = 4) -> str:
    more = f", {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name, 60) for name in names[:most]) + more


def levels(answer: "Answer") -> list[Level]:
    """The items by distance, few enough to read: the near ones, and the farthest."""
    counts = answer.items.group_by("depth").aggregate([("item", "count")]).sort_by("depth")
    depths = cast(list[int], counts["depth"].to_pylist())
    sizes = cast(list[int], counts["item_count"].to_pylist())
    starts = [0, *accumulate(sizes)]
    most = ROWS // min(len(sizes), _NEAR_LEVELS + _FAR_LEVELS)
    if answer.items.num_rows <= ROWS:
        most = ROWS

    def level(number: int) -> Level:
        rows = sizes[number] if sizes[number] <= most + 1 else most  # "1 more" takes a row too
        some = answer.items.slice(starts[number], rows)
        pairs = [(row["item"], row["table"]) for row in some.to_pylist()]
        return Level(depths[number], depths[number], sizes[number], pairs)

    every = range(len(sizes))
    middle = every[_NEAR_LEVELS:-_FAR_LEVELS]
    if not middle:
        return [level(number) for number in every]
    items = sum(sizes[middle.start : middle.stop])
    between = Level(depths[middle[0]], depths[middle[-1]], items, [])
    return [*map(level, every[:_NEAR_LEVELS]), between, *map(level, every[-_FAR_LEVELS:])]


def _by_distance(answer: "Answer") -> Table:
    table = grid(right=("hops",))
    table.add_column("item", overflow="fold")
    table.add_column("table", overflow="fold")
    for level in levels(answer):
        far = f"{level.first:,}" if level.first == level.last else f"{level.first:,}-{level.last:,}"
        for item, name in level.rows:
            table.add_row(far, Text(shown(item)), table_name(name))
            far = ""
        left = level.items - len(level.rows)
        if left:
            words = "more" if level.rows else counted(left, "item").split()[-1]
            table.add_row(far, Text(f"… {left:,} {words}", "dim"))
    return table


def step_by_step(triples: pa.Table) -> Table:
    """Triples as lines: from where, by what, to where."""
    table = grid("from", "operation", "to")
    for row in triples.to_pylist():
        table.add_row(Text(shown(row["src"])), operation(row), Text(shown(row["dst"])))
    return table


def _timed(answer: "Answer") -> Table:
    table = grid("step", right=("ms",))
    for step in STEPS:
        table.add_row(step, f"{answer.seconds.get(step, 0.0) * 1000:,.1f}")
    return table
