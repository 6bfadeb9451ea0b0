"""Turn the results of `capture_tpcds.py` into Markdown."""

from collections import Counter
from statistics import geometric_mean

from benchmarks.capture.tpcds_form import Query, Results
from benchmarks.shared.markup import bars, cores, grid

SECTION = """\
## Capture of TPC-DS
`make bench-capture-tpcds` writes the results of the 103 queries of TPC-DS that Spark's own tests
have, with plain Spark and with capture, in turn. The results are compared by a sum of the hashes of
all rows. A result that *varies* differs between two runs of plain Spark, too. Whether the lineage
is right is [another table](capture-coverage.md).

![The queries of TPC-DS by overhead](plots/capture-tpcds.svg)

"""


def table(results: Results) -> str:
    """Return the table and the targets."""
    queries = results["queries"]
    head = ("query", "rows", "result", "plan nodes", "plain, s", "captured, s", "time", "CPU",
            "shuffled", "rewriting, s")  # fmt: skip
    note = (
        f"Scale factor {results['scale']}, median of {results['repeats']},"
        f" {cores(results['machine'])}, load before {results['load']}."
    )
    rows = grid(head, map(_row, queries), left=(0, 2))
    return "\n\n".join([note, rows, bars(targets(queries))])


def _row(query: Query) -> tuple[str, ...]:
    plain, captured = query["plain"], query["captured"]
    if not captured["seconds"]:
        return (query["query"], "", f"{query['outcome']}: {query['why']}", *[""] * 7)
    moved = captured["shuffle_bytes"] / plain["shuffle_bytes"] if plain["shuffle_bytes"] else 1.0
    return (
        query["query"],
        f"{query['rows']:,}",
        query["outcome"],
        f"{query['nodes']:,}",
        f"{plain['seconds']:.2f}",
        f"{captured['seconds']:.2f}",
        f"{overhead(query):.2f}",
        f"{captured['cpu_seconds'] / plain['cpu_seconds']:.2f}",
        f"{moved:.2f}",
        f"{query['rewriting_seconds']:.2f}",
    )


def overhead(query: Query) -> float:
    """Return how many times as long the captured write takes."""
    return query["captured"]["seconds"] / query["plain"]["seconds"]


def targets(queries: list[Query]) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    outcomes = Counter(query["outcome"] for query in queries)
    right = outcomes["equal"] + outcomes["varies"]
    ran = [query for query in queries if query["captured"]["seconds"]]
    mean = geometric_mean(map(overhead, ran))
    largest = max(ran, key=lambda query: query["nodes"])
    return {
        f"at least 101 queries with equal results ({right}, of which {outcomes['varies']} vary)": (
            right >= 101
        ),
        f"geometric mean at most 1.25 times ({mean:.2f})": mean <= 1.25,
        f"rewriting at most 2 s for the largest plan ({largest['query']}, {largest['nodes']} nodes:"
        f" {largest['rewriting_seconds']:.2f} s)": largest["rewriting_seconds"] <= 2,
    }
