"""Turn the results of `capture_landing.py` into Markdown."""

from benchmarks.capture.landing_form import Job, Results, Taken
from benchmarks.shared.markup import bars, cores, grid

SECTION = """\
## Landing beside CSV files
`make bench-capture-landing` lands three jobs, and ingests the same triples from CSV files into
another new warehouse. Both end with the commit; Spark and Neo4j run already.

"""


def table(results: Results) -> str:
    """Return the table and the target."""
    head = ("job", "triples", "landing, s", "triples/s", "CSV, s", "triples/s", "CPU, landing",
            "CPU, CSV", "MB of associations", "MB of CSV")  # fmt: skip
    note = (
        f"Scale factor {results['scale']}, tables by {results['data']}, one run,"
        f" {cores(results['machine'])}, load before {results['load']}."
    )
    slow = min(results["jobs"], key=faster)
    met = bars({
        f"at least twice the triples/s of CSV files ({slow['job']}: {faster(slow):.1f})":
        faster(slow) >= 2
    })  # fmt: skip
    return "\n\n".join([note, grid(head, map(_row, results["jobs"])), met])


def _row(job: Job) -> tuple[str, ...]:
    landed, plain = job["landed"], job["csv"]
    return (
        job["job"],
        f"{landed['triples']:,}",
        f"{landed['seconds']:.1f}",
        f"{rate(landed):,.0f}",
        f"{plain['seconds']:.1f}",
        f"{rate(plain):,.0f}",
        f"{landed['cpu_seconds']:.1f}",
        f"{plain['cpu_seconds']:.1f}",
        f"{landed['bytes'] / 1e6:.1f}",
        f"{plain['bytes'] / 1e6:.1f}",
    )


def rate(taken: Taken) -> float:
    """Return the number of triples that are ingested per second."""
    return taken["triples"] / taken["seconds"]


def faster(job: Job) -> float:
    """Return the ratio of the two rates."""
    return rate(job["landed"]) / rate(job["csv"])
