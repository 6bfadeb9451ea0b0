"""Draw plots of the recorded benchmark results into `docs/plots`: `make bench-plots`.

The plots show the same results as the tables. With the same version of matplotlib, equal results
give equal files.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from benchmarks import ROOT
from benchmarks.capture import nights as capture_nights_form
from benchmarks.capture import overhead as capture_overhead_form
from benchmarks.capture import programs as programs_form
from benchmarks.capture import tpcds as capture_tpcds_form
from benchmarks.capture.overhead import MEAN, overhead
from benchmarks.capture.programs import BARS
from benchmarks.ingest import components as components_table
from benchmarks.ingest import ingest as ingest_table
from benchmarks.ingest.contenders import OURS, times
from benchmarks.peers import peers as peers_table
from benchmarks.questions import methods_table
from benchmarks.questions.methods import RESULTS as METHODS
from benchmarks.shared.markup import WORDS
from benchmarks.tracing import walks as tracing_form
from benchmarks.workflows import workflowgen as workflowgen_table
from benchmarks.workflows.workflowgen import FOLD_MS, RESULTS

COLORS = {"rq": "#9aa5b1", "ccprov": "#6b8fb4", "csprov": "#d1495b"}
INK = "#333333"


def capture(pyplot: Any) -> Any:
    """Draw how many times as long each query of TPC-H takes with capture, by scale factor."""
    results = capture_overhead_form.RESULTS.read()
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


def capture_tpcds(pyplot: Any) -> Any:
    """Draw the queries of TPC-DS by how many times as long they take with capture."""
    queries = capture_tpcds_form.RESULTS.read()["queries"]
    ratios = sorted(
        each["captured"]["seconds"] / each["plain"]["seconds"]
        for each in queries
        if each["plain"]["seconds"]
    )
    figure, panel = pyplot.subplots(figsize=(8, 2.4))
    panel.bar(range(len(ratios)), ratios, 0.8, color=COLORS["csprov"])
    panel.axhline(1, color=INK, linewidth=0.7)
    panel.set_xlabel(f"{len(ratios)} queries of TPC-DS, by overhead")
    panel.set_ylabel("times plain")
    return figure


def capture_nights(pyplot: Any) -> Any:
    """Draw the seconds of the captured job, its landing and DuckDB's inserts, night by night."""
    nights = capture_nights_form.RESULTS.read()["nights"]
    figure, panel = pyplot.subplots(figsize=(8, 2.6))
    numbers = range(1, len(nights) + 1)
    for label, color, seconds in (
        ("landing", COLORS["csprov"], [each["landing_seconds"] for each in nights]),
        ("job", COLORS["ccprov"], [each["job_seconds"] for each in nights]),
        ("DuckDB's insert", COLORS["rq"], [each["duckdb_seconds"] for each in nights]),
    ):
        panel.plot(numbers, seconds, color=color, linewidth=0.9, label=label)
    panel.set_ylim(bottom=0)
    panel.set_xlabel("night")
    panel.set_ylabel("seconds")
    panel.legend(frameon=False, fontsize=8)
    return figure


def programs(pyplot: Any) -> Any:
    """Draw how many times as long each program takes with capture, by interface and size."""
    results = programs_form.RESULTS.read()
    figure, panels = pyplot.subplots(
        len(results), 1, figsize=(8, 2.1 * len(results)), sharex=True, squeeze=False
    )
    for (size, found), panel in zip(
        sorted(results.items(), key=lambda each: float(each[0])), panels[:, 0], strict=True
    ):
        for at, (interface, color) in enumerate(zip(BARS, ("csprov", "ccprov"), strict=True)):
            costs = [each["ways"].get(interface, {}) for each in found["programs"]]
            ratios = [
                each["capture"]["cost"]["seconds"] / each["plain"]["cost"]["seconds"] if each else 0
                for each in costs
            ]
            places = [number + (at - 0.5) * 0.4 for number in range(len(ratios))]
            panel.bar(places, ratios, 0.38, color=COLORS[color], label=interface)
            panel.axhline(BARS[interface], color=COLORS[color], linewidth=0.7, linestyle=":")
        panel.axhline(1, color=INK, linewidth=0.7)
        panel.set_xticks(range(len(found["programs"])))
        panel.set_xticklabels([each["program"] for each in found["programs"]])
        panel.set_ylabel(f"times plain,\n{size} GB")
    panels[0, 0].set_title("dotted: the targets", fontsize=8)
    panels[0, 0].legend(frameon=False, fontsize=8)
    return figure


