"""Draw the results of `workflowgen_bench.py`, as the figures of the Lipstick paper show them."""

from typing import Any

from benchmarks.shared.plots import COLORS, INK
from benchmarks.workflows.table import FOLD_MS, RESULTS

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
