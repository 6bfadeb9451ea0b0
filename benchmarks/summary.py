"""Make the short tables of `docs/benchmarks.md` from the same results as `docs/figures`."""

from collections.abc import Callable, Iterable
from statistics import geometric_mean, median

from benchmarks.capture import capture_memory as memory
from benchmarks.capture import nights, overhead, programs, tpcds
from benchmarks.charts import crossfilter_speed as crossfilter
from benchmarks.ingest import component_speed as components
from benchmarks.ingest import ingest
from benchmarks.interactive import results_form as interactive
from benchmarks.peers import peers
from benchmarks.questions import enter
from benchmarks.server import serve
from benchmarks.shared.markup import WORDS, Row, duration, grid
from benchmarks.tracing import walks
from benchmarks.what_if import what_if
from benchmarks.workflows import workflowgen


def ingests() -> Iterable[Row]:
    """Yield the table's header, then the time, memory and disk space of an ingest of each size."""
    yield "triples", "from CSV to the commit", "peak memory", "disk", "an append of 10,000"
    for one in sorted(ingest.RESULTS.read().values(), key=lambda one: one["ingest"]["triples"]):
        found = one["ingest"]
        appends = [ingest.without_start(each) for each in one["appends"].values()]
        yield (
            f"{found['triples']:,}",
            f"{found['wall_seconds']:,.0f} s",
            f"{found['peak_memory_mb'] / 1000:.1f} GB",
            f"{one['bytes']['all'] / found['triples']:.0f} bytes a triple",
            f"{min(appends):.1f} to {max(appends):.1f} s",
        )


def connected() -> Iterable[Row]:
    """Yield the table's header, then the time that each program takes to find components."""
    yield "6.4 million edges", "time", "bytes an item"
    for name, one in components.RESULTS.read()["traces"][0]["contenders"].items():
        if one:
            took = duration(one["total"]["median"])
            yield name, took, f"{one['bytes_an_item']:.0f}"


def asked() -> Iterable[Row]:
    """Yield the table's header, then each program's median time for each class of questions."""
    results = peers.RESULTS.read()["1"]
    classes = [f"{one['name']}, {WORDS[one['direction']]}" for one in results["classes"]]
    yield "", *classes, "memory"
    for name, each in results["contenders"].items():
        if each:
            took = [one["seconds"] for one in each["took"]]
            cells = [duration(one["p50"]) if one else "too slow" for one in took]
            yield name, *cells, f"{each['peak_memory_mb'] / 1000:.1f} GB"


def served() -> Iterable[Row]:
    """Yield the header, then a server's rate and time under each load, and a command's time."""
    yield "", "clients", "answers a second", "median"
    for phase in serve.RESULTS.read()["phases"]:
        times = median(each["p50"] for each in phase["milliseconds"].values())
        rate = f"{phase['answers_per_second']:,.0f}"
        yield phase["name"], str(phase["clients"]), rate, duration(times / 1000)
    for name, each in enter.RESULTS.read()["took"].items():
        yield f"a command: {name}", "1", "", duration(each["p50"])


def captured() -> Iterable[Row]:
    """Yield the header, then the times of jobs with capture, as multiples of plain Spark."""
    yield "", "queries", "time, mean", "time, at most", "memory"
    used = memory.RESULTS.read()
    heap = used["captured"]["spark"] / used["plain"]["spark"]
    for scale, run in overhead.RESULTS.read().items():
        ratios = [one["captured"]["seconds"] / one["plain"]["seconds"] for one in run["queries"]]
        yield _times(f"TPC-H, scale factor {scale}", ratios, f"{heap:.2f}" if scale == "1" else "")
    every = tpcds.RESULTS.read()
    ratios = [
        one["captured"]["seconds"] / one["plain"]["seconds"]
        for one in every["queries"]
        if one["captured"] and one["plain"]
    ]
    yield _times(f"TPC-DS, scale factor {every['scale']}", ratios)
    largest = programs.RESULTS.read()["1"]["programs"]
    for interface in ("RDD", "data frame"):
        ways = [each["ways"][interface] for each in largest if interface in each["ways"]]
        ratios = [w["capture"]["cost"]["seconds"] / w["plain"]["cost"]["seconds"] for w in ways]
        yield _times(f"grep, word count and PigMix, 1 GB, {interface}s", ratios)


