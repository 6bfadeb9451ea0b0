"""Turn the results of `interactive.py` into Markdown."""

from collections.abc import Iterator
from statistics import geometric_mean

from benchmarks.interactive.results_form import Consuming, Contender, Query, Results, Times
from benchmarks.shared.markup import bars, cores, grid

JOINS = ("q03", "q05", "q10", "q12", "q18")


def table(results: Results) -> str:
    """Return the tables of all parts, and the goals."""
    return "\n\n".join(_parts(results))


def _parts(results: Results) -> Iterator[str]:
    yield (
        f"TPC-H scale factor {results['scale']}, other tables {results['rows']:,} rows, median of"
        f" {results['repeats']} runs, {cores(results['machine'])},"
        f" system load before the run: {results['load']}."
    )
    if results["tpch"]:
        head = ("query", "plain, CPU / wall", "on demand", "lineitem captured", "planning, wall",
                "first row, wall", "a row, indexed", "1,000 records, indexed")  # fmt: skip
        yield grid(head, map(_query, results["tpch"]))
    if results["contenders"]:
        yield (
            "**Other ways** to find the records of lineitem from which the first row was made:"
            " times of the query and of the first question, CPU / wall. Plain re-execution runs the"
            " query again for the values of the row. Perm's rewriting joins the result with all"
            " records. SmokedDuck is the Python package 0.1.dev36241, which has one thread."
            f" {results['missing']}"
        ).strip()
        yield grid(("query", "records", *_ways(results["contenders"])), _contenders(results))
    if results["consuming"]:
        yield (
            "**Queries over the records** of one row, by the records' share of the table, wall."
            " *Index-free* reads the table with the condition of the row; *re-executed* joins the"
            " table with the query."
        )
        ways = list(dict.fromkeys(each["way"] for each in results["consuming"]))
        yield grid(("query", "share", *ways), _consuming(results["consuming"]))
    if results["groups"]:
        yield "**GROUP BY** with zipf-distributed keys and lineage in both directions, CPU / wall."
        rows = [
            (f"{each['groups']:,}", _both(each["plain"]), _both(each["captured"]),
             _ratio(each["captured"], each["plain"]))
            for each in results["groups"]
        ]  # fmt: skip
        yield grid(("groups", "plain", "captured", "ratio"), rows)
    if results["links"]:
        yield (
            "**Linked results**: time to highlight the rows of one result that are linked to"
            " selected rows of the other, in ms."
        )
        yield grid(
            ("charts", "to link them", "p50", "p95", "max"),
            (
                (each["charts"], f"{each['made_ms']:,.3g}", f"{each['p50']:,.3g}",
                 f"{each['p95']:,.3g}", f"{each['max']:,.3g}")
                for each in results["links"]
            ),
        )  # fmt: skip
    for each in results["dependencies"]:
        yield (
            f"**A functional dependency** with {each['violations']} violations: a check finds"
            f" them and their {each['records']:,} records in {_both(each['checked'])}, hand-written"
            f" SQL in {_both(each['by_hand'])} (CPU / wall, ms)."
        )
    yield bars(goals(results))


def _query(query: Query) -> tuple[str, ...]:
    anchor = _ratio(query["anchor"], query["plain"]) if query["anchor"] else ""
    walls = [_wall(query[kind]) for kind in ("planning", "one_row", "hot_row", "hot_rids")]
    on_demand = _ratio(query["witness"], query["plain"])
    return (query["query"], _both(query["plain"]), on_demand, anchor, *walls)


def _contenders(results: Results) -> Iterator[tuple[str, ...]]:
    ways = _ways(results["contenders"])
    for name in dict.fromkeys(each["query"] for each in results["contenders"]):
        found = {each["way"]: each for each in results["contenders"] if each["query"] == name}
        records = next(iter(found.values()))["records"]
        cells = (_contender(found[way]) if way in found else "" for way in ways)
        yield (name, f"{records:,}", *cells)


def _contender(found: Contender) -> str:
    times: Times = {
        "cpu": found["capture"]["cpu"] + found["lineage"]["cpu"],
        "wall": found["capture"]["wall"] + found["lineage"]["wall"],
    }
    return _both(times) + ("" if found["same"] else f", other records: {found['records']:,}")


def _ways(found: list[Contender]) -> list[str]:
    return list(dict.fromkeys(each["way"] for each in found))


