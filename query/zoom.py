"""Show an answer at a coarser level: folded to modules, tables or connected sets.

A view is folded when the answer is made, from what the answer reads anyway; none is stored.
``workflows.fold`` decides what is inside a module.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from provhouse.model.answer import ItemHeader, Read
from provhouse.model.arrays import ItemNumber
from provhouse.model.columns import ATTRIBUTES, OP
from provhouse.model.errors import UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Question
from provhouse.model.zoom import Level
from provhouse.workflows.fold import fold

from .ask import Asker
from .choose import Choice
from .filters import apply_filters
from .foldable import Foldable, classes_of
from .groups import written_out
from .locate import check_tables, locate_versions
from .methods.csprov import CSProv
from .methods.method import MethodResult, union
from .modules import check_modules
from .samples import samples_passed
from .zoom_flow import calls_of, flow_of
from .zoom_rows import counted, named, reached_tables


@dataclass(frozen=True, kw_only=True)
class Zoomed(ItemHeader):
    """An answer at a coarser level, as nodes and edges."""

    zoom: Level
    folded: tuple[str, ...]
    """The modules that are folded, in order."""
    complete: bool
    truncated: str | None
    found: int
    """The number of items of the answer, without the asked item."""
    inside: int
    """The number of items, of those found, that are hidden inside folded modules."""
    several: int
    """The number of items that were made in several invocations. They are never hidden."""
    outside: int
    """The number of items that were made, but in no module."""
    erased: int
    nodes: pa.Table
    """The columns ``NODES``. The node 0 shows the asked item."""
    edges: pa.Table
    """The columns ``EDGES``, those with the most triples first."""
    read: Read
    foldable: Foldable | None = None
    """The content of all other views of the answer, if it was asked for."""


def zoom(
    asker: Asker,
    question: Question,
    level: Level,
    folded: Sequence[str] = (),
    *,
    foldable: bool = False,
) -> Zoomed:
    """Return the answer to a question at a level, with some modules folded.

    ``foldable`` adds what other views show, from which a page can fold and unfold modules. At the
    level ``module``, all modules are folded unless some are named. Raises NotFound for an
    unknown item or module, and UsageError for options that the level cannot have.
    """
    _check(question, level, folded, foldable=foldable)
    return asker.snapshot.names.settled(
        lambda: _zoom(asker, question, level, folded, foldable=foldable)
    )


def _check(question: Question, level: Level, folded: Sequence[str], *, foldable: bool) -> None:
    for given, what in (
        (question.summary, "a summary"),
        (question.sets, "the sets of items"),
        (question.method not in ("auto", "csprov"), f"the method {question.method}"),
        (level == "catalogue" and folded, "folded modules"),
        (level == "catalogue" and foldable, "modules to fold in a page"),
        (level == "catalogue" and question.filtered, "filters"),
    ):
        if given:
            raise UsageError(
                f"A view at the level {level} cannot have {what}",
                "It shows nodes and edges instead of rows, and is found by CSProv",
                "Leave the option out, or choose another level",
            )


def _zoom(
    asker: Asker, question: Question, level: Level, folded: Sequence[str], *, foldable: bool
) -> Zoomed:
    watch, snapshot = Stopwatch(), asker.snapshot
    with watch.step("locate"):
        check_tables(question.filter_tables, snapshot)
        located = locate_versions(snapshot, question.item, every=question.all_versions)
    if level == "catalogue":
        return _catalogue(asker, question, located.first, watch)
    results = []
    for number in map(ItemNumber, located.numbers.tolist()):
        walk = asker.walk(number, question.direction, watch)
        method = CSProv(snapshot, asker.spark, watch, walk, described=True)
        results.append(method.find(number, question.direction, question.depth))
    found = _together(results, question)
    with watch.step("recurse"):
        found = written_out(found, snapshot.groups, question.direction)
        shown = apply_filters(_decoded(found, question), located.numbers, question, snapshot.names)
    with watch.step("fold"):
        calls = calls_of(snapshot, shown.result.triples)
        check_modules(snapshot, [*folded], calls.modules)
        chosen = folded if folded or level != "module" else calls.modules
        flow = flow_of(snapshot, shown.result, located.first, calls)
        view = fold(flow.flow, np.isin(flow.modules, [*chosen]), flow.asked)
        edges = counted(flow, view, level, snapshot, shown.result)
    with watch.step("name"):
        nodes = named(flow, view, edges, snapshot)
        others = classes_of(flow, level, snapshot, shown.result) if foldable else None
    choice = Choice("csprov", "a view is folded from the triples that CSProv reads")
    samples = samples_passed(snapshot, question.direction, located.numbers, found.items)
    head = asker.header(question, located.first, choice, watch)
    return Zoomed(
        **{**head, "seconds": watch.total(), "samples": samples},
        zoom=level,
        complete=not samples,
        truncated=shown.truncated,
        found=len(shown.result.items),
        erased=shown.erased,
        read=found.read,
        folded=tuple(sorted({*chosen})),
        inside=int(view.hidden.sum()),
        several=int(view.several.sum()),
        outside=flow.outside,
        nodes=nodes,
        edges=edges.edges,
        foldable=others,
    )


def _together(results: Sequence[MethodResult], question: Question) -> MethodResult:
    return results[0] if len(results) == 1 else union(results, question.direction)


def _decoded(found: MethodResult, question: Question) -> MethodResult:
    """Return the result with op and attributes as plain strings, if filters look at them."""
    if not question.looks_at_triples:
        return found
    triples = found.triples
    for name in (OP, ATTRIBUTES):
        at = triples.column_names.index(name)
        triples = triples.set_column(at, name, triples[name].cast(pa.string()))
    return replace(found, triples=triples)


def _catalogue(asker: Asker, question: Question, asked: ItemNumber, watch: Stopwatch) -> Zoomed:
    """Return the tables that an answer could have, by the table graph of the whole warehouse."""
    snapshot = asker.snapshot
    with watch.step("fold"):
        nodes, edges = reached_tables(snapshot, asked, question.direction, question.depth)
    choice = Choice("csprov", "the table graph of the warehouse is read, and no triples")
    samples = tuple(each.sample for each in snapshot.samples)
    head = {**asker.header(question, asked, choice, watch), "samples": samples}
    return Zoomed(
        **{**head, "seconds": watch.total()},
        zoom="catalogue", complete=not samples, truncated=None, found=0, erased=0,
        read=Read(0, 0, 0), folded=(), inside=0, several=0, outside=0, nodes=nodes, edges=edges,
    )  # fmt: skip
