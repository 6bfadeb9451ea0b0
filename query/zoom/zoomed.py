"""Show an answer at a coarser level: folded to modules, tables or connected sets.

A view is computed from the data that the answer needs anyway, and is never stored. The code that
folds is in ``zoom_view.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from provhouse.model.answer import ItemHeader, Read
from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.errors import UsageError
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Question
from provhouse.model.zoom import Level

from ..lineage.ask import Asker
from ..lineage.choose import Choice
from ..lineage.row_filters import Filtered, apply_filters
from ..listing.modules import check_modules
from ..locate import check_tables, locate_versions
from ..methods.csprov import CSProv
from ..methods.method import MethodResult, plain_texts, union
from ..methods.written_out import written_out
from ..passed_samples import samples_passed
from .foldable import Foldable, classes_of
from .zoom_rows import reached_tables
from .zoom_view import LevelView, ShownAt, check_catalogue, of_tables, shown_at


@dataclass(frozen=True, kw_only=True)
class Zoomed(LevelView, ItemHeader):
    """An answer at a coarser level, as nodes and edges. The node 0 shows the asked item."""

    complete: bool
    truncated: str | None
    found: int
    """The number of items in the answer, except the asked item."""
    erased: int
    read: Read
    foldable: Foldable | None = field(default=None, repr=False)
    """The data for all other views of the answer, if the question asked for it."""


def zoom(
    asker: Asker,
    question: Question,
    level: Level,
    folded: Sequence[str] = (),
    *,
    foldable: bool = False,
) -> Zoomed:
    """Return the answer to a question at a level, with some modules folded.

    ``foldable`` adds the data for all other views, so that a page can fold and unfold modules. At
    the level ``module``, all modules are folded unless some are named. Raises NotFound for an
    unknown item or module, and UsageError for options that the level does not support.
    """
    check_question(question, level, folded)
    if foldable and level == "catalogue":
        raise UsageError(
            "A page cannot fold modules at the level catalogue",
            "This level reads no triples",
            "Choose another level",
        )
    return asker.snapshot.names.settled(
        lambda: _zoom(asker, question, level, folded, foldable=foldable)
    )


def check_question(question: Question, level: Level, folded: Sequence[str]) -> None:
    """Raise UsageError for options that a view does not support."""
    check_catalogue(level, folded)
    for given, what in (
        (question.summary, "a summary"),
        (question.sets, "the sets of items"),
        (question.method not in ("auto", "csprov"), f"the method {question.method}"),
        (level == "catalogue" and question.filtered, "filters"),
    ):
        if given:
            raise UsageError(
                f"A view at the level {level} cannot have {what}",
                "It shows nodes and edges instead of rows, and always uses CSProv",
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
    view, found, shown = answer_at(asker, question, level, folded, located.numbers, watch)
    with watch.step("name"):
        check_modules(folded, view.modules, snapshot)
        fields = view.fields()
        others = classes_of(view.flow, level, snapshot, view.found) if foldable else None
    choice = Choice("csprov", "a view is folded from the triples that CSProv reads")
    samples = samples_passed(snapshot, question.direction, located.numbers, found.items)
    head = asker.header(question, located.first, choice, watch)
    return Zoomed(
        **{**head, "seconds": watch.total(), "samples": samples},
        **fields,
        complete=not samples,
        truncated=shown.truncated,
        found=len(shown.result.items),
        erased=shown.erased,
        read=found.read,
        foldable=others,
    )


def answer_at(
    asker: Asker, question: Question, level: Level, folded: Sequence[str], items: ItemNumbers,
    watch: Stopwatch,
) -> tuple[ShownAt, MethodResult, Filtered]:  # fmt: skip
    """Return the answer about ``items`` at a level, and its result before and after filters.

    The first of ``items`` is the asked item.
    """
    snapshot = asker.snapshot
    results = []
    for number in map(ItemNumber, items.tolist()):
        walk = asker.walk(number, question.direction, watch)
        method = CSProv(snapshot, asker.spark, watch, walk, described=True)
        results.append(method.find(number, question.direction, question.depth))
    found = _together(results, question)
    with watch.step("recurse"):
        found = written_out(found, snapshot.groups, question.direction)
        shown = apply_filters(_decoded(found, question), items, question, snapshot.names)
    with watch.step("fold"):
        view = shown_at(snapshot, shown.result, level, folded, ItemNumbers(items[:1]))
    return view, found, shown


def _together(results: Sequence[MethodResult], question: Question) -> MethodResult:
    return results[0] if len(results) == 1 else union(results, question.direction)


def _decoded(found: MethodResult, question: Question) -> MethodResult:
    """Return the result, with op and attributes as plain strings if a filter needs them."""
    return plain_texts(found) if question.looks_at_triples else found


def _catalogue(asker: Asker, question: Question, asked: ItemNumber, watch: Stopwatch) -> Zoomed:
    """Return the tables that an answer could have, from the table graph of the whole warehouse."""
    snapshot = asker.snapshot
    with watch.step("fold"):
        nodes, edges = reached_tables(snapshot, asked, question.direction, question.depth)
    choice = Choice("csprov", "the table graph of the warehouse is read, and no triples")
    samples = tuple(each.sample for each in snapshot.samples)
    head = {**asker.header(question, asked, choice, watch), "samples": samples}
    return Zoomed(
        **{**head, "seconds": watch.total()},
        complete=not samples,
        truncated=None,
        found=0,
        erased=0,
        read=Read(0, 0, 0),
        **of_tables(nodes, edges),
    )
