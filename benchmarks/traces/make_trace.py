"""Make a trace to measure on: copies of the paper's trace, or a hard shape.

    make_trace.py --shape paper --copies 9 --out FOLDER --splits FILE --report FILE
    make_trace.py --shape merkle --items 1000000 --out FOLDER

Equal arguments give equal files. For the paper's shape, the report also shows the figures that the
paper gives.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.traces.paper_report import Figure, PaperFigures, weak
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace, write
from benchmarks.traces.workflow import splits_file
from provhouse.sets.depths import depths

SEED = 5
ENDS = {1: (10, 10), 9: (100, 10), 24: (250, 50), 48: (500, 100)}
"""For each number of copies, the paper's sum of items and triples, and the unit of its rounding.

Both are in millions.
"""
MILLION = 1_000_000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make a trace to measure on.")
    parser.add_argument("--shape", choices=["paper", *SHAPES], default="paper")
    parser.add_argument("--copies", type=int, default=1, help="number of copies to write")
    parser.add_argument(
        "--items", type=int, default=MILLION, help="about how many, for hard shapes"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, help="write files of triples to this folder")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--splits", type=Path, help="write splits like the paper's to this file")
    parser.add_argument("--report", type=Path, help="write the report to this file, as JSON")
    given = parser.parse_args()
    is_paper = given.shape == "paper"
    if given.splits and not is_paper:
        parser.error("--splits requires --shape paper")
    if given.out and given.out.exists() and any(given.out.iterdir()):
        parser.error(f"{given.out} is not empty; its files would mix with the trace")
    trace = paper(given.seed) if is_paper else SHAPES[given.shape](given.items, given.seed)
    if given.out:
        write(trace, given.out, given.copies, given.format)
    if given.splits:
        given.splits.write_text(splits_file(), encoding="utf-8")
    report = {"shape": given.shape, "seed": given.seed, **totals(trace, given.copies)}
    figures = [*paper_figures(trace, given.copies)] if is_paper else []
    print(text(report, figures))
    if given.report:
        report["figures"] = [{**asdict(figure), "same": figure.same} for figure in figures]
        given.report.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def totals(trace: Trace, copies: int) -> dict[str, Any]:
    """Return the figures of all copies together. Cycles are broken to measure the longest path."""
    items = len(trace.table)
    return {
        "copies": copies,
        "items": copies * items,
        "triples": copies * len(trace.src),
        "components": copies * (int(weak(items, trace.src, trace.dst).max()) + 1),
        "most parents": int(np.bincount(trace.dst).max()),
        "most children": int(np.bincount(trace.src).max()),
        "longest path": int(depths(items, trace.src, trace.dst).max()),
    }


def paper_figures(trace: Trace, copies: int) -> list[Figure]:
    """Return the figures of one copy next to the paper's figures, and the size of all copies."""
    figures = PaperFigures(trace).figures()
    if copies in ENDS:
        paper, unit = (number * MILLION for number in ENDS[copies])
        both = copies * (len(trace.table) + len(trace.src))
        figures.append(Figure(f"items and triples, copies: {copies}", both, paper, unit))
    return figures


def text(report: dict[str, Any], figures: list[Figure]) -> str:
    """Return the report as lines of text, with a table of the figures."""
    lines = [f"{name}: {value}" for name, value in report.items()]
    if figures:
        differ = sum(not figure.same for figure in figures)
        lines += ["", f"{'one copy':<50}{'ours':>12}{'paper':>12}"]
        lines += [figure.line() for figure in figures]
        lines += ["", f"{differ} of {len(figures)} differ, rounded as the paper rounds"]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
