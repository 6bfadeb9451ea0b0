"""Find how one item was derived from another: by a shortest path, or by all paths.

Every path between two items is part of the lineage of the later item. CSProv reads only the part of
this lineage that is in sets between the two items, and searches only these triples for paths.
"""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from provhouse.model.answer import FoundRows
from provhouse.model.arrays import I64, ItemNumber, ItemNumbers, unique
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC
from provhouse.model.errors import NotFound
from provhouse.model.progress import Stopwatch
from provhouse.store.names.names import Names

from ..locate import locate_versions
from ..methods.csprov import CSProv
from ..methods.method import MethodResult, plain_texts, src_and_dst
from ..methods.written_out import written_out
from ..passed_samples import common_fields, sample_note, samples_passed
from ..reading.recurse import recurse
from ..reading.verify import check_closed
from ..reading.walk import walk_between
from .ask import Asker
from .named_rows import name_rows
from .row_filters import without_erased


@dataclass(frozen=True, kw_only=True)
class Paths(FoundRows):
    """The triples on one shortest path from ``source`` to ``target``, or on all paths.

    A path follows the data, from src to dst. ``items`` has the columns item, table (string) and
    depth (the fewest hops from ``source``, whose depth is 0), ordered by depth, then item.
    ``triples`` has the columns src, dst, op and attributes, ordered by the depth of src, then by
    src, dst, op and attributes.
    """

    source: str
    target: str
    every: bool
    hops: int
    """The number of triples on a shortest path."""


def path(asker: Asker, source: str, target: str, *, every: bool = False) -> Paths:
    """Return one shortest path from ``source`` to ``target``, or all paths if ``every``.

    Paths from an item to itself are its cycles. Raises NotFound if an item is not stored, or if no
    path leads from ``source`` to ``target``.
    """
    return asker.snapshot.names.settled(lambda: _path(asker, source, target, every))


@dataclass(frozen=True)
class Way:
    """One shortest path between two items, or all paths, as item numbers."""

    source: str
    target: str
    ends: ItemNumbers
    """The item numbers of the source and the target."""
    hops: int
    result: MethodResult
    lineage: ItemNumbers
    """The items of the target's lineage that were searched."""


def find_way(
    asker: Asker, source: str, target: str, every: bool, watch: Stopwatch, described: bool = False
) -> Way:
    """Return one shortest path, or all paths if ``every``. Raises NotFound like ``path``.

    If ``described`` is true, triples have the columns of ``DESCRIBED``, and a triple appears once
    for each of its derivations.
    """
    snapshot = asker.snapshot
    with watch.step("locate"):
        ends = [locate_versions(snapshot, name) for name in (source, target)]
        first, last = (end.first for end in ends)
        source, target = (end.names[0] for end in ends)  # may be the names of the newest versions
        sets = snapshot.set_rows(ItemNumbers(np.array([first, last])))
        apart = len(unique(snapshot.set_components[sets])) > 1
    if apart:
        why = "They are in different components, so nothing connects them"
        raise _no_path(source, target, why + sample_note(snapshot))
    found = _between(asker, first, last, watch, described)
    hops = _depth(found, first) if found else None
    if found is None or hops is None:
        back = first != last and _has_path(asker, last, first, watch)
        why, *remedy = _why(source, target, back)
        raise _no_path(source, target, why + sample_note(snapshot), *remedy)
    with watch.step("recurse"):
        way = _all_paths(found, first) if every else _shortest(found, first, last, snapshot.names)
    return Way(source, target, ItemNumbers(np.array([first, last])), hops, way, found.items)


def _path(asker: Asker, source: str, target: str, every: bool) -> Paths:
    watch = Stopwatch()
    snapshot = asker.snapshot
    found = find_way(asker, source, target, every, watch)
    way = found.result
    with watch.step("recurse"):
        stated = asker.declared.of_triples(way.triples[OP])
    with watch.step("name"):
        shown = without_erased(way, snapshot.names.erased)
        items, triples = name_rows(shown, snapshot.names)
    samples = samples_passed(snapshot, "upstream", found.lineage, ItemNumbers(found.ends[1:]))
    return Paths(
        **common_fields(snapshot, watch, way.read, samples),
        source=found.source,
        target=found.target,
        every=every,
        hops=found.hops,
        items=items,
        triples=triples,
        erased=len(way.items) - len(shown.items),
        exactness=stated.weakest,
        exactness_triples=dict(stated.triples),
    )


