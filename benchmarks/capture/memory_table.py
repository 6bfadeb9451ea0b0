"""Turn the results of `capture_memory.py` into Markdown."""

from collections.abc import Callable

from benchmarks.capture.memory_form import Peak, Results
from benchmarks.shared.markup import bars, cores, grid

SECTION = """\
## Memory of captured jobs
`make bench-capture-memory` writes the 22 queries of TPC-H in one session of plain Spark, and in one
with capture. The JVM is driver and executor; its memory includes garbage that was not collected
yet. The heap is what is left of it after a full collection at the end, and execution memory is what
the tasks of one stage have held for sorting, joins and aggregates, at most.

"""
PARTS: dict[str, Callable[[Peak], int]] = {
    "JVM": lambda peak: peak["spark"],
    "its heap at the end": lambda peak: peak["heap"],
    "execution memory of a stage": lambda peak: peak["execution"],
    "Python process of the driver": lambda peak: peak["driver"],
}


def table(results: Results) -> str:
    """Return the table and the targets."""
    note = (
        f"Scale factor {results['scale']}, median of {results['repeats']} sessions,"
        f" {cores(results['machine'])}, load before {results['load']}."
    )
    plain, captured = results["plain"], results["captured"]
    rows = [
        (part, f"{of(plain):,}", f"{of(captured):,}", f"{of(captured) / of(plain):.2f}")
        for part, of in PARTS.items()
    ]
    together = _whole(captured) / _whole(plain)
    met = {f"executor and driver at most 1.15 times ({together:.2f})": together <= 1.15}
    return "\n\n".join([note, grid(("MB", "plain", "captured", "times"), rows), bars(met)])


def _whole(peak: Peak) -> int:
    return peak["spark"] + peak["driver"]
