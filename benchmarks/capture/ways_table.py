"""Turn the results of `capture_ways.py` into Markdown."""

from collections.abc import Iterator

from benchmarks.capture.ways_form import Query, Results
from benchmarks.shared.markup import cores, grid

SECTION = """\
## Capture and other ways
`make bench-capture-ways` writes four queries of TPC-H, without their order and limit, in five ways
in one session of Spark. *Key hashes* collects the hashes of the keys of source rows in the result.
*Second run* runs the input of the groups once more and writes group and source keys. *Perm* joins
the result with the input of its groups, and repeats each row with all columns of each witness
(Glavic and Alonso, ICDE 2009). Capture writes associations aside; their landing is in the table
above. All ways give the same pairs of group and source row. Times and processor times are ratios
to plain Spark.

"""
HEAD = ("query", "way", "time", "CPU", "shuffled, MB", "lineage, MB", "bytes a pair")


def table(results: Results) -> str:
    """Return the table of all queries and ways."""
    note = (
        f"Scale factor {results['scale']}, tables by {results['data']}, median of"
        f" {results['repeats']}, {cores(results['machine'])}, load before {results['load']}."
    )
    rows = (row for query in results["queries"] for row in _rows(query))
    return "\n\n".join([note, grid(HEAD, rows, left=(0, 1))])


def _rows(query: Query) -> Iterator[tuple[str, ...]]:
    plain = query["ways"]["plain"]["cost"]
    for name, way in query["ways"].items():
        if name == "plain":
            continue
        cost = way["cost"]
        yield (
            query["query"],
            name,
            f"{cost['seconds'] / plain['seconds']:.2f}",
            f"{cost['cpu_seconds'] / plain['cpu_seconds']:.2f}",
            f"{cost['shuffle_bytes'] / 1e6:.1f}",
            f"{way['bytes'] / 1e6:.2f}",
            f"{way['bytes'] / query['pairs']:.2f}",
        )
