"""The tables that tell what `ingest.py` measured, as Markdown."""

import math
from collections.abc import Iterator, Sequence

from form import ResultsFile
from ingest_form import Ingested, IngestRun, Results
from markup import Row, bars, cores, grid

RESULTS = ResultsFile[Results]("ingest.json")
SECONDS = {"1": 75, "9": 600}
GIBIBYTES = {"1": 6, "9": 14}
BYTES_A_TRIPLE = 40
"""The bars of a whole ingest, by number of copies or for each."""
APPEND_SECONDS = 20
GROWTH = {"between any items": 3.0}
USUAL_GROWTH = 1.5
"""How many times as long an append may take on nine copies."""


def tables(results: Results) -> str:
    """The ingest by step, the appends, and what of the bars holds."""
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
    """What a column is about."""
    return "the trace" if copies == "1" else f"{copies} copies"


def note(one: IngestRun) -> str:
    """What it ran on, and what the first question found."""
    answer = one["first_answer"]
    return (
        f"{one['ingest']['triples']:,} triples of {one['ingest']['items']:,} items from"
        f" {one['csv_bytes'] / 1e6:,.0f} MB of CSV, on"
        f" {cores(one['machine'])}, load {one['load']} before. The first question, asked by a new"
        f" command, took {answer['wall_seconds']:.1f} s for {answer['items']:,} items;"
        f" {answer['method']} read {answer['triples_read']:,} triples."
    )


def ingests(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """A row for each step, in seconds, with its floor where one was measured."""
    for step in sizes[0]["ingest"]["seconds"]:
        yield step, *(taken(one, step) for one in sizes)
    yield "the complete command", *(f"{one['ingest']['wall_seconds']:.1f}" for one in sizes)
    yield "peak memory, GiB", *(f"{gibibytes(one):.1f}" for one in sizes)
    for part, word in (
        ("all", "bytes a triple"),
        ("names", "of these, names"),
        ("neo4j", "of these, Neo4j"),
    ):
        yield word, *(f"{one['bytes'][part] / one['ingest']['triples']:.1f}" for one in sizes)
    yield "sets", *(f"{one['ingest']['sets']:,}" for one in sizes)
    yield "set dependencies", *(f"{one['ingest']['set_dependencies']:,}" for one in sizes)
    yield "time grows with triples to the power of", *(exponent(sizes[0], one) for one in sizes)


def taken(one: IngestRun, step: str) -> str:
    """Seconds of a step, and of its floor."""
    seconds, floor = one["ingest"]["seconds"][step], one["floors"].get(step)
    return f"{seconds:.1f}" if floor is None else f"{seconds:.1f} (floor {floor:.1f})"


def exponent(small: IngestRun, large: IngestRun) -> str:
    """By which power of the triples the time grows, starts apart."""
    size = large["ingest"]["triples"] / small["ingest"]["triples"]
    time = apart(large["ingest"]) / apart(small["ingest"])
    return "" if size == 1 else f"{math.log(time) / math.log(size):.2f}"


def appends(sizes: Sequence[IngestRun]) -> Iterator[Row]:
    """A row for each kind of append."""
    for name in sizes[0]["appends"]:
        yield name, *(f"{apart(one['appends'][name]):.1f}" for one in sizes)


def targets(results: Results) -> Iterator[tuple[str, bool]]:
    """What is wanted, and whether it is so."""
    for copies, one in results.items():
        name = heading(copies)
        seconds, most = SECONDS[copies], GIBIBYTES[copies]
        answered = one["ingest"]["wall_seconds"] + one["first_answer"]["wall_seconds"]
        yield f"{name}: at most {seconds} s to the first answer", answered <= seconds
        yield f"{name}: at most {most} GiB", gibibytes(one) <= most
        bytes_each = one["bytes"]["all"] / one["ingest"]["triples"]
        yield f"{name}: at most {BYTES_A_TRIPLE} bytes a triple", bytes_each <= BYTES_A_TRIPLE
    for kind, append in results["1"]["appends"].items():
        yield f"the trace, append {kind}: under 20 s", apart(append) < APPEND_SECONDS
    if "9" in results:
        small, large = (results[copies]["appends"] for copies in ("1", "9"))
        for kind, append in large.items():
            most_times = GROWTH.get(kind, USUAL_GROWTH)
            kept = apart(append) <= most_times * apart(small[kind])
            yield f"append {kind}: on nine copies at most {most_times} times as long", kept


def apart(one: Ingested) -> float:
    """Seconds without the start of Spark and Neo4j."""
    return one["seconds"]["total"] - one["seconds"]["start"]


def gibibytes(one: IngestRun) -> float:
    """Peak memory."""
    return one["ingest"]["peak_memory_mb"] * 1e6 / 2**30
