"""Why an item exists: its derivations, back to its sources, up to a limit."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import unique
from provhouse.model.columns import ITEM, KIND, OP
from provhouse.model.derivations import KINDS, UNKNOWN
from provhouse.model.operations import FUNCTIONS
from provhouse.model.progress import Stopwatch

from ..lineage.ask import Asker
from ..locate import locate_versions
from ..passed_samples import common_fields
from .deletion.derivation_index import Derivations
from .deletion.described import Described
from .deletion.inputs import DerivationInputs
from .depends import lineage_of, samples_above

LIMIT = 100
"""The default limit for the number of inputs that are shown."""
ERASED = "(erased)"
_KINDS = {code: kind for kind, code in KINDS.items()}
_SHAPE = pa.schema(
    [
        (ITEM, pa.string()), (OP, pa.string()), (KIND, pa.string()), ("function", pa.string()),
        ("inputs", pa.list_(pa.string())), ("more", pa.int64()),
    ]
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Why(Header):
    """The derivations of an item, of its inputs, and so on, back to its sources.

    ``derivations`` has a row for each derivation, starting with the item's own: item, op, kind,
    function (null unless the item is an aggregate with a known function), inputs (a list of names)
    and more (the number of further inputs). Items on several paths appear once. Inputs are in order
    of their names; the name of an erased input is ``ERASED``.
    """

    item: str
    expression: str
    """The derivations of the item as one string, in which the derivations of inputs are nested."""
    derivations: pa.Table
    cut: bool
    """Whether the limit left out inputs or derivations."""
    complete: bool
    read: Read


def why(asker: Asker, item: str, limit: int = LIMIT) -> Why:
    """Return the derivations of an item, with up to ``limit`` inputs, the nearest first.

    Raises NotFound if the item is not stored.
    """
    return asker.snapshot.names.settled(lambda: _why(asker, item, limit))


def _why(asker: Asker, item: str, limit: int) -> Why:
    watch = Stopwatch()
    with watch.step("locate"):
        located = locate_versions(asker.snapshot, item)
    described, read = lineage_of(asker, located.first, watch)
    with watch.step("recurse"):
        graph = Derivations(described.rows)
        ways = _Ways(described, graph)
        places = graph.place(located.numbers)
        found, cut = ways.nearest(int(places[0]), limit) if len(places) else ([], False)
    with watch.step("name"):
        rows = _named(asker, graph, found)
        samples = samples_above(asker, located.numbers, described)
        name = located.names[0]
        expression = expressed(rows.to_pylist(), name)
    common = common_fields(asker.snapshot, watch, read, samples)
    return Why(item=name, expression=expression, derivations=rows, cut=cut, **common)


@dataclass(frozen=True)
class _Way:
    place: int
    op: str
    kind: str
    function: str | None
    inputs: list[int]
    more: int


class _Ways:
    """The derivations of items, each with its rows."""

    def __init__(self, described: Described, graph: Derivations) -> None:
        self._described, self._graph = described, graph
        self._tensors = described.tensors(graph)
        self._inputs = DerivationInputs(graph, described.snapshot.groups)

    def nearest(self, start: int, limit: int) -> tuple[list[_Way], bool]:
        """Return the derivations of a place and its inputs, nearest first.

        Also returns whether any derivations are left out.
        """
        found, left, seen = list[_Way](), limit, {start}
        waiting = deque([start])
        while waiting:
            place = waiting.popleft()
            for way in self._inputs.ways(place):
                if left <= 0:
                    return found, True
                one = self._way(place, way, left)
                found.append(one)
                left -= len(one.inputs)
                new = [each for each in dict.fromkeys(one.inputs) if each not in seen]
                seen.update(new)
                waiting.extend(new)
        return found, any(one.more for one in found)

    def _way(self, place: int, way: int, most: int) -> _Way:
        rows = self._inputs.rows(way)
        inputs = self._graph.src[rows]
        code = self._tensors.function[way] if self._tensors else -1
        codes, ops = self._described.ops
        used = dict.fromkeys(ops.take(pa.array(codes[rows[:most]])).to_pylist())
        return _Way(
            place, ", ".join(used), _KINDS.get(int(self._graph.kind[way]), UNKNOWN),
            FUNCTIONS[code] if code >= 0 else None, inputs[:most].tolist(),
            max(len(inputs) - most, 0),
        )  # fmt: skip


def _named(asker: Asker, graph: Derivations, found: Sequence[_Way]) -> pa.Table:
    ends = [end for one in found for end in (one.place, *one.inputs)]
    every = unique(np.array(ends, np.int32))
    items = graph.items(every)
    names = asker.snapshot.names.names(items).to_pylist()
    of = {place: name or ERASED for place, name in zip(every.tolist(), names, strict=True)}
    rows = [
        (
            of[one.place],
            one.op,
            one.kind,
            one.function,
            sorted(of[each] for each in one.inputs),
            one.more,
        )
        for one in found
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * len(_SHAPE)
    return pa.table(columns, schema=_SHAPE)


def expressed(rows: Sequence[dict[str, object]], item: str, most: int = LIMIT) -> str:
    """Return the derivations of an item as one string, with up to about ``most`` names.

    ``&`` joins inputs that are needed together, ``|`` joins alternatives. A derivation of another
    kind is written like a function call; the function ``?`` stands for an unknown kind. An item
    without a derivation in ``rows``, or on a cycle, is written as its name.
    """
    ways: dict[object, list[dict[str, object]]] = {}
    for row in rows:
        ways.setdefault(row[ITEM], []).append(row)
    left = most

    def of(name: str, above: tuple[str, ...]) -> _Text:
        nonlocal left
        left -= 1
        if name in above or name not in ways or left <= 0:
            return _Text(name, False)
        found = [_joined(row, [*inputs(row, (*above, name))]) for row in ways[name]]
        return found[0] if len(found) == 1 else _Text(" | ".join(map(str, found)), True)

    def inputs(row: dict[str, object], above: tuple[str, ...]) -> Iterator[_Text]:
        given = row["inputs"]
        assert isinstance(given, list)
        yield from (of(name, above) for name in given[: max(left, 1)])
        if row["more"] or len(given) > max(left, 1):
            yield _Text("…", False)

    return str(of(item, ()))


@dataclass(frozen=True)
class _Text:
    """A part of an expression; ``joined`` states whether it has an operator outside parentheses."""

    text: str
    joined: bool

    def __str__(self) -> str:
        return self.text


def _joined(row: dict[str, object], inputs: Sequence[_Text]) -> _Text:
    kind = row[KIND]
    if kind in ("all", "any") or (len(inputs) == 1 and kind == UNKNOWN):
        if len(inputs) == 1:
            return inputs[0]
        within = [f"({one})" if one.joined else str(one) for one in inputs]
        return _Text((" & " if kind == "all" else " | ").join(within), True)
    name = row["function"] or ("?" if kind == UNKNOWN else kind)
    return _Text(f"{name}({', '.join(map(str, inputs))})", False)
