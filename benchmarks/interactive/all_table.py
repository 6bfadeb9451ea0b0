"""Turn the results of `all.py` into Markdown."""

from statistics import geometric_mean, median
from typing import NotRequired, TypedDict

from benchmarks.interactive.results_form import Times
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, Run


class Query(TypedDict):
    """The times of one query."""

    suite: str
    query: str
    plain: Times
    witness: Times
    """The times with lineage on demand."""
    every: Times
    """The times with the lineage of all references captured."""
    first: Times
    """The times to find the records of the first row, on demand."""
    mode: str
    planning: NotRequired[Times]
    """The shortest time of planning a new SQL text."""


class Results(Run):
    """The results of one run of the benchmark."""

    rows: int
    repeats: int
    queries: list[Query]
    refused: list[str]


RESULTS = ResultsFile[Results]("interactive_all.json")
WAYS = ("witness", "every", "first")


def table(results: Results) -> str:
    """Return the table of suites, the worst queries, and the goals."""
    found = results["queries"]
    head = ("queries", "number", "on demand, mean / worst", "all captured", "first row")
    suites = list(dict.fromkeys(each["suite"] for each in found))
    groups = {suite: [each for each in found if each["suite"] == suite] for suite in suites}
    rows = [
        (name, str(len(each)), *(_ratios(each, way) for way in WAYS))
        for name, each in {**groups, "all": found}.items()
    ]
    every = [_ratio(each, "every") for each in found]
    worst = sorted(found, key=lambda each: -_ratio(each, "every"))[:10]
    listed = [
        (
            f"{each['suite']} {each['query']}", each["mode"], f"{each['plain']['cpu']:,.0f}",
            f"{_ratio(each, 'every'):.2f}x",
        )
        for each in worst
    ]  # fmt: skip
    goals = {
        "all captured at most 1.5x at the geometric mean": geometric_mean(every) <= 1.5,
        "all captured at most 4x at worst": max(every) <= 4,
    }
    parts = [
        f"{results['rows']:,} rows, median of {results['repeats']} runs,"
        f" {cores(results['machine'])}, system load before the run: {results['load']}. The"
        " column *number* is how many queries were measured.",
        grid(head, rows),
        "The ten queries that cost most with all references captured, in ms of processor time:",
        grid(("query", "mode", "plain", "all captured"), listed, (0, 1)),
        *_planning(groups.get("TPC-H", []), goals),
        bars(goals),
        *([f"Refused: {', '.join(results['refused'])}."] if results["refused"] else []),
    ]
    return "\n\n".join(parts)


def _planning(queries: list[Query], goals: dict[str, bool]) -> list[str]:
    """Return a sentence with the times of planning new SQL, and add their goal to ``goals``."""
    found = [each["planning"]["wall"] for each in queries if "planning" in each]
    if not found:
        return []
    goals["planning of new SQL for TPC-H at most 8 ms at the median"] = median(found) <= 8
    return [
        f"Planning of new SQL for TPC-H: {median(found):.1f} ms at the median, "
        f"{max(found):.1f} ms at most."
    ]


def _ratio(query: Query, way: str) -> float:
    times = {"witness": query["witness"], "every": query["every"], "first": query["first"]}
    return times[way]["cpu"] / query["plain"]["cpu"]


def _ratios(queries: list[Query], way: str) -> str:
    ratios = [_ratio(each, way) for each in queries]
    return f"{geometric_mean(ratios):.2f}x / {max(ratios):.2f}x"
