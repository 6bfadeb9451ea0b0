"""Questions: how this process answers each one, and what a client sends to a server.

Commands and Python programs ask the questions that are defined here.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from provhouse.model.deletion import Deletion
from provhouse.model.question import AsOf, Question
from provhouse.model.semiring import Evaluating
from provhouse.model.zoom import Level

if TYPE_CHECKING:
    from provhouse.model.answer import Answer
    from provhouse.query.ask import Asker
    from provhouse.query.depends import Dependency
    from provhouse.query.diff import Diff
    from provhouse.query.evaluate import Evaluation
    from provhouse.query.explain import Explanation
    from provhouse.query.find import Finding
    from provhouse.query.generations import Generation
    from provhouse.query.modules import Invocations, Modules
    from provhouse.query.operations import Operations
    from provhouse.query.path import Paths
    from provhouse.query.show_set import ShownSet
    from provhouse.query.subgraph import Subgraph
    from provhouse.query.view import View
    from provhouse.query.what_if import WhatIf
    from provhouse.query.what_if_each import WhatIfEach
    from provhouse.query.why import Why
    from provhouse.query.why_changed import WhyChanged
    from provhouse.query.zoom import Zoomed
    from provhouse.query.zoom_diff import ZoomedDiff
    from provhouse.query.zoom_path import ZoomedPath
    from provhouse.query.zoom_what_if import ZoomedWhatIf

Found = TypeVar("Found")
Askers = Callable[[AsOf | None], AbstractContextManager["Asker"]]
"""A function that returns a context manager with the ``Asker`` of one generation.

An ``Asker`` answers questions from its generation. The argument None means the current generation.
"""


@dataclass(frozen=True)
class Asked(Generic[Found]):
    """One question, with its answer in this process and its form over HTTP."""

    path: str
    body: Mapping[str, object]
    """The fields of the request."""
    answer: Callable[[Askers], Found]
    """Answers the question in this process."""
    quick: bool = False
    """Whether an answer in this process needs neither Spark nor Neo4j."""


def lineage(question: Question) -> "Asked[Answer]":
    """Ask for the lineage or impact of an item, as the question's direction says."""

    def answer(askers: Askers) -> "Answer":
        with askers(question.as_of) as asker:
            return asker.answer(question)

    body = asdict(question)
    path = "/v1/lineage" if body.pop("direction") == "upstream" else "/v1/impact"
    return Asked(path, body, answer)


def path(source: str, target: str, every: bool, as_of: AsOf | None) -> "Asked[Paths]":
    """Ask for a shortest path from one item to another, or for all paths."""

    def answer(askers: Askers) -> "Paths":
        from provhouse.query.path import path as find_path

        with askers(as_of) as asker:
            return find_path(asker, source, target, every=every)

    body = {"from": source, "to": target, "all": every, "as_of": as_of}
    return Asked("/v1/path", body, answer)


def subgraph(item: str, as_of: AsOf | None) -> "Asked[Subgraph]":
    """Ask for the ancestors and descendants of an item, and the siblings of its descendants."""

    def answer(askers: Askers) -> "Subgraph":
        from provhouse.query.subgraph import subgraph as around

        with askers(as_of) as asker:
            return around(asker, item)

    return Asked("/v1/subgraph", {"item": item, "as_of": as_of}, answer)


def find(text: str, anywhere: bool, table: str | None, limit: int) -> "Asked[Finding]":
    """Ask for items whose names begin with a text, or have it anywhere."""

    def answer(askers: Askers) -> "Finding":
        from provhouse.query.find import find as find_items

        with askers(None) as asker:
            return find_items(asker.snapshot, text, anywhere=anywhere, table=table, limit=limit)

    body = {"text": text, "anywhere": anywhere, "table": table, "limit": limit}
    return Asked("/v1/find", body, answer, quick=True)


def explain(question: Question) -> "Asked[Explanation]":
    """Ask what a question would read and how long it would take."""

    def answer(askers: Askers) -> "Explanation":
        with askers(question.as_of) as asker:
            return asker.explain(question)

    names = ("item", "direction", "method", "depth", "as_of")
    return Asked("/v1/explain", {name: getattr(question, name) for name in names}, answer)


