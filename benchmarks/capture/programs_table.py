"""Turn the results of `programs.py` into Markdown."""

from collections.abc import Iterator

from benchmarks.capture.programs_form import Program, Results
from benchmarks.shared.markup import cores, grid

SECTION = """\
## Capture of grep, word count and PigMix
`make bench-programs SIZE=1` runs the programs of Titian's evaluation, as RDDs on text files and as
data frames on Parquet files with the same rows, beside plain Spark in the same session, in turn.
The results are equal. Times and processor times are ratios to plain Spark. The bars are
1.30 times for RDDs and 1.15 times for data frames; **what is above** is bold. RDDs of 1 GB were
measured before taps left out columns that a source has, which concerns data frames only. L6 of 2
and 3 GB as data frames was measured while its tap left out four columns. Five of the programs ran
on RDDs of 2 GB.

"""
HEAD = ("program", "interface", "repeats", "plain, s", "time", "CPU", "shuffled",
        "lineage, MB")  # fmt: skip
BARS = {"RDD": 1.3, "data frame": 1.15}


def table(results: dict[str, Results]) -> str:
    """Return a table of each size."""
    return "\n\n".join(_one(size, each) for size, each in sorted(results.items()))


def _one(size: str, results: Results) -> str:
    note = f"{size} GB, medians, {cores(results['machine'])}, load before {results['load']}."
    rows = (row for program in results["programs"] for row in _rows(program))
    return "\n\n".join([note, grid(HEAD, rows, left=(0, 1))])


def _rows(program: Program) -> Iterator[tuple[str, ...]]:
    for interface, ways in program["ways"].items():
        plain = ways["plain"]["cost"]
        way = ways["capture"]
        cost = way["cost"]
        ratio = cost["seconds"] / plain["seconds"]
        yield (
            program["program"],
            interface,
            str(way["repeats"]),
            f"{plain['seconds']:.1f}",
            f"**{ratio:.2f}**" if ratio > BARS[interface] else f"{ratio:.2f}",
            f"{cost['cpu_seconds'] / plain['cpu_seconds']:.2f}",
            f"{cost['shuffle_bytes'] / max(1, plain['shuffle_bytes']):.2f}",
            f"{way['bytes'] / 1e6:.1f}",
        )
