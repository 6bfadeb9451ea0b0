"""Types for the results of `serve.py`, and functions that turn these results into Markdown."""

from collections.abc import Iterator
from typing import TypedDict

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile, SeededRun


class Phase(TypedDict):
    """The figures of one phase of the load.

    ``client_cpu`` and ``server_cpu`` are the mean number of busy cores. ``megabytes`` is the memory
    at the start, every half minute, and at the end.
    """

    name: str
    clients: int
    seconds: float
    answers_per_second: float
    megabytes_per_second: float
    statuses: dict[str, int]
    milliseconds: dict[str, dict[str, float]]
    client_cpu: float
    server_cpu: float
    megabytes: list[int]


class Results(SeededRun):
    """The results of one run of `serve.py`."""

    triples: int
    start_seconds: float
    phases: list[Phase]


RESULTS = ResultsFile[Results]("serve.json")


def table(results: Results) -> str:
    """Return a table of the phases, a table of the times of answers, a note, and the targets."""
    head = ("load", "clients", "answers/s", "MB/s", "accepted", "server, cores", "clients, cores",
            "memory before, halfway, after")  # fmt: skip
    phases = grid(head, ([*_cells(phase)] for phase in results["phases"]))
    rows = (row for phase in results["phases"] for row in _times(phase))
    times = grid(("load", "class", "p50", "p95"), rows, left=(0, 1))
    note = (
        f"{results['triples']:,} triples, {cores(results['machine'])} for server,"
        f" Neo4j and clients together, load before {results['load']}, seed {results['seed']}. `up`"
        f" was ready to answer after {results['start_seconds']:.0f} s."
    )
    return "\n\n".join([phases, times, note, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    by_name = {phase["name"]: phase for phase in results["phases"]}
    mixed = by_name["mixed"]
    return {
        "cold, small: at least 15 answers/s": by_name["cold, small"]["answers_per_second"] >= 15,
        "hot, small: at least 500 answers/s": by_name["hot, small"]["answers_per_second"] >= 500,
        "mixed: at least 99% accepted": accepted(mixed) >= 0.99,
        "mixed: memory grows by less than a tenth in the second half": flat(mixed["megabytes"]),
        "`up` is ready to answer within 20 s": results["start_seconds"] < 20,
    }


def accepted(phase: Phase) -> float:
    """Return the share of requests that the server answered with status 200."""
    return phase["statuses"].get("200", 0) / sum(phase["statuses"].values())


def flat(megabytes: list[int]) -> bool:
    """Return whether memory grew by less than a tenth in the second half of a phase.

    The first half is ignored, because caches fill until the middle of the phase.
    """
    return megabytes[-1] < 1.1 * megabytes[len(megabytes) // 2]


def _cells(phase: Phase) -> Iterator[str]:
    yield f"{phase['name']}, {phase['seconds']:.0f} s"
    yield f"{phase['clients']}"
    yield f"{phase['answers_per_second']:,.0f}"
    yield f"{phase['megabytes_per_second']:.1f}"
    yield f"{accepted(phase):.1%}"
    yield f"{phase['server_cpu']:.2f}"
    yield f"{phase['client_cpu']:.2f}"
    sizes = phase["megabytes"]
    yield ", ".join(f"{size:,} MB" for size in (sizes[0], sizes[len(sizes) // 2], sizes[-1]))


def _times(phase: Phase) -> Iterator[tuple[str, ...]]:
    for kind, times in phase["milliseconds"].items():
        yield phase["name"], kind, f"{times['p50']:,.0f} ms", f"{times['p95']:,.0f} ms"