def diff(question: Question, until: AsOf | None) -> "Asked[Diff]":
    """Ask how an answer changed from the question's own ``as_of`` to ``until``."""

    def answer(askers: Askers) -> "Diff":
        from provhouse.query.diff import compare

        return compare(question, until, askers)

    body = {
        "item": question.item, "direction": question.direction, "from": question.as_of, "to": until,
    }  # fmt: skip
    return Asked("/v1/diff", body, answer)


def show_set(number: int, limit: int, as_of: AsOf | None) -> "Asked[ShownSet]":
    """Ask for a connected set and up to ``limit`` of its items."""

    def answer(askers: Askers) -> "ShownSet":
        from provhouse.model.arrays import SetId
        from provhouse.query.show_set import show_set as find_set

        with askers(as_of) as asker:
            return find_set(asker.snapshot, SetId(number), limit)

    return Asked("/v1/set", {"set": number, "limit": limit, "as_of": as_of}, answer)


def view(question: Question) -> "Asked[View]":
    """Ask for the lineage or impact of an item as a view in Neo4j."""

    def answer(askers: Askers) -> "View":
        from provhouse.query.view import write_view

        with askers(None) as asker:
            return write_view(asker, question)

    body = {"item": question.item, "direction": question.direction, "depth": question.depth}
    return Asked("/v1/view", body, answer)


def generations() -> "Asked[list[Generation]]":
    """Ask for the list of generations."""

    def answer(askers: Askers) -> "list[Generation]":
        from provhouse.query.generations import list_generations

        with askers(None) as asker:
            return list_generations(asker.snapshot.layout)

    return Asked("/v1/generations", {}, answer, quick=True)


def operations(as_of: AsOf | None) -> "Asked[Operations]":
    """Ask for the ops that are described."""

    def answer(askers: Askers) -> "Operations":
        from provhouse.query.operations import list_operations

        with askers(as_of) as asker:
            return list_operations(asker.snapshot)

    return Asked("/v1/ops", {"as_of": as_of}, answer, quick=True)


def what_if(deletion: Deletion, summary: bool, as_of: AsOf | None) -> "Asked[WhatIf]":
    """Ask what would happen without the items and triples that a deletion names."""

    def answer(askers: Askers) -> "WhatIf":
        from provhouse.query.what_if import what_if as find

        with askers(as_of) as asker:
            return find(asker, deletion, summary=summary)

    return Asked("/v1/what-if", {**asdict(deletion), "summary": summary, "as_of": as_of}, answer)


def what_if_each(item: str, limit: int, as_of: AsOf | None) -> "Asked[WhatIfEach]":
    """Ask what the aggregates of an item would be without each of up to ``limit`` inputs."""

    def answer(askers: Askers) -> "WhatIfEach":
        from provhouse.query.what_if_each import what_if_each as find

        with askers(as_of) as asker:
            return find(asker, item, limit)

    return Asked("/v1/what-if-each", {"item": item, "limit": limit, "as_of": as_of}, answer)


def depends(item: str, on: str, as_of: AsOf | None) -> "Asked[Dependency]":
    """Ask whether an item would exist without another one."""

    def answer(askers: Askers) -> "Dependency":
        from provhouse.query.depends import depends as find

        with askers(as_of) as asker:
            return find(asker, item, on)

    return Asked("/v1/depends", {"item": item, "on": on, "as_of": as_of}, answer)


def why(item: str, limit: int, as_of: AsOf | None) -> "Asked[Why]":
    """Ask for the derivations of an item, with up to ``limit`` inputs."""

    def answer(askers: Askers) -> "Why":
        from provhouse.query.why import why as find

        with askers(as_of) as asker:
            return find(asker, item, limit)

    return Asked("/v1/why", {"item": item, "limit": limit, "as_of": as_of}, answer)