def _consuming(found: list[Consuming]) -> Iterator[tuple[str, ...]]:
    cells: dict[tuple[str, float], list[str]] = {}
    for each in found:
        cells.setdefault((each["query"], each["share"]), []).append(_wall(each["times"]))
    for (query, share), times in cells.items():
        yield (query, f"{100 * share:g} %", *times)


def goals(results: Results) -> dict[str, bool]:
    """Return the goals, and whether each was met."""
    found: dict[str, bool] = {}
    tpch = results["tpch"]
    joins = {
        each["query"]: each["anchor"]["cpu"] / each["plain"]["cpu"]
        for each in tpch
        if each["query"] in JOINS and each["anchor"]
    }
    if joins:
        worst = max(joins, key=lambda name: joins[name])
        found[f"lineitem captured at most 1.10x ({joins[worst]:.2f}, {worst})"] = (
            joins[worst] <= 1.10
        )
    if tpch:
        ratios = [each["witness"]["cpu"] / each["plain"]["cpu"] for each in tpch]
        mean, most = geometric_mean(ratios), max(ratios)
        found[f"all available afterwards: mean at most 1.15x ({mean:.2f})"] = mean <= 1.15
        found[f"all available afterwards: each at most 1.6x ({most:.2f})"] = most <= 1.6
        planning = max(each["planning"]["wall"] for each in tpch)
        found[f"planning of new SQL at most 6 ms ({planning:.1f})"] = planning <= 6
        for kind, text in (("hot_row", "a row"), ("hot_rids", "1,000 records")):
            times = [each[kind]["wall"] for each in tpch if each[kind]]  # type: ignore[literal-required]
            if times:
                found[f"{text}, indexed, at most 1 ms ({max(times):.2f})"] = max(times) <= 1
    found |= _first(results) | _points(results) | _groups(results)
    return found | _charts(results)


def _first(results: Results) -> dict[str, bool]:
    """Return whether provhouse's query plus first question beats each other way to find lineage."""
    found = {}
    for way in (each for each in _ways(results["contenders"]) if "provhouse" not in each):
        behind = []
        for name in dict.fromkeys(each["query"] for each in results["contenders"]):
            both = {
                each["way"]: each["capture"]["wall"] + each["lineage"]["wall"]
                for each in results["contenders"]
                if each["query"] == name
            }
            ours = min(both["provhouse, captured"], both["provhouse, on demand"])
            if way in both and ours > both[way]:
                behind.append(name)
        text = f" (behind in {', '.join(behind)})" if behind else ""
        found[f"query and first question ahead of {way}{text}"] = not behind
    return found


def _points(results: Results) -> dict[str, bool]:
    """Return whether the index is faster than the other variants at every share of records."""
    times = {(each["query"], each["share"], each["way"]): each["times"]["wall"]
             for each in results["consuming"]}  # fmt: skip
    behind = [
        f"{query} of {100 * share:g} %"
        for query, share, way in times
        if way == "index"
        and times[query, share, way] > min(times[query, share, other] for other in OTHERS)
    ]
    text = f" (behind: {', '.join(behind)})" if behind else ""
    return {f"queries over records ahead at every share{text}": not behind} if times else {}


OTHERS = ("index-free", "re-executed")


def _groups(results: Results) -> dict[str, bool]:
    return {
        f"GROUP BY with {each['groups']:,} groups at most 1.0x": each["captured"]["cpu"]
        <= each["plain"]["cpu"]
        for each in results["groups"]
    }


def _charts(results: Results) -> dict[str, bool]:
    found = {
        f"{each['charts']}: highlights of p95 at most 50 ms ({each['p95']:.2f})": each["p95"] <= 50
        for each in results["links"]
    }
    for each in results["dependencies"]:
        ratio = each["checked"]["wall"] / each["by_hand"]["wall"]
        found[f"a functional dependency at most 1.5x of SQL ({ratio:.2f})"] = ratio <= 1.5
    return found


def _both(times: Times) -> str:
    return f"{times['cpu']:,.3g} / {times['wall']:,.3g}"


def _wall(times: Times | None) -> str:
    return f"{times['wall']:,.3g}" if times else ""


def _ratio(times: Times, plain: Times) -> str:
    return f"{times['cpu'] / plain['cpu']:.2f}x"
