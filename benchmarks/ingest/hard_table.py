"""Make tables in Markdown from the results of `hard.py`."""

from collections.abc import Iterator, Sequence

from benchmarks.ingest.hard_form import HardRun, Results
from benchmarks.shared.markup import Row, bars, cores, grid
from benchmarks.shared.results import ResultsFile

RESULTS = ResultsFile[Results]("hard.json")
SECTION = """\
## Hard traces
`make bench-hard` measures two traces with which the search for sets has more work than with the
paper's. `pipelines` has runs that read one another's items, so that its workflow graph has cycles
and three components have over 400,000 items. `repository` is the history of a repository: commits,
trees and blobs, hundreds of levels deep. Random items are asked, one after the other, over HTTP.

"""
SECONDS = 45
BYTES_A_TRIPLE = 35
"""The targets for the trace `pipelines`."""


def tables(results: Results) -> str:
    """Return a note, a table of ingests and questions, and the targets."""
    shapes = sorted(results)
    runs = [results[shape] for shape in shapes]
    first = runs[0]
    note = f"On {cores(first['machine'])}, load {first['load']} before."
    return "\n\n".join((note, grid(("", *shapes), rows(runs)), bars(targets(results))))


def rows(runs: Sequence[HardRun]) -> Iterator[Row]:
    """Yield a row for each figure."""
    for name in ("triples", "items", "sets"):
        yield name, *(f"{one[name]:,}" for one in runs)
    for step in runs[0]["seconds"]:
        yield f"{step}, s", *(f"{one['seconds'][step]:.1f}" for one in runs)
    yield "the complete command, s", *(f"{one['wall_seconds']:.1f}" for one in runs)
    for part, word in (("all", "bytes a triple"), ("neo4j", "of these, Neo4j")):
        yield word, *(f"{one['bytes'][part] / one['triples']:.1f}" for one in runs)
    for way in runs[0]["asked"]:
        asked = [one["asked"][way] for one in runs]
        yield (
            f"{way}, p50 and p95",
            *(f"{1e3 * a['p50']:.0f}, {1e3 * a['p95']:.0f} ms" for a in asked),
        )
        yield f"{way}, triples read", *(f"{a['read']:.2%}" for a in asked)
        yield f"{way}, triples in the answer", *(f"{a['answered']:.2%}" for a in asked)


def targets(results: Results) -> dict[str, bool]:
    """Return each target of the trace `pipelines`, and whether it was met."""
    one = results["pipelines"]
    return {
        f"pipelines: ingest in at most {SECONDS} s": one["seconds"]["total"] <= SECONDS,
        f"pipelines: at most {BYTES_A_TRIPLE} bytes a triple": (
            one["bytes"]["all"] / one["triples"] <= BYTES_A_TRIPLE
        ),
    }
