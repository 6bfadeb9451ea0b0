"""Draw plots of the recorded benchmark results into `docs/plots`: `make bench-plots`.

The plots show the same results as the tables. With the same version of matplotlib, equal results
give equal files.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks import ROOT
from benchmarks.capture.overhead import MEAN, overhead
from benchmarks.capture.overhead import RESULTS as CAPTURE
from benchmarks.ingest.component_contenders import OURS, times
from benchmarks.ingest.component_speed import RESULTS as COMPONENTS
from benchmarks.peers.peers import RESULTS as PEERS
from benchmarks.questions import methods_table as table
from benchmarks.questions.methods import RESULTS
from benchmarks.shared.markup import WORDS

COLORS = {"rq": "#9aa5b1", "ccprov": "#6b8fb4", "csprov": "#d1495b"}
INK = "#333333"
STYLE = {
    "svg.hashsalt": "provhouse", "font.size": 9, "axes.edgecolor": INK,
    "axes.spines.top": False, "axes.spines.right": False, "text.color": INK,
}  # fmt: skip


def methods(pyplot: Any) -> Any:
    """Draw the times of all methods in memory next to the paper's times.

    There is a panel for each number of copies of the trace.
    """
    results = RESULTS.read()
    figure, panels = pyplot.subplots(
        1, len(results), figsize=(5.2 * len(results), 3.4), sharey=True, squeeze=False
    )
    for panel, (copies, runs) in zip(panels[0], results.items(), strict=True):
        run = runs["RAM"]
        classes = run["classes"]
        for place, (method, name) in enumerate(table.NAMES.items()):
            times = [each["methods"][method]["seconds"]["mean"] for each in classes]
            at = [number + (place - 1) * 0.27 for number in range(len(classes))]
            panel.bar(at, times, 0.25, color=COLORS[method], label=name)
            paper = table.PAPER.get((copies, "RAM"), {})
            known = [
                (x, paper[each["name"]][place])
                for x, each in zip(at, classes, strict=True)
                if each["direction"] == "upstream" and each["name"] in paper
            ]
            label = "the paper, 8 nodes" if place == 0 else None
            panel.plot(*zip(*known, strict=True), "_", color=INK, markersize=11, label=label)
        panel.axhline(run["empty_job"]["p50"], color=INK, linewidth=0.7, linestyle=":")
        panel.set_title(f"{table.trace(copies)}, {run['on']['warehouse']['triples']:,} triples")
        panel.set_xticks(range(len(classes)))
        panel.set_xticklabels([table.title(each).replace(", ", "\n") for each in classes])
        panel.set_yscale("log")
    panels[0][0].set_ylabel("seconds, mean (dotted: an empty Spark job)")
    panels[0][0].legend(frameon=False, fontsize=8)
    return figure


def peers(pyplot: Any) -> Any:
    """Draw each contender's median answer time on one copy, with a panel for each class."""
    results = PEERS.read()["1"]
    succeeded = {name: each for name, each in results["contenders"].items() if each}
    figure, panels = pyplot.subplots(
        1, len(results["classes"]), figsize=(11, 0.28 * len(succeeded) + 0.9), sharey=True
    )
    for place, (panel, one) in enumerate(zip(panels, results["classes"], strict=True)):
        took = [each["took"][place]["seconds"] for each in succeeded.values()]
        times = [found["p50"] if found else results["limit"] for found in took]
        ours = [name.startswith("provhouse") for name in succeeded]
        colors = [COLORS["csprov"] if mine else COLORS["ccprov"] for mine in ours]
        panel.barh(range(len(succeeded)), times, 0.7, color=colors)
        panel.set_xscale("log")
        panel.set_title(f"{one['name']}\n{WORDS[one['direction']]}", fontsize=9)
        panel.set_xlabel("seconds")
    panels[0].set_yticks(range(len(succeeded)))
    panels[0].set_yticklabels(succeeded)
    panels[0].invert_yaxis()
    return figure


def components(pyplot: Any) -> Any:
    """Draw each contender's time on each trace as a multiple of provhouse's time."""
    traces = COMPONENTS.read()["traces"]
    figure, panel = pyplot.subplots(figsize=(7, 3))
    names = [name for name in traces[0]["contenders"] if name != OURS]
    for number, one in enumerate(traces):
        succeeded = [name for name in names if one["contenders"][name]]
        heights = [times(one, name) for name in succeeded]
        at = [names.index(name) + (number - (len(traces) - 1) / 2) * 0.2 for name in succeeded]
        panel.bar(at, heights, 0.18, label=f"{one['trace']}, {one['edges']:,} edges")
    panel.axhline(1, color=INK, linewidth=0.7)
    panel.set_yscale("log")
    panel.set_xticks(range(len(names)))
    panel.set_xticklabels(names)
    panel.set_ylabel("times ours")
    panel.legend(frameon=False, fontsize=8, ncol=2, loc="lower left", bbox_to_anchor=(0, 1))
    return figure


def capture(pyplot: Any) -> Any:
    """Draw each TPC-H query's time with capture, as a multiple of plain, by scale factor."""
    results = CAPTURE.read()
    figure, panels = pyplot.subplots(
        len(results), 1, figsize=(8, 2.1 * len(results)), sharex=True, squeeze=False
    )
    for (scale, found), panel in zip(
        sorted(results.items(), key=lambda each: float(each[0])), panels[:, 0], strict=True
    ):
        queries = found["queries"]
        names = [each["query"] for each in queries]
        panel.bar(names, [overhead(each) for each in queries], 0.7, color=COLORS["csprov"])
        panel.axhline(1, color=INK, linewidth=0.7)
        if scale in MEAN:
            panel.axhline(MEAN[scale], color=INK, linewidth=0.7, linestyle=":")
        panel.set_ylabel(f"times plain,\nscale factor {scale}")
    panels[0, 0].set_title("dotted: the target of the geometric mean", fontsize=8)
    return figure


DRAWN: dict[str, Callable[[Any], Any]] = {
    "methods": methods, "peers": peers, "components": components, "capture": capture,
}  # fmt: skip


def main() -> None:
    """Run from the command line: draw all plots."""
    matplotlib = import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update(STYLE)
    pyplot: Any = import_module("matplotlib.pyplot")
    for name, draw in DRAWN.items():
        file = ROOT / "docs" / "plots" / f"{name}.svg"
        draw(pyplot).savefig(file, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    main()
