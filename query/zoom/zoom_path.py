"""Show how one item was derived from another at the level of modules, tables, sets or records."""

from collections.abc import Sequence
from dataclasses import dataclass

from provhouse.model.answer import Header, Read
from provhouse.model.arrays import ItemNumber, ItemNumbers, unique
from provhouse.model.errors import NotFound
from provhouse.model.progress import Stopwatch
from provhouse.model.zoom import Level

from ..lineage.ask import Asker
from ..lineage.path import find_way
from ..lineage.row_filters import without_erased
from ..listing.modules import check_modules
from ..locate import locate_versions
from ..passed_samples import common_fields, samples_passed
from .zoom_rows import tables_between
from .zoom_view import LevelView, check_catalogue, of_tables, shown_at


@dataclass(frozen=True, kw_only=True)
class ZoomedPath(LevelView, Header):
    """One shortest path, or all paths, at a level.

    The node 0 shows ``source``, and the node 1 shows ``target``. If ``source`` and ``target`` are
    the same item, or have the same table at the level ``catalogue``, the node 0 shows both.
    """

    source: str
    target: str
    every: bool
    hops: int | None
    """The number of triples on a shortest path; None at the level ``catalogue``."""
    complete: bool
    found: int
    """The number of items on the path, including both ends."""
    erased: int
    read: Read


def zoom_path(
    asker: Asker, source: str, target: str, level: Level, folded: Sequence[str] = (), *,
    every: bool = False,
) -> ZoomedPath:  # fmt: skip
    """Return a shortest path, or all paths, at a level, with some modules folded.

    Raises NotFound if an item or module is not stored, or if no path leads from ``source`` to
    ``target``; UsageError if modules are to be folded at the level ``catalogue``.
    """
    check_catalogue(level, folded)
    found = _catalogue if level == "catalogue" else _zoom_path
    return asker.snapshot.names.settled(lambda: found(asker, source, target, every, level, folded))


def _zoom_path(
    asker: Asker, source: str, target: str, every: bool, level: Level, folded: Sequence[str]
) -> ZoomedPath:
    watch, snapshot = Stopwatch(), asker.snapshot
    way = find_way(asker, source, target, every, watch, described=True)
    with watch.step("fold"):
        shown = without_erased(way.result, snapshot.names.erased)
        ends = ItemNumbers(way.ends[: len(unique(way.ends))])
        view = shown_at(snapshot, shown, level, folded, ends)
    with watch.step("name"):
        check_modules(folded, view.modules, snapshot)
        fields = view.fields()
    samples = samples_passed(snapshot, "upstream", way.lineage, ItemNumbers(way.ends[1:]))
    return ZoomedPath(
        **fields,
        **common_fields(snapshot, watch, way.result.read, samples),
        source=way.source,
        target=way.target,
        every=every,
        hops=way.hops,
        found=len(shown.items),
        erased=len(way.result.items) - len(shown.items),
    )


def _catalogue(
    asker: Asker, source: str, target: str, every: bool, level: Level, folded: Sequence[str]
) -> ZoomedPath:
    """Return the tables on all paths between the tables of two items in the warehouse."""
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        ends = [locate_versions(snapshot, name) for name in (source, target)]
        names = [end.names[0] for end in ends]
    with watch.step("fold"):
        first, last = (ItemNumber(end.first) for end in ends)
        nodes, edges = tables_between(snapshot, first, last)
    if not nodes.num_rows:
        raise NotFound(
            f"No path leads from {names[0]!r} to {names[1]!r}",
            "No chain of tables connects their tables in this direction",
        )
    samples = tuple(each.sample for each in snapshot.samples)
    return ZoomedPath(
        **of_tables(nodes, edges),
        **common_fields(snapshot, watch, Read(0, 0, 0), samples),
        source=names[0],
        target=names[1],
        every=every,
        hops=None,
        found=0,
        erased=0,
    )
