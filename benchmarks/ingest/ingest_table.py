"""Make tables in Markdown from the results of `ingest.py`."""

import math
from collections.abc import Iterator, Sequence

from benchmarks.ingest.ingest_form import Ingested, IngestRun, Results
from benchmarks.ingest.memory_by_process import KINDS
from benchmarks.shared.markup import Row, bars, cores, grid
from benchmarks.shared.results import ResultsFile

RESULTS = ResultsFile[Results]("ingest.json")
SECONDS = {"1": 75, "9": 600}
GIBIBYTES = {"1": 6, "9": 14}
"""The targets for the time and the memory of an ingest, by the number of copies of the trace."""
BYTES_A_TRIPLE = 40
"""The target for the size of the warehouse in bytes per triple, for any number of copies."""
APPEND_SECONDS = 20
"""The target for the seconds of an append to one copy, without the start of Spark and Neo4j."""
GROWTH = {"between any items": 3.0}
USUAL_GROWTH = 1.5
"""The target for appends to nine copies of the trace, as a multiple of the time on one copy.

It applies to appends that are not in ``GROWTH``.
"""


def tables(results: Results) -> str:
    """Return notes on the runs, a table of ingest steps, a table of appends, and the targets."""
    sizes = sorted(results, key=int)
    parts = [
        "\n".join(note(results[size]) for size in sizes),
        grid(("", *map(heading, sizes)), ingests([results[size] for size in sizes])),
        "Appends of 10,000 triples, in seconds without the start of Spark and Neo4j:",
        grid(("", *map(heading, sizes)), appends([results[size] for size in sizes])),
        bars(dict(targets(results))),
    ]
    return "\n\n".join(parts)


def heading(copies: str) -> str:
    """Return the title of the column for this number of copies of the trace."""
    return "the trace" if copies == "1" else f"{copies} copies"


def note(one: IngestRun) -> str:
    """Return a note on the trace, the machine and the first question."""
    answer = one["first_answer"]
    limit = f" The cut could take {most:,} MB." if (most := one.get("cut_mb")) else ""
    return (
        f"{one['ingest']['triples']:,} triples of {one['ingest']['items']:,} items from"
        f" {one['csv_bytes'] / 1e6:,.0f} MB of CSV, on"
        f" {cores(one['machine'])}, load {one['load']} before. The first question, asked by a new"
        f" command, took {answer['wall_seconds']:.1f} s for {answer['items']:,} items;"
        f" {answer['method']} read {answer['triples_read']:,} triples.{limit}"
    )


def ingests(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each step with its seconds, then rows for other figures."""
    for step in sizes[0]["ingest"]["seconds"]:
        yield step, *(taken(one, step) for one in sizes)
    yield "the complete command", *(f"{one['ingest']['wall_seconds']:.1f}" for one in sizes)
    yield "peak memory, GiB", *(f"{gibibytes(one):.1f}" for one in sizes)
    if any("memory" in one for one in sizes):
        yield from memories(sizes)
    for part, word in (
        ("all", "bytes a triple"),
        ("names", "of these, names"),
        ("neo4j", "of these, Neo4j"),
    ):
        yield word, *(f"{one['bytes'][part] / one['ingest']['triples']:.1f}" for one in sizes)
    yield "sets", *(f"{one['ingest']['sets']:,}" for one in sizes)
    yield "set dependencies", *(f"{one['ingest']['set_dependencies']:,}" for one in sizes)
    yield "time grows with triples to the power of", *(exponent(sizes[0], one) for one in sizes)


def memories(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each kind of process with its peak memory."""
    for kind, name in KINDS.items():
        found = (one.get("memory", {}).get(kind) for one in sizes)
        cells = (f"{each / 1000:.1f}" if each is not None else "" for each in found)
        yield f"anonymous memory of {name}, GB", *cells


def taken(one: IngestRun, step: str) -> str:
    """Return the table cell with the seconds of a step."""
    return f"{one['ingest']['seconds'][step]:.1f}"


def exponent(small: IngestRun, large: IngestRun) -> str:
    """Return the exponent ``e`` with which an ingest's time grows: as ``triples ** e``.

    The time does not include the start of Spark and Neo4j. For equal sizes, "" is returned.
    """
    size = large["ingest"]["triples"] / small["ingest"]["triples"]
    time = without_start(large["ingest"]) / without_start(small["ingest"])
    return "" if size == 1 else f"{math.log(time) / math.log(size):.2f}"


def appends(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each kind of append, with its seconds for each number of copies."""
    for name in sizes[0]["appends"]:
        yield name, *(f"{without_start(one['appends'][name]):.1f}" for one in sizes)


def targets(results: Results) -> Iterator[tuple[str, bool]]:
    """Yield each target, and whether it was met."""
    for copies, one in results.items():
        name = heading(copies)
        if copies not in SECONDS:
            continue
        seconds, most = SECONDS[copies], GIBIBYTES[copies]
        answered = one["ingest"]["wall_seconds"] + one["first_answer"]["wall_seconds"]
        yield f"{name}: at most {seconds} s to the first answer", answered <= seconds
        yield f"{name}: at most {most} GiB", gibibytes(one) <= most
        bytes_each = one["bytes"]["all"] / one["ingest"]["triples"]
        yield f"{name}: at most {BYTES_A_TRIPLE} bytes a triple", bytes_each <= BYTES_A_TRIPLE
    for kind, append in results["1"]["appends"].items():
        yield f"the trace, append {kind}: under 20 s", without_start(append) < APPEND_SECONDS
    if "9" in results:
        small, large = (results[copies]["appends"] for copies in ("1", "9"))
        for kind, append in large.items():
            most_times = GROWTH.get(kind, USUAL_GROWTH)
            kept = without_start(append) <= most_times * without_start(small[kind])
            yield f"append {kind}: on nine copies at most {most_times} times as long", kept


def without_start(one: Ingested) -> float:
    """Return the seconds of an ingest without the start of Spark and Neo4j."""
    return one["seconds"]["total"] - one["seconds"]["start"]


def gibibytes(one: IngestRun) -> float:
    """Return the peak memory of an ingest in GiB."""
    return one["ingest"]["peak_memory_mb"] * 1e6 / 2**30
