"""Folds, compared with ZoomOut and ZoomIn as defined in the Lipstick paper."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from helpers.lipstick import Edge, Graph, Use, figure_2c, random_flow
from provhouse.model.derivations import ROLES
from provhouse.query.zoom.fold import INPUT_TABLE, NONE, OTHER_TABLE, UNDECLARED, Flow, Folded, fold


class Numbered:
    """The triples of a provenance graph as a flow, and the name of each of its numbers."""

    def __init__(self, graph: Graph) -> None:
        self.uses: Sequence[Use] = list(graph.uses())
        self.items = sorted({end for use in self.uses for end in (use.src, use.dst)})
        self.calls = sorted({(use.module, use.invocation) for use in self.uses})
        self.modules = sorted({module for module, _ in self.calls})
        constant = [graph.nodes[name].kind == "v" for name in self.items]
        parts = [INPUT_TABLE, OTHER_TABLE, UNDECLARED]
        self.flow = Flow(
            len(self.items),
            np.array([self.items.index(use.src) for use in self.uses]),
            np.array([self.items.index(use.dst) for use in self.uses]),
            np.array([self.calls.index((u.module, u.invocation)) for u in self.uses], np.int32),
            np.array([ROLES.get(use.role, NONE) for use in self.uses], np.int8),
            np.array([self.modules.index(module) for module, _ in self.calls], np.int32),
            np.array(constant, np.int32),
            np.array([parts] * len(self.modules), np.int8),
        )

    def folded(self, modules: Iterable[str]) -> Folded:
        mask = np.isin(self.modules, [*modules])
        return fold(self.flow, mask, np.empty(0, np.int64))

    def visible(self, view: Folded) -> set[str]:
        return {self.items[n] for n in np.flatnonzero(~view.hidden).tolist()}

    def links(self, view: Folded) -> set[Edge]:
        names = [*self.items, *(invocation for _, invocation in self.calls)]
        ends = zip(view.start.tolist(), view.end.tolist(), strict=True)
        return {(names[start], names[end]) for start, end in ends}


def _check(graph: Graph, modules: Sequence[str]) -> None:
    mine, zoomed = Numbered(graph), graph.zoom_out(modules)
    view = mine.folded(modules)
    used = {name for name in graph.kinds("i") if graph.after(name)}
    assert mine.visible(view) == {*mine.items} & {*zoomed.nodes}
    assert mine.links(view) == zoomed.links(used)


@pytest.mark.parametrize("modules", [["dealer1"], ["dealer1", "agg"], ["and", "dealer2"], []])
def test_figure_2c_is_folded_as_the_paper_defines_it(modules: list[str]) -> None:
    _check(figure_2c(), modules)


def test_example_4_1_intermediate_computations() -> None:
    mine = Numbered(figure_2c())
    shown = mine.visible(mine.folded(["dealer1"]))
    assert not {"dealer1 N60 C2", "dealer1 N70", "C2", "C3"} & shown
    assert {"N101", "dealer1 N90", "dealer2 N70", "C5"} <= shown


def test_example_4_2_all_modules_folded_give_the_coarse_graph() -> None:
    mine = Numbered(figure_2c())
    view = mine.folded(["and", "dealer1", "dealer2", "agg"])
    outputs = {"and out", "dealer1 N90", "dealer2 N90", "N101"}
    assert mine.visible(view) == {"N00", *outputs}
    assert mine.links(view) == {
        ("N00", "and 1"), ("and 1", "and out"),
        ("and out", "dealer1 1"), ("dealer1 1", "dealer1 N90"),
        ("and out", "dealer2 1"), ("dealer2 1", "dealer2 N90"),
        ("dealer1 N90", "agg 1"), ("dealer2 N90", "agg 1"), ("agg 1", "N101"),
    }  # fmt: skip


def test_zooming_in_gives_the_graph_back() -> None:
    mine = Numbered(figure_2c())
    view = mine.folded([])
    assert mine.visible(view) == {*mine.items}
    assert mine.links(view) == {(use.src, use.dst) for use in mine.uses}


def _random(seed: int) -> None:
    graph, modules = random_flow(seed)
    _check(graph, modules[: 1 + seed % len(modules)])


@pytest.mark.parametrize("seed", range(20))
def test_random_flows_are_folded_as_by_paths(seed: int) -> None:
    _random(seed)


@pytest.mark.long
def test_four_hundred_random_flows_are_folded_as_by_paths() -> None:
    for seed in range(20, 420):
        _random(seed)
