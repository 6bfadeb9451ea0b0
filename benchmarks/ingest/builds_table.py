"""The types of the results that `builds.py` writes, and their table in Markdown."""

from typing import TypedDict

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile, SeededRun


class Comparison(TypedDict):
    """One phase: the seconds of both builds in each pair, and their mean ratio.

    The ratio is the newer build's time (``after``) divided by the older build's (``before``).
    ``low`` and ``high`` are the bounds of its 95% interval.
    """

    before: list[float]
    after: list[float]
    ratio: float
    low: float
    high: float


class Results(SeededRun):
    """The results of one run of `builds.py`."""

    builds: dict[str, str]
    """The commits that were compared, by the names ``before`` and ``after``."""
    trace: str
    items: int
    phases: dict[str, Comparison]


RESULTS = ResultsFile[Results]("builds.json")
SECTION = """\
## Two builds
`make bench-builds` compares two builds of provhouse on one trace. Each build ingests the trace into
a new warehouse; then its server answers lineage and impact of items drawn from the trace. The
builds alternate, so that a machine that drifts affects both, and their answers must be equal. The
ratio is the geometric mean over all pairs; below 1, the newer build is faster.

"""
MOST = 1.05
"""The target: the lower bound of each ratio's interval is below this number."""


def row(name: str, phase: Comparison) -> tuple[str, ...]:
    """Return the table row of one phase."""
    best = [f"{min(phase['before']):.1f} s", f"{min(phase['after']):.1f} s"]
    interval = f"{phase['low']:.2f} to {phase['high']:.2f}"
    return name, *best, f"{phase['ratio']:.2f}", interval


def table(results: Results) -> str:
    """Return a table with a row for each phase, a note on what was compared, and the target."""
    builds = results["builds"]
    head = ("", "best before", "best after", "after / before", "95% interval")
    rows = (row(name, phase) for name, phase in results["phases"].items())
    pairs = len(next(iter(results["phases"].values()))["before"])
    slower = [name for name, phase in results["phases"].items() if phase["low"] >= MOST]
    note = (
        f"Commits {builds['before']} and {builds['after']}, {pairs} interleaved pairs, trace"
        f" `{results['trace']}`, {results['items']} items asked in each direction,"
        f" {cores(results['machine'])}, load before {results['load']}."
    )
    kept = bars({f"every lower bound under {MOST}": not slower})
    return f"{grid(head, rows)}\n\n{note}\n\n{kept}"
