"""Turn the results of `tracing.py` into Markdown."""

from collections.abc import Iterator
from statistics import median
from typing import Literal, get_args

from benchmarks.shared.markup import bars, cores, duration, grid
from benchmarks.tracing.form import Again, Results, Through, Walk

SECTION = """\
## Tracing
`make bench-tracing` captures queries of TPC-H and walks their lineage in the same session: one row
back to its sources for the first time (*cold*) and again, 1,000 rows, one source record forwards,
1,000 of them, and `show` of the records of one row. *Warehouse* is the same lineage, asked of the
warehouse's server. *Memory* is the growth of the driver's Python while all rows are walked back.

"""
WALKS = ("query", "witnesses", "cold", "back", "1,000 back", "forth", "1,000 forth", "show",
         "warehouse", "memory, MB")  # fmt: skip
Step = Literal["back", "back_1000", "forth", "forth_1000", "show"]
STEPS: tuple[Step, ...] = get_args(Step)
THROUGH = ("program", "interface", "GB", "witnesses", "back", "1,000 back", "forth", "1,000 forth",
           "show", "memory, MB")  # fmt: skip
JOINS = ("rows", "sources", "ours", "shuffle joins")
AGAIN = ("query", "replay", "reduced table", "ratio", "equal")
FAULTS = ("program", "operators", "fault", "lineage", "smallest", "replays", "time", "1-minimal")


def tables(results: dict[str, Results]) -> str:
    """Return the tables of all scale factors."""
    return "\n\n".join(part for each in results.values() for part in _parts(each))


def _parts(results: Results) -> Iterator[str]:
    yield (
        f"Scale factor {results['scale']}, tables by {results['data']}, median of"
        f" {results['repeats']}, {cores(results['machine'])}, load before {results['load']}."
    )
    yield grid(WALKS, (tuple(_walk(each)) for each in results["walks"]))
    yield (
        "The sources of rows of a result with many groups, by our steps and by Spark's joins of"
        " whole association tables with shuffles:"
    )
    yield grid(
        JOINS,
        (
            (f"{e['rows']:,}", f"{e['found']:,}", duration(e["ours"]), duration(e["shuffle"]))
            for e in results["joins"]
        ),
    )
    yield "A replay without one record, and a run on a table without it:"
    yield grid(AGAIN, (tuple(_again(each)) for each in results["replays"]))
    if results["programs"]:
        yield (
            "Walks through grep, word count and PigMix on texts of some sizes, without a landing."
            " *Memory* is the growth of the driver's Python during the walks:"
        )
        every = sorted(results["programs"], key=lambda each: (each["program"], each["interface"]))
        yield grid(THROUGH, (tuple(_through(each)) for each in every), left=(0, 1))
    yield f"The smallest failing input of planted faults, on {results['fault_rows']:,} rows:"
    yield grid(
        FAULTS,
        (
            (e["program"], str(e["operators"]), e["fault"], f"{e['lineage']:,}", str(e["found"]),
             str(e["replays"]), duration(e["seconds"]), "yes" if e["minimal"] else "**no**")
            for e in results["faults"]
        ),
        left=(0, 2),
    )  # fmt: skip
    yield "Targets at this scale:"
    yield bars(dict(_bars(results)))


def _walk(each: Walk) -> Iterator[str]:
    yield each["query"]
    yield f"{each['witnesses']:,}"
    yield duration(each["cold"])
    yield from (duration(each[name]) for name in STEPS)
    yield duration(each["warehouse"])
    yield str(each["memory_mb"])


def _through(each: Through) -> Iterator[str]:
    yield each["program"]
    yield each["interface"]
    yield f"{each['size']:g}"
    yield f"{each['witnesses']:,}"
    yield from (duration(each[name]) for name in STEPS)
    yield str(each["memory_mb"])


def _again(each: Again) -> Iterator[str]:
    yield each["query"]
    yield duration(each["replay"])
    yield duration(each["reduced"])
    yield f"{each['replay'] / each['reduced']:.2f}"
    yield "yes" if each["equal"] else "**no**"


def _bars(results: Results) -> Iterator[tuple[str, bool]]:
    walks, small = results["walks"], [e for e in results["walks"] if e["witnesses"] <= 1000]
    yield "one row back in the session, cold, within 1 s", all(e["cold"] <= 1 for e in walks)
    if small:
        within = all(e["warehouse"] <= 0.05 for e in small)
        yield "up to 1,000 witnesses from the warehouse within 50 ms", within
    texts = [each for each in results["programs"] if each["size"] <= 1]
    for name in STEPS:
        within = all(each[name] <= 1 for each in (*walks, *texts))
        yield f"{name.replace('_', ' ')} within 1 s, on up to 1 GB", within
    yield (
        "ahead of shuffle joins at every size",
        all(e["ours"] < e["shuffle"] for e in results["joins"]),
    )
    yield (
        "a replay takes at most 1.2 times the run on the reduced table",
        all(e["replay"] <= 1.2 * e["reduced"] and e["equal"] for e in results["replays"]),
    )
    if faults := results["faults"]:
        replays = median(e["replays"] for e in faults)
        yield f"at most 40 replays at the median ({replays:g})", replays <= 40
        yield "each smallest input is 1-minimal", all(e["minimal"] for e in faults)
