"""An answer as a person reads it: in words, by table, by distance, and how it was found."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.compute as pc
from rich.table import Table
from rich.text import Text

from .escape import shown
from .output import STEPS
from .table import counted, farthest, grid, steps, tables

if TYPE_CHECKING:
    from provhouse.query.answer import Answer

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
    yield _headline(answer)
    for note in _notes(answer):
        yield Text(note, "yellow")
    if answer.items.num_rows:
        yield from headed("By table", _by_table(answer))
        yield from headed("By distance", _by_distance(answer))
        if 0 < answer.triples.num_rows <= ROWS:
            yield from headed("Step by step", step_by_step(answer.triples))
        if answer.items.num_rows > ROWS or answer.triples.num_rows > ROWS:
            yield Text("\nAll items: --format csv --out FILE; every step: --format json", "dim")
    if timing:
        yield from headed("Time", _timed(answer))
    yield Text(_how(answer), "dim")


def _headline(answer: "Answer") -> Text:
    name = Text(shown(answer.item), "bold")
    if answer.table:
        name.append(f" ({shown(answer.table)})", "not bold")
    upstream = answer.direction == "upstream"
    if not answer.items.num_rows:
        nothing = "has nothing upstream: it is a source." if upstream else (
            "has nothing downstream: nothing was derived from it."
        )  # fmt: skip
        return name.append(f" {nothing}", "not bold")
    number = len(tables(answer))
    among = f" in {counted(number, 'table')}" if number else ""
    return name.append(
        f" {'derives from' if upstream else 'reached'} {counted(answer.items.num_rows, 'item')}"
        f"{among}, up to {counted(farthest(answer), 'hop')} away, "
        f"over {counted(answer.triples.num_rows, 'triple')}.",
        "not bold",
    )


def _notes(answer: "Answer") -> Iterator[str]:
    if answer.truncated == "depth":
        yield "There is more beyond this; a larger --depth, or none, shows it."
    elif answer.truncated:
        yield f"This is not all: the answer was cut ({shown(answer.truncated)})."
    if not answer.complete:
        yield "The answer is not complete: a part of what was asked for is missing."
    if answer.items.num_rows and pc.index(answer.items["item"], answer.item).as_py() >= 0:
        yield "The item is among them: a cycle leads back to it."


def headed(title: str, table: Table) -> Iterator[Text | Table]:
    """A table under its title."""
    yield Text(f"\n{title}", "bold underline")
    yield table


def _by_table(answer: "Answer") -> Table:
    """In the order of distance, as the data went."""
    counts = answer.items.group_by("table").aggregate(
        [("item", "count"), ("depth", "min"), ("depth", "max")]
    )
    rows = counts.sort_by([("depth_min", "ascending"), ("table", "ascending")]).to_pylist()
    ops = _operations(answer)
    way = "went on by" if answer.direction == "upstream" else "came by"
    table = grid("table", right=("items", "hops"))
    table.add_column(way, overflow="fold")
    for row in rows[:ROWS]:
        low, high = row["depth_min"], row["depth_max"]
        table.add_row(
            table_name(row["table"]),
            f"{row['item_count']:,}",
            f"{low:,}" if low == high else f"{low:,}-{high:,}",
            Text(_listed(ops.get(row["table"] or "", []))),
        )
    if len(rows) > ROWS:
        table.add_row(Text(f"… {len(rows) - ROWS:,} more tables", "dim"))
    return table


def _operations(answer: "Answer") -> dict[str, list[str]]:
    """The operations at the far end of the triples, by table, the most frequent first."""
    far = "src" if answer.direction == "upstream" else "dst"
    items = pc.cast(answer.items["item"], pa.large_string())
    place = pc.index_in(pc.cast(answer.triples[far], pa.large_string()), value_set=items)
    pairs = pa.table({"table": answer.items["table"].take(place), "op": answer.triples["op"]})
    counts = pairs.group_by(["table", "op"]).aggregate([([], "count_all")])
    ordered = counts.sort_by([("count_all", "descending"), ("op", "ascending")])
    found: dict[str, list[str]] = {}
    for row in ordered.to_pylist():
        if row["op"]:
            found.setdefault(row["table"] or "", []).append(row["op"])
    return found


def _listed(names: list[str], most: int = 4) -> str:
    more = f", {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shown(name, 60) for name in names[:most]) + more


def table_name(name: str | None) -> Text:
    """The name of a table, or that there is none."""
    return Text(shown(name)) if name else Text("(no table)", "dim")


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
        operation = Text(shown(row["op"] or ""))
        if row["attributes"] not in (None, "", "{}"):
            operation.append(f" {shown(row['attributes'], 120)}", "dim")
        table.add_row(Text(shown(row["src"])), operation, Text(shown(row["dst"])))
    return table


def _timed(answer: "Answer") -> Table:
    table = grid("step", right=("ms",))
    for step in STEPS:
        table.add_row(step, f"{answer.seconds.get(step, 0.0) * 1000:,.1f}")
    return table


def _how(answer: "Answer") -> str:
    read = answer.read
    parts = (counted(read.sets, "set"), counted(read.partitions, "partition"))
    return (
        f"\nMethod {answer.method}. {shown(answer.why.rstrip('.'))}. Read {', '.join(parts)} and "
        f"{counted(read.triples, 'triple')} in {steps(answer.seconds)}. "
        f"As of generation {answer.generation}, {answer.time}."
    )
