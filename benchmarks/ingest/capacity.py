"""Make the tables of `docs/capacity.md` from the results of benchmarks.

The benchmarks are `ingest.py` and `set_graph.py`.

Each quantity is fitted as ``a * triples ** e`` to all measured sizes, by least squares on the
logarithms. Values beyond the largest measured size are extrapolated by that fit. Memory is fitted
as a line instead, because a part of it does not depend on the trace.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.ingest import ingest as ingest_table
from benchmarks.ingest.ingest import IngestRun
from benchmarks.sets import set_graph
from benchmarks.shared.markup import Row, cores, duration, grid

SIZES = (1e9, 1e10, 1e11)
Quantity = Callable[[IngestRun], float]
MEMORY = "peak memory of an ingest, GiB"
QUANTITIES: dict[str, Quantity] = {
    "ingest, hours on 2 cores": lambda one: ingest_table.without_start(one["ingest"]) / 3600,
    MEMORY: ingest_table.gibibytes,
    "disk, GB": lambda one: one["bytes"]["all"] / 1e9,
    "of this, Neo4j, GB": lambda one: one["bytes"]["neo4j"] / 1e9,
    "connected sets, millions": lambda one: one["ingest"]["sets"] / 1e6,
    "set dependencies, millions": lambda one: one["ingest"]["set_dependencies"] / 1e6,
}


def measured() -> list[IngestRun]:
    """Return the results of all ingests, the smallest first."""
    results = ingest_table.RESULTS.read()
    return sorted(results.values(), key=triples)


def triples(one: IngestRun) -> float:
    """Return the number of triples of an ingest."""
    return float(one["ingest"]["triples"])


def table() -> str:
    """Return the measured values, the exponents, and the extrapolated values."""
    runs = measured()
    head = ("", *(f"{triples(one) / 1e6:,.1f}M" for one in runs), "exponent")
    sizes = (f"{size / 1e9:,.0f} billion" for size in SIZES)
    machines = ", ".join(dict.fromkeys(cores(one["machine"]) for one in runs))
    return "\n\n".join((
        f"By number of triples. Measured on {machines}:",
        grid(head, known(runs)),
        "Extrapolated from these:",
        grid(("", *sizes), extrapolated(runs)),
    ))  # fmt: skip


def known(runs: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each quantity with its measured values and its exponent."""
    for name, of in QUANTITIES.items():
        exponent = "a line" if name == MEMORY else f"{power(runs, of)[0]:.2f}"
        yield name, *(shown(of(one)) for one in runs), exponent


def extrapolated(runs: Sequence[IngestRun]) -> Iterator[Row]:
    """Yield a row for each quantity with its values beyond the measured sizes."""
    for name, of in QUANTITIES.items():
        if name == MEMORY:
            slope, start = np.polyfit([triples(one) for one in runs], [of(one) for one in runs], 1)
            values = [float(start + slope * size) for size in SIZES]
        else:
            exponent, log = power(runs, of)
            values = [float(np.exp(log) * size**exponent) for size in SIZES]
        yield name, *map(shown, values)


def power(runs: Sequence[IngestRun], of: Quantity) -> tuple[float, float]:
    """Return ``e`` and the logarithm of ``a`` of the best fit ``a * triples ** e``."""
    sizes, values = [triples(one) for one in runs], [of(one) for one in runs]
    exponent, log = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(exponent), float(log)


def shown(value: float) -> str:
    """Return a value with two significant digits, or as a whole number from 10 on."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def graphs() -> str:
    """Return a table of the set graphs that were imported and walked."""
    results = set_graph.RESULTS.read()
    runs = sorted(results.values(), key=lambda one: one["sets"])
    note = f"On {cores(runs[-1]['machine'])}:"
    head = ("", *(f"{one['sets'] / 1e6:.1f}M sets" for one in runs))
    return f"{note}\n\n{grid(head, graph_rows(runs))}"


def graph_rows(runs: Sequence[set_graph.Measured]) -> Iterator[Row]:
    """Yield a row for each figure of the set graphs."""
    yield "dependencies", *(f"{one['dependencies'] / 1e6:.1f}M" for one in runs)
    yield "import", *(duration(one["import_seconds"]) for one in runs)
    yield "indexes", *(duration(one["index_seconds"]) for one in runs)
    yield "next start", *(duration(one["start_seconds"]) for one in runs)
    yield "disk", *(f"{one['bytes'] / 1e9:.2f} GB" for one in runs)
    yield "memory of the server", *(f"{one['server_mb']:,} MB" for one in runs)
    for way in set_graph.WAYS:
        for when in ("first", "again"):
            walks = [one["walks"][way]["first" if when == "first" else "again"] for one in runs]
            yield (
                f"walk {way}, {when}: p50, p95",
                *(f"{duration(each['p50'])}, {duration(each['p95'])}" for each in walks),
            )
