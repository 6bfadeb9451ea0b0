"""Make a trace to measure on: the paper's, in copies, or a shape that hurts.

    trace.py --shape paper --copies 9 --out FOLDER --splits FOLDER/splits.toml --report FILE
    trace.py --shape merkle --items 1000000 --out FOLDER

The same arguments give the same bytes. The paper's shape is told beside the paper's figures.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from paper_report import Figure, Measured
from paper_trace import paper
from shapes import SHAPES
from trace_files import Trace, write
from workflow import splits_file

SEED = 5


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Make a trace to measure on.")
    parser.add_argument("--shape", choices=["paper", *SHAPES], default="paper")
    parser.add_argument("--copies", type=int, default=1, help="each with names of its own")
    parser.add_argument("--items", type=int, default=1_000_000, help="about so many, hard shapes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, help="the folder to write files of triples to")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--splits", type=Path, help="write the paper's kind of splits there")
    parser.add_argument("--report", type=Path, help="write the report as JSON there")
    given = parser.parse_args()
    is_paper = given.shape == "paper"
    trace = paper(given.seed) if is_paper else SHAPES[given.shape](given.items, given.seed)
    if given.out:
        write(trace, given.out, given.copies, given.format)
    if given.splits and is_paper:
        given.splits.write_text(splits_file(), encoding="utf-8")
    figures = Measured(trace).figures() if is_paper else []
    told = report(given.shape, given.copies, given.seed, trace, figures)
    print(text(told, figures))
    if given.report:
        given.report.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def report(
    shape: str, copies: int, seed: int, trace: Trace, figures: list[Figure]
) -> dict[str, Any]:
    """The report as JSON: totals of all copies, which are alike, and the figures of one."""
    return {
        "shape": shape,
        "seed": seed,
        "copies": copies,
        "items": copies * len(trace.table),
        "triples": copies * len(trace.src),
        "figures": [{**asdict(figure), "same": figure.same} for figure in figures],
    }


def text(told: dict[str, Any], figures: list[Figure]) -> str:
    """The report for people."""
    lines = [
        f"{told['shape']}, seed {told['seed']}: {told['items']:,} items and {told['triples']:,}"
        f" triples in copies: {told['copies']}"
    ]
    if figures:
        differ = sum(not figure.same for figure in figures)
        lines += ["", f"{'one copy':<50}{'ours':>12}{'paper':>12}"]
        lines += [figure.line() for figure in figures]
        lines += ["", f"{differ} of {len(figures)} figures differ, rounded as the paper rounds"]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
