"""Make a trace to measure on: the paper's, in copies, or a shape that hurts.

    make_trace.py --shape paper --copies 9 --out FOLDER --splits FILE --report FILE
    make_trace.py --shape merkle --items 1000000 --out FOLDER

The same arguments give the same bytes. The paper's shape is told beside the paper's figures.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from paper_report import Figure, PaperFigures, weak
from paper_trace import paper
from shapes import SHAPES
from trace_files import Trace, write
from workflow import splits_file

from provhouse.sets.depths import depths

SEED = 5
ENDS = {1: (10, 10), 9: (100, 10), 24: (250, 50), 48: (500, 100)}
"""Millions of items and triples together that the paper gives for copies, and what it rounds to."""
MILLION = 1_000_000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make a trace to measure on.")
    parser.add_argument("--shape", choices=["paper", *SHAPES], default="paper")
    parser.add_argument("--copies", type=int, default=1, help="each with names of its own")
    parser.add_argument("--items", type=int, default=MILLION, help="about so many, in hard shapes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, help="the folder to write files of triples to")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--splits", type=Path, help="write splits as the paper's there")
    parser.add_argument("--report", type=Path, help="write the report as JSON there")
    given = parser.parse_args()
    is_paper = given.shape == "paper"
    if given.splits and not is_paper:
        parser.error("--splits goes with --shape paper only")
    if given.out and given.out.exists() and any(given.out.iterdir()):
        parser.error(f"{given.out} should be empty, or the trace will be mixed with what is there")
    trace = paper(given.seed) if is_paper else SHAPES[given.shape](given.items, given.seed)
    if given.out:
        write(trace, given.out, given.copies, given.format)
    if given.splits:
        given.splits.write_text(splits_file(), encoding="utf-8")
    told = {"shape": given.shape, "seed": given.seed, **totals(trace, given.copies)}
    figures = [*beside(trace, given.copies)] if is_paper else []
    print(text(told, figures))
    if given.report:
        told["figures"] = [{**asdict(figure), "same": figure.same} for figure in figures]
        given.report.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def totals(trace: Trace, copies: int) -> dict[str, Any]:
    """The shape of all copies, which are alike; cycles are broken to find the longest path."""
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


def beside(trace: Trace, copies: int) -> list[Figure]:
    """The figures of one copy of the paper's trace, and the size of all copies."""
    figures = PaperFigures(trace).figures()
    if copies in ENDS:
        paper, unit = (number * MILLION for number in ENDS[copies])
        both = copies * (len(trace.table) + len(trace.src))
        figures.append(Figure(f"items and triples, copies: {copies}", both, paper, unit))
    return figures


def text(told: dict[str, Any], figures: list[Figure]) -> str:
    """The report for people."""
    lines = [f"{name}: {value}" for name, value in told.items()]
    if figures:
        differ = sum(not figure.same for figure in figures)
        lines += ["", f"{'one copy':<50}{'ours':>12}{'paper':>12}"]
        lines += [figure.line() for figure in figures]
        lines += ["", f"{differ} of {len(figures)} differ, rounded as the paper rounds"]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
