"""Turn the results of `capture_overhead.py` into Markdown."""

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from benchmarks.capture.overhead_form import Query, Results
from benchmarks.shared.markup import bars, cores, grid

SECTION = """\
## Capture
`make bench-capture` writes the results of the 22 queries of TPC-H with plain Spark and with
capture, in turn, and takes the median of each. Each query is then landed in one warehouse, without
keys. Associations are the slots in the association files, and below `kept` the pairs that the
warehouse has. A rate is that from the files to numbered triples. Processor time is that of Spark,
Python and Neo4j together; that of the landing includes all steps up to the commit.

![How many times as long each query takes with capture](plots/capture.svg)

"""
LARGE = 1_000_000
"""Rates and sizes count for queries with at least this many associations; others land at once."""
MEAN = {"1": 1.20, "3": 1.12}
"""The largest geometric mean of the overhead, by scale factor."""


def tables(found: Mapping[str, Results]) -> str:
    """Return the tables and targets of all scale factors."""
    return "\n\n".join(_table(scale, found[scale]) for scale in sorted(found, key=float))


def _table(scale: str, results: Results) -> str:
    head = ("query", "plain, s", "captured, s", "time", "CPU", "shuffled", "rewriting, s",
            "associations", "kept", "bytes each", "landing, s", "associations/s", "landing, MB",
            "with landing, CPU")  # fmt: skip
    queries = results["queries"]
    note = (
        f"Scale factor {scale}, tables by {results['data']}, median of {results['repeats']},"
        f" {cores(results['machine'])}, load before {results['load']}."
    )
    return "\n\n".join([note, grid(head, map(_row, queries)), bars(targets(scale, queries))])


def _row(query: Query) -> tuple[str, ...]:
    plain, captured, landing = query["plain"], query["captured"], query["landing"]
    return (
        query["query"],
        f"{plain['seconds']:.2f}",
        f"{captured['seconds']:.2f}",
        f"{overhead(query):.2f}",
        f"{captured['cpu_seconds'] / plain['cpu_seconds']:.2f}",
        f"{shuffle(query):.2f}",
        f"{query['rewriting_seconds']:.2f}",
        f"{landing['entries']:,}",
        f"{landing['associations']:,}",
        f"{landing['file_bytes'] / max(landing['entries'], 1):.2f}",
        f"{landing['seconds']:.1f}",
        f"{rate(query):,.0f}",
        f"{landing['peak_mb']:,}",
        f"{cpu(query):.2f}",
    )


def overhead(query: Query) -> float:
    """Return how many times as long the captured write takes."""
    return query["captured"]["seconds"] / query["plain"]["seconds"]


def shuffle(query: Query) -> float:
    """Return how many times as many bytes the captured write shuffles; 1 if there are none."""
    plain = query["plain"]["shuffle_bytes"]
    return query["captured"]["shuffle_bytes"] / plain if plain else 1.0


def cpu(query: Query) -> float:
    """Return the ratio of processor time, of the captured write and its landing together."""
    together = query["captured"]["cpu_seconds"] + query["landing"]["cpu_seconds"]
    return together / query["plain"]["cpu_seconds"]


def rate(query: Query) -> float:
    """Return how many associations a second become numbered triples, or are found to be unused."""
    return query["landing"]["entries"] / query["landing"]["numbered_seconds"]


def targets(scale: str, queries: Sequence[Query]) -> dict[str, bool]:
    """Return the targets with the measured values, and whether each was met."""
    mean, most = geometric_mean(map(overhead, queries)), MEAN.get(scale, 1.20)
    worst = max(queries, key=lambda query: query["captured"]["seconds"] - _allowed(query))
    per_node = max(q["rewriting_seconds"] * 40 / max(q["nodes"], 40) for q in queries)
    landings = [query["landing"] for query in queries]
    entries = sum(each["entries"] for each in landings)
    held = sum(each["file_bytes"] for each in landings) / entries
    kept = sum(each["associations"] for each in landings)
    stored = sum(each["warehouse_bytes"] for each in landings) / max(kept, 1)
    work = geometric_mean(map(cpu, queries))
    moved = sum(query["captured"]["shuffle_bytes"] for query in queries) / max(
        sum(query["plain"]["shuffle_bytes"] for query in queries), 1
    )
    large = [query for query in queries if query["landing"]["entries"] >= LARGE]
    found = {
        f"geometric mean at most {most:.2f} times ({mean:.2f})": mean <= most,
        f"each at most 1.4 times and 0.2 s ({worst['query']}: {overhead(worst):.2f})": (
            worst["captured"]["seconds"] <= _allowed(worst)
        ),
        f"rewriting at most 0.3 s for 40 nodes ({per_node:.2f} s)": per_node <= 0.3,
        f"at most 0.6 bytes an association during the job ({held:.2f})": held <= 0.6,
        f"at most 4 bytes an association in the warehouse ({stored:.1f})": stored <= 4,
        f"geometric mean of processor time, landing included, at most 1.6 times ({work:.2f})": work
        <= 1.6,
        f"shuffle at most 1.15 times ({moved:.2f})": moved <= 1.15,
    }
    if large:
        slow = min(large, key=rate)
        found[f"at least 1,000,000 associations/s landed ({slow['query']}: {rate(slow):,.0f})"] = (
            rate(slow) >= 1e6
        )
    return found


def _allowed(query: Query) -> float:
    return query["plain"]["seconds"] * 1.4 + 0.2