def _between(
    asker: Asker, first: ItemNumber, last: ItemNumber, watch: Stopwatch, described: bool = False
) -> MethodResult | None:
    """Return the lineage of ``last`` in the sets between both items; None if there are none."""
    walk = asker.walk(last, "upstream", watch)
    with watch.step("walk"):
        check_closed(asker.snapshot, walk.sets)
        walk = walk_between(asker.snapshot, first, walk)
    if not len(walk.sets):
        return None
    method = CSProv(asker.snapshot, asker.spark, watch, walk, described=described)
    found = written_out(method.find(last, "upstream", None), asker.snapshot.groups, "upstream")
    if described:
        return plain_texts(found)
    return found.without_repeats() if asker.snapshot.derived else found


def _has_path(asker: Asker, first: ItemNumber, last: ItemNumber, watch: Stopwatch) -> bool:
    found = _between(asker, first, last, watch)
    return found is not None and _depth(found, first) is not None


def _depth(found: MethodResult, item: ItemNumber) -> int | None:
    depths = found.depths[found.items == item]
    return int(depths[0]) if len(depths) else None


def _no_path(source: str, target: str, why: str, remedy: str = "") -> NotFound:
    return NotFound(f"No path leads from {source!r} to {target!r}", why, remedy)


def _why(source: str, target: str, back: bool) -> tuple[str, ...]:
    if back:
        return (
            f"It is the other way round: {source!r} derives from {target!r}",
            "Swap the two names",
        )
    return ("Neither derives from the other" if source != target else "The item is on no cycle",)


def _all_paths(found: MethodResult, first: ItemNumber) -> MethodResult:
    """Return the triples on all paths from ``first`` to the target; ``found`` is its lineage."""
    src, dst = src_and_dst(found.triples)
    reached = recurse(src, dst, first)
    others = reached.items != first
    return replace(
        found,
        items=ItemNumbers(np.append(reached.items[others], first)),
        depths=np.append(reached.depths[others], np.int32(0)),
        triples=found.triples.take(pa.array(reached.triples)),
        near_depths=reached.near_depths,
    )


def _shortest(
    found: MethodResult, first: ItemNumber, last: ItemNumber, names: Names
) -> MethodResult:
    """Return the shortest path that comes first by its triples' dst, op and attributes."""
    src, dst, rows = _steps_nearer(found, first)
    texts = names.names(dst)
    by_name = pa.table(
        {
            SRC: src,
            DST: texts,
            OP: found.triples[OP].take(pa.array(rows)),
            ATTRIBUTES: found.triples[ATTRIBUTES].take(pa.array(rows)),
            "row": np.arange(len(rows)),
        }
    ).sort_by([(key, "ascending") for key in (SRC, DST, OP, ATTRIBUTES, "row")])
    places, starts = np.unique(np.asarray(by_name[SRC]), return_index=True)
    step = dict(zip(places.tolist(), np.asarray(by_name["row"])[starts].tolist(), strict=True))
    way = [step[first]]
    while dst[way[-1]] != last:
        way.append(step[int(dst[way[-1]])])
    depths = np.arange(len(way) + 1, dtype=np.int32)
    items = ItemNumbers(np.append(src[way], last)[: len(way) + (last != first)])
    return replace(
        found,
        items=items,
        depths=depths[: len(items)],
        triples=found.triples.take(pa.array(rows[way])),
        near_depths=depths[:-1],
    )


def _steps_nearer(found: MethodResult, first: ItemNumber) -> tuple[ItemNumbers, ItemNumbers, I64]:
    """Return the src, dst and row of all triples on shortest paths from ``first`` to the target."""
    src, dst = src_and_dst(found.triples)
    order = np.argsort(found.items)  # every src is among the items
    depth = found.depths[order[np.searchsorted(found.items, src, sorter=order)]]
    rows = np.flatnonzero(depth == found.near_depths + 1)
    rows = rows[recurse(src[rows], dst[rows], first).triples]
    return ItemNumbers(src[rows]), ItemNumbers(dst[rows]), rows
