"""Draw plots of the recorded benchmark results into `docs/plots`: `make bench-plots`.

The plots show the same results as the tables. With the same version of matplotlib, equal results
give equal files.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from benchmarks import ROOT
from benchmarks.capture import plots as capture_plots
from benchmarks.capture import programs_form
from benchmarks.ingest import components_table, ingest_table
from benchmarks.ingest.components_form import OURS, times
from benchmarks.peers import peers_table
from benchmarks.questions import methods_table
from benchmarks.shared.markup import WORDS
from benchmarks.shared.plots import COLORS, INK
from benchmarks.tracing import form as tracing_form
from benchmarks.workflows import plots as workflowgen_plots
from benchmarks.workflows import table as workflowgen_table

PLOTS = ROOT / "docs" / "plots"


def main() -> None:
    """Run from the command line: draw all plots."""
    matplotlib = import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "provhouse", "font.size": 9, "axes.edgecolor": INK,
            "axes.spines.top": False, "axes.spines.right": False, "text.color": INK,
        }
    )  # fmt: skip
    pyplot: Any = import_module("matplotlib.pyplot")
    PLOTS.mkdir(exist_ok=True)
    drawn: dict[str, Callable[[Any], Any]] = {
        "methods": methods, "peers": peers, "components": components, "ingest": ingest,
        "capture": capture_plots.capture, "capture-tpcds": capture_plots.capture_tpcds,
        "capture-nights": capture_plots.capture_nights,
    }  # fmt: skip
    if workflowgen_table.RESULTS.path.exists():
        drawn["workflowgen"] = workflowgen_plots.workflowgen
    if programs_form.RESULTS.path.exists():
        drawn["programs"] = capture_plots.programs
    if tracing_form.RESULTS.path.exists():
        drawn["tracing"] = capture_plots.tracing
    for name, draw in drawn.items():
        figure = draw(pyplot)
        figure.savefig(PLOTS / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")


def methods(pyplot: Any) -> Any:
    """Draw the times of all methods in memory beside the paper's times.

    There is a panel for each number of copies of the trace.
    """
    results = methods_table.RESULTS.read()
    figure, panels = pyplot.subplots(
        1, len(results), figsize=(5.2 * len(results), 3.4), sharey=True, squeeze=False
    )
    for panel, (copies, runs) in zip(panels[0], results.items(), strict=True):
        run = runs["RAM"]
        classes = run["classes"]
        for place, (method, name) in enumerate(methods_table.NAMES.items()):
            times = [each["methods"][method]["seconds"]["mean"] for each in classes]
            at = [number + (place - 1) * 0.27 for number in range(len(classes))]
            panel.bar(at, times, 0.25, color=COLORS[method], label=name)
            paper = methods_table.PAPER.get((copies, "RAM"), {})
            known = [
                (x, paper[each["name"]][place])
                for x, each in zip(at, classes, strict=True)
                if each["direction"] == "upstream" and each["name"] in paper
            ]
            label = "the paper, 8 nodes" if place == 0 else None
            panel.plot(*zip(*known, strict=True), "_", color=INK, markersize=11, label=label)
        panel.axhline(run["empty_job"]["p50"], color=INK, linewidth=0.7, linestyle=":")
        panel.set_title(
            f"{methods_table.trace(copies)}, {run['on']['warehouse']['triples']:,} triples"
        )
        panel.set_xticks(range(len(classes)))
        panel.set_xticklabels([methods_table.title(each).replace(", ", "\n") for each in classes])
        panel.set_yscale("log")
    panels[0][0].set_ylabel("seconds, mean (dotted: an empty Spark job)")
    panels[0][0].legend(frameon=False, fontsize=8)
    return figure


def peers(pyplot: Any) -> Any:
    """Draw each contender's median answer time on one copy, with a panel for each class."""
    results = peers_table.RESULTS.read()["1"]
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
    traces = components_table.RESULTS.read()["traces"]
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


def ingest(pyplot: Any) -> Any:
    """Draw the time of each step of a complete ingest, in microseconds per triple."""
    results = ingest_table.RESULTS.read()
    figure, panel = pyplot.subplots(figsize=(7, 0.5 * len(results) + 0.8))
    shades: Sequence[Any] = pyplot.get_cmap("tab10").colors
    for row, one in enumerate(results.values()):
        left = 0.0
        steps = {name: took for name, took in one["ingest"]["seconds"].items() if name != "total"}
        for (step, took), shade in zip(steps.items(), shades, strict=False):
            width = took / one["ingest"]["triples"] * 1e6
            panel.barh(row, width, 0.6, left=left, color=shade, label=None if row else step)
            left += width
    panel.set_yticks(range(len(results)))
    panel.set_yticklabels([f"{one['ingest']['triples']:,} triples" for one in results.values()])
    panel.set_xlabel("microseconds a triple")
    panel.legend(frameon=False, fontsize=8, ncol=8, loc="lower left", bbox_to_anchor=(0, 1))
    return figure


if __name__ == "__main__":
    main()
