"""Draw the results of the benchmarks of capture."""

from typing import Any

from benchmarks.capture import nights_form as capture_nights_form
from benchmarks.capture import overhead_form as capture_overhead_form
from benchmarks.capture import programs_form
from benchmarks.capture import tpcds_form as capture_tpcds_form
from benchmarks.capture.overhead_table import MEAN, overhead
from benchmarks.capture.programs_table import BARS
from benchmarks.shared.plots import COLORS, INK
from benchmarks.tracing import form as tracing_form


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
