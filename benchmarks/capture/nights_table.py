"""Turn the results of `capture_nights.py` into Markdown."""

from collections.abc import Sequence
from statistics import median
from typing import Literal

from benchmarks.capture.nights_form import Night, Results
from benchmarks.shared.markup import bars, cores, duration, grid

SECTION = """\
## Nightly captured runs
`make bench-capture-nights` runs a job on a star schema night after night with capture. Each night's
sales are joined with four dimensions of 25 to 10,000 rows; a report is appended whose groups have
thousands of rows, and a balance for each store is written from that of the night before. Then it
asks for the lineage of rows of the last night. DuckDB has the association files of the same runs in
two tables and answers by a recursive query; both find the same numbers of items in each table.

![Seconds of each night](plots/capture-nights.svg)

"""
AROUND = 3
"""The nights before and after the one that is shown, of whose seconds the median is taken."""


def table(results: Results) -> str:
    """Return the tables of appends and questions, and the targets."""
    nights = results["nights"]
    note = (
        f"{len(nights)} nights of {results['facts']:,} sales, {cores(results['machine'])}, load"
        f" before {results['load']}. Seconds are medians of {2 * AROUND + 1} nights."
    )
    shown = sorted({2, *(len(nights) * part // 4 for part in range(1, 5))})
    appends = grid(
        ("night", "associations", "job, s", "landing, s", "DuckDB's insert, s"),
        [
            (
                str(number),
                f"{nights[number - 1]['entries']:,}",
                f"{_seconds(nights, number, 'job_seconds'):.2f}",
                f"{_seconds(nights, number, 'landing_seconds'):.2f}",
                f"{_seconds(nights, number, 'duckdb_seconds'):.2f}",
            )
            for number in shown
        ],
    )
    questions = grid(
        ("rows of", "items found", "triples read for each", "time", "DuckDB's time"),
        [
            (
                each["table"],
                f"{each['items']:,}",
                f"{each['read_per_item']:,.1f}",
                duration(each["seconds"]),
                duration(each["duckdb_seconds"]),
            )
            for each in results["questions"]
        ],
    )
    return "\n\n".join([note, appends, questions, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    nights = results["nights"]
    first, last = (_seconds(nights, each, "landing_seconds") for each in (2, len(nights)))
    report = next(each for each in results["questions"] if each["table"] == "report")
    read = report["read_per_item"]
    return {
        f"at most 5 triples read for each item of a report's lineage ({read:.1f})": read <= 5,
        f"the last landing at most 1.5 times the second ({last / first:.2f})": last <= 1.5 * first,
    }


def _seconds(
    nights: Sequence[Night],
    number: int,
    what: Literal["job_seconds", "landing_seconds", "duckdb_seconds"],
) -> float:
    return median(night[what] for night in nights[max(number - 1 - AROUND, 1) : number + AROUND])
