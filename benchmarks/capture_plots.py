"""Draw the results of the benchmarks of capture."""

from typing import Any

import capture_nights_form
import capture_overhead_form
import capture_tpcds_form
from capture_overhead_table import MEAN, overhead
from plots_style import COLORS, INK


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