def why_changed(item: str, since: AsOf, until: AsOf | None, limit: int) -> "Asked[WhyChanged]":
    """Ask why an item changed, with up to ``limit`` inputs that made the difference."""

    def answer(askers: Askers) -> "WhyChanged":
        from provhouse.query.why_changed import why_changed as find

        return find(item, since, until, limit, askers)

    body = {"item": item, "from": since, "to": until, "limit": limit}
    return Asked("/v1/why-changed", body, answer)


def evaluate(asked: Evaluating, as_of: AsOf | None) -> "Asked[Evaluation]":
    """Ask for the value of an item in a semiring, from weights of its sources."""

    def answer(askers: Askers) -> "Evaluation":
        from provhouse.query.evaluate import evaluate as find

        with askers(as_of) as asker:
            return find(asker, asked)

    body = {**asdict(asked), "weights": [*asked.weights.items()], "as_of": as_of}
    return Asked("/v1/evaluate", body, answer)


def zoom(
    question: Question, level: Level, folded: Sequence[str], *, foldable: bool = False
) -> "Asked[Zoomed]":
    """Ask for an answer at the level of modules, tables, sets or records.

    ``foldable`` asks for what the views with other folded modules show, too.
    """

    def answer(askers: Askers) -> "Zoomed":
        from provhouse.query.zoom import zoom as zoomed

        with askers(question.as_of) as asker:
            return zoomed(asker, question, level, folded, foldable=foldable)

    body = {**asdict(question), "zoom": level, "fold": [*folded], "foldable": foldable}
    return Asked("/v1/zoom", body, answer)


def zoom_path(
    source: str, target: str, every: bool, as_of: AsOf | None, level: Level, folded: Sequence[str]
) -> "Asked[ZoomedPath]":
    """Ask for a shortest path, or for all paths, at a level."""

    def answer(askers: Askers) -> "ZoomedPath":
        from provhouse.query.zoom_path import zoom_path as zoomed

        with askers(as_of) as asker:
            return zoomed(asker, source, target, level, folded, every=every)

    body = {"from": source, "to": target, "all": every, "as_of": as_of}
    return Asked("/v1/zoom-path", {**body, "zoom": level, "fold": [*folded]}, answer)


def zoom_diff(
    question: Question, until: AsOf | None, level: Level, folded: Sequence[str]
) -> "Asked[ZoomedDiff]":
    """Ask how an answer changed from the question's own ``as_of`` to ``until``, at a level."""

    def answer(askers: Askers) -> "ZoomedDiff":
        from provhouse.query.zoom_diff import zoom_diff as zoomed

        return zoomed(question, until, level, folded, askers)

    body = {
        "item": question.item, "direction": question.direction, "from": question.as_of, "to": until,
    }  # fmt: skip
    return Asked("/v1/zoom-diff", {**body, "zoom": level, "fold": [*folded]}, answer)


def zoom_what_if(
    deletion: Deletion, as_of: AsOf | None, level: Level, folded: Sequence[str]
) -> "Asked[ZoomedWhatIf]":
    """Ask what would happen without the items and triples that a deletion names, at a level."""

    def answer(askers: Askers) -> "ZoomedWhatIf":
        from provhouse.query.zoom_what_if import zoom_what_if as zoomed

        with askers(as_of) as asker:
            return zoomed(asker, deletion, level, folded)

    body = {**asdict(deletion), "as_of": as_of, "zoom": level, "fold": [*folded]}
    return Asked("/v1/zoom-what-if", body, answer)


def modules(as_of: AsOf | None) -> "Asked[Modules]":
    """Ask for the modules that are declared or described."""

    def answer(askers: Askers) -> "Modules":
        from provhouse.query.modules import list_modules

        with askers(as_of) as asker:
            return list_modules(asker.snapshot)

    return Asked("/v1/modules", {"as_of": as_of}, answer, quick=True)


def invocations(module: str, run: str | None, as_of: AsOf | None) -> "Asked[Invocations]":
    """Ask for the invocations of a module, or only those of a run."""

    def answer(askers: Askers) -> "Invocations":
        from provhouse.query.modules import list_invocations

        with askers(as_of) as asker:
            return list_invocations(asker.snapshot, module, run)

    body = {"module": module, "run": run, "as_of": as_of}
    return Asked("/v1/invocations", body, answer, quick=True)