def _times(name: str, ratios: list[float], memory: str = "") -> Row:
    return name, str(len(ratios)), f"{geometric_mean(ratios):.2f}", f"{max(ratios):.2f}", memory


def nightly() -> Iterable[Row]:
    """Yield the table's header, then the times of landing for selected nights."""
    results = nights.RESULTS.read()["nights"]
    yield "night", "associations", "landing"
    for night in (2, len(results)):
        one = results[night - 1]
        yield str(night), f"{one['entries']:,}", duration(one["landing_seconds"])


def traced() -> Iterable[Row]:
    """Yield the table's header, then the times of walks from rows of TPC-H results."""
    yield "query of TPC-H", "witnesses", "first row back", "again", "1,000 rows back", "forth"
    for one in walks.RESULTS.read()["1"]["walks"]:
        times = (one["cold"], one["back"], one["back_1000"], one["forth"])
        yield one["query"], f"{one['witnesses']:,}", *map(duration, times)


def queried() -> Iterable[Row]:
    """Yield the header, then the times of queries with lineage, as ratios to plain DuckDB."""
    yield "22 queries of TPC-H on DuckDB", "median", "at most"
    every = interactive.RESULTS.read()["tpch"]
    ways: dict[str, Callable[[interactive.Query], interactive.Times | None]] = {
        "lineage on demand, processor time": lambda one: one["witness"],
        "lineitem captured, processor time": lambda one: one["anchor"],
    }
    for name, way in ways.items():
        ratios = [t["cpu"] / one["plain"]["cpu"] for one in every if (t := way(one))]
        yield name, f"{median(ratios):.2f} times", f"{max(ratios):.2f} times"
    for name, times in {
        "records of the first row": [t["wall"] for one in every if (t := one["one_row"])],
        "records of a row, indexed": [t["wall"] for one in every if (t := one["hot_row"])],
    }.items():
        yield name, duration(median(times) / 1000), duration(max(times) / 1000)


def deleted() -> Iterable[Row]:
    """Yield the table's header, then the times of what-if deletions."""
    results = what_if.RESULTS.read()
    yield f"deleted, of {results['triples']:,} triples", "items reached", "time"
    for one in results["deletions"]:
        yield f"{one['deleted']:,}", f"{one['reached']:,}", duration(one["ms"] / 1000)


def brushed() -> Iterable[Row]:
    """Yield the table's header, then the time of the slowest movement of a brush."""
    yield "rows", "data", "slowest bars", "slowest frame in Chromium"
    for run in crossfilter.RESULTS.read()["runs"]:
        for one in run["data"]:
            bars = max(each["max"] for each in one["spreads"] if each["way"] == "provhouse")
            frame = max((each["max"] for each in one["drawn"]), default=0.0)
            shown = duration(frame / 1000) if frame else ""
            yield f"{run['rows']:,}", one["name"], duration(bars / 1000), shown


def folded() -> Iterable[Row]:
    """Yield the header, then times of executions and questions for the Lipstick workflows."""
    results = workflowgen.RESULTS.read()
    yield "workflow", "triples", "plain", "captured", "fold all modules"
    for name in dict.fromkeys(one["workflow"] for one in results["timed"]):
        if name.endswith(", month"):
            continue
        run = next(one for one in results["timed"] if one["workflow"] == name)
        largest = max(
            (one for one in results["asked"] if one["workflow"] == name), key=lambda o: o["triples"]
        )
        times = (run["plain"], run["captured"], largest["fold_all"])
        yield name, f"{run['triples']:,}", *map(duration, times)


TABLES: dict[str, Callable[[], Iterable[Row]]] = {
    "ingests": ingests, "components": connected, "peers": asked, "server": served,
    "capture": captured, "nights": nightly, "tracing": traced, "interactive": queried,
    "what-if": deleted, "linked views": brushed, "workflows": folded,
}  # fmt: skip
"""The tables of the page, by the names in its markers."""


def table(name: str) -> str:
    """Return one of the tables in Markdown."""
    head, *rows = TABLES[name]()
    return grid(head, rows)


if __name__ == "__main__":
    for each in TABLES:
        print(table(each), "\n")