def tracing(pyplot: Any) -> Any:
    """Draw the times of our steps and of shuffle joins by the number of rows, for each scale."""
    results = tracing_form.RESULTS.read()
    figure, panels = pyplot.subplots(
        1, len(results), figsize=(3.6 * len(results), 2.8), sharey=True, squeeze=False
    )
    for (scale, found), panel in zip(
        sorted(results.items(), key=lambda each: float(each[0])), panels[0], strict=True
    ):
        rows = [each["rows"] for each in found["joins"]]
        ours = [each["ours"] for each in found["joins"]]
        shuffle = [each["shuffle"] for each in found["joins"]]
        panel.plot(rows, ours, "o-", color=COLORS["csprov"], label="our steps")
        panel.plot(rows, shuffle, "o-", color=COLORS["rq"], label="shuffle joins")
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(f"scale factor {scale}", fontsize=9)
        panel.set_xlabel("rows traced at once")
    panels[0][0].set_ylabel("seconds")
    panels[0][0].legend(frameon=False, fontsize=8)
    return figure


QUESTIONS = {
    "fold_all": "zoom out of all modules", "subgraph": "subgraph", "delete": "deletion",
}  # fmt: skip
MARKS = ("o", "s", "^")


def workflowgen(pyplot: Any) -> Any:
    """Draw executions by workflow and threads, plain and captured, and questions by graph size."""
    results = RESULTS.read()
    figure, (executions, questions) = pyplot.subplots(1, 2, figsize=(11, 3.8))
    names = list(dict.fromkeys(one["workflow"] for one in results["timed"]))
    threads = sorted({one["threads"] for one in results["timed"]})
    width = 0.8 / len(threads)
    for one in results["timed"]:
        place = names.index(one["workflow"]) - 0.4 + width * (threads.index(one["threads"]) + 0.5)
        for name, color in (("captured", COLORS["csprov"]), ("plain", COLORS["ccprov"])):
            height = one["captured"] if name == "captured" else one["plain"]
            label = name if one is results["timed"][0] else None
            executions.bar(place, 1e3 * height, 0.9 * width, color=color, label=label)
    executions.set_xticks(range(len(names)))
    executions.set_xticklabels([name.replace(", ", "\n") for name in names], fontsize=7)
    counts = ", ".join(map(str, threads))
    executions.set_title(f"an execution on {counts} threads", fontsize=9)
    executions.set_ylabel("milliseconds, median")
    executions.legend(frameon=False, fontsize=8)
    shades = (COLORS["ccprov"], COLORS["rq"], COLORS["csprov"])
    for (name, title), color, mark in zip(QUESTIONS.items(), shades, MARKS, strict=True):
        points = sorted((one["triples"], 1e3 * _seconds(one, name)) for one in results["asked"])
        questions.plot(*zip(*points, strict=True), mark, color=color, markersize=4, label=title)
    questions.set_xscale("log")
    questions.set_yscale("log")
    questions.set_title("questions about the graph in memory", fontsize=9)
    questions.set_xlabel("triples")
    questions.set_ylabel("milliseconds, median")
    target = f"target of zoom, {FOLD_MS} ms for a million"
    questions.axhline(FOLD_MS, color=INK, linewidth=0.7, linestyle=":", label=target)
    questions.legend(frameon=False, fontsize=8)
    return figure


def _seconds(one: Any, name: str) -> float:
    found: float = one[name]
    return max(found, 1e-6)


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
        "capture": capture, "capture-tpcds": capture_tpcds,
        "capture-nights": capture_nights,
    }  # fmt: skip
    if workflowgen_table.RESULTS.path.exists():
        drawn["workflowgen"] = workflowgen
    if programs_form.RESULTS.path.exists():
        drawn["programs"] = programs
    if tracing_form.RESULTS.path.exists():
        drawn["tracing"] = tracing
    for name, draw in drawn.items():
        figure = draw(pyplot)
        figure.savefig(PLOTS / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")


def methods(pyplot: Any) -> Any:
    """Draw the times of all methods in memory beside the paper's times.

    There is a panel for each number of copies of the trace.
    """
    results = METHODS.read()
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
