"""Turn the results of `methods.py` into Markdown: a short table, and all tables."""

from benchmarks.questions.methods import (
    MeasuredClass,
    MethodTimes,
    Results,
    StorageRun,
    WarehouseMeasured,
)
from benchmarks.shared.markup import WORDS, bars, cores, duration, grid

NAMES = {"rq": "RQ", "ccprov": "CCProv", "csprov": "CSProv"}
ALONE = {"cold": "CSProv, cold", "again": "asked again", "near": "another item of its set"}
PAPER = {
    ("1", "RAM"): {
        "SC-SL": (2.3, 0.3, 0.3), "LC-SL": (2.1, 2.3, 0.6), "LC-LL": (2.7, 2.5, 0.8)
    },
    ("9", "RAM"): {
        "SC-SL": (8.9, 0.4, 0.4), "LC-SL": (8.3, 5.0, 0.8), "LC-LL": (9.1, 5.5, 1.3)
    },
    ("1", "disk"): {"LC-LL": (7.0, 5.5, 3.0)},
    ("9", "disk"): {"LC-LL": (20.0, 9.0, 6.0)},
}  # fmt: skip
"""The paper's mean seconds for a lineage with RQ, CCProv and CSProv (CSProv, section V).

The paper used 8 nodes with 12 cores each.
"""
EMPTY_JOBS = {"SC-SL": 2.0, "LC-SL": 2.5, "LC-LL": 3.0}
"""The targets for CSProv's median time of a lineage, as multiples of an empty job's time."""
AHEAD = {"LC-SL": (4, 8), "LC-LL": (10, 8)}
"""The targets for CSProv's speed in memory, as multiples of RQ's speed and of CCProv's speed."""
HOT_SECONDS, BATCH_SECONDS = 0.005, 0.05


def short(results: Results) -> str:
    """Return the short table, and a note on the run.

    The table has the times of the run in memory, with a row for each class.
    """
    run = results["1"]["RAM"]
    on = run["on"]
    larger = results["9"]["RAM"]["classes"] if "9" in results else []
    head = ["", "items found", *NAMES.values(), *(["CSProv, 9 copies"] if larger else [])]
    head += ["read by CSProv"]
    rows = []
    for place, each in enumerate(run["classes"]):
        times = [duration(each["methods"][name]["seconds"]["p50"]) for name in NAMES]
        if larger:
            times += [duration(larger[place]["methods"]["csprov"]["seconds"]["p50"])]
        read = f"{each['methods']['csprov']['triples']:,.0f} triples"
        rows.append([title(each), f"{each['answer']['items']:,.0f}", *times, read])
    asked = run["classes"][0]["methods"]["csprov"]["asked"]
    note = (
        f"Medians of {asked} questions of each class on the paper's trace of"
        f" {on['warehouse']['triples']:,} triples, on {on['machine']['cores']} cores, all in"
        f" memory. An empty Spark job took {duration(run['empty_job']['p50'])} there."
    )
    return f"{grid(head, rows)}\n\n{note}"


def tables(results: Results) -> str:
    """Return all tables, and a list of the targets."""
    parts = []
    for copies, runs in results.items():
        for storage, run in runs.items():
            parts += [
                f"**{trace(copies)}, {storage_title(storage)}**: {run_title(run['on'])}",
                overheads(run),
                compared(run, PAPER.get((copies, storage), {})),
            ]
            parts += [alone(run), batched(run)]
    return "\n\n".join([*parts, bars(targets(results))])


def trace(copies: str) -> str:
    """Return a title that names the number of copies of the trace."""
    return "The paper's trace" if copies == "1" else f"{copies} copies of the trace"


def storage_title(storage: str) -> str:
    """Return a title that shows whether partitions are in memory or on disk."""
    return "partitions in memory" if storage == "RAM" else "partitions on disk"


def run_title(one: WarehouseMeasured) -> str:
    """Return a note on the warehouse, the machine and the versions."""
    totals = one["warehouse"]
    used = ", ".join(f"{name} {number}" for name, number in one["versions"].items())
    return (
        f"{totals['triples']:,} triples of {totals['items']:,} items in {totals['sets']:,} sets, on"
        f" {cores(one['machine'])}, system load before the run: {one['load']},"
        f" seed {one['seed']}, with {used}."
    )


def overheads(run: StorageRun) -> str:
    """Return a note on the times of an empty job and of filling the caches."""
    fills = ", ".join(f"{duration(took)} for {name}" for name, took in run["fill_seconds"].items())
    empty = run["empty_job"]
    return (
        f"An empty Spark job takes {duration(empty['p50'])} (p95 {duration(empty['p95'])}); filling"
        " the caches took"
        f" {fills.replace('rq, ccprov', 'RQ and CCProv').replace('csprov', 'CSProv')}."
    )


def compared(run: StorageRun, paper: dict[str, tuple[float, float, float]]) -> str:
    """Return a table of all methods by class, with the paper's seconds if they are known."""
    head = ["", "items", "RQ", "its jobs, empty", "CCProv", "CSProv", "RQ / CSProv",
            "CCProv / CSProv", "triples read", "in the paper"]  # fmt: skip
    rows = []
    for each in run["classes"]:
        rq, ccprov, csprov = (each["methods"][name]["seconds"] for name in NAMES)
        theirs = paper.get(each["name"]) if each["direction"] == "upstream" else None
        counts = [f"{each['methods'][name]['triples']:,.0f}" for name in NAMES]
        rows.append(
            [
                title(each), f"{each['answer']['items']:,.0f}", duration(rq["mean"]),
                duration(each["rq_floor"]), duration(ccprov["mean"]), duration(csprov["mean"]),
                f"{rq['mean'] / csprov['mean']:.1f}", f"{ccprov['mean'] / csprov['mean']:.1f}",
                "; ".join(counts), "" if theirs is None else ", ".join(f"{s:g} s" for s in theirs),
            ]
        )  # fmt: skip
    return grid(head, rows)


def alone(run: StorageRun) -> str:
    """Return a table of CSProv's times, cold and hot, for all items of each class."""
    head = ["p50 / p95", "items", "sets", "partitions", *ALONE.values(), "cold / empty job"]
    rows = []
    for each in run["classes"]:
        cold = each["methods"]["cold"]
        rows.append(
            [
                title(each), f"{cold['asked']}", f"{cold['sets']:,.0f}",
                f"{cold['partitions']:,.0f}", *(both(each["methods"][name]) for name in ALONE),
                f"{cold['seconds']['p50'] / run['empty_job']['p50']:.2f}",
            ]
        )  # fmt: skip
    return grid(head, rows)


def batched(run: StorageRun) -> str:
    """Return a note on the time of the batch of lineages."""
    items, seconds = run["batch"]["items"], run["batch"]["seconds"]
    return (
        f"A batch of {items:,} lineage questions of LC-SL, asked before any partition was read,"
        f" takes {duration(seconds)}: {duration(seconds / items)} each."
    )


def both(measured: MethodTimes) -> str:
    """Return the table cell with the median and the 95th percentile of a method's times."""
    seconds = measured["seconds"]
    return f"{duration(seconds['p50'])} / {duration(seconds['p95'])}"


def targets(results: Results) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    found: dict[str, bool] = {}
    for copies, runs in results.items():
        for storage, run in runs.items():
            where = f"{trace(copies)}, {storage}"
            if storage == "RAM":
                found |= in_memory(where, run, first=copies == "1")
            found[f"{where}: a batch takes at most 50 ms an item more than LC-SL"] = run["batch"][
                "seconds"
            ] / run["batch"]["items"] <= BATCH_SECONDS + lc_sl(run)
            if copies != "1" and storage in results["1"]:
                found |= grown(where, run, results["1"][storage])
    return found


def in_memory(where: str, run: StorageRun, first: bool) -> dict[str, bool]:
    """Return the targets of a run in memory, and whether each was met.

    Some targets apply only if the warehouse has one copy of the trace (``first``).
    """
    found: dict[str, bool] = {}
    for each in run["classes"]:
        rq, ccprov, csprov = (each["methods"][name]["seconds"] for name in NAMES)
        name, title_ = each["name"], title(each)
        cold = each["methods"]["cold"]["seconds"]
        if each["direction"] == "upstream" and first:
            most = EMPTY_JOBS[name] * run["empty_job"]["p50"]
            found[f"{where}, {title_}: at most {EMPTY_JOBS[name]:g} empty jobs"] = (
                cold["p50"] <= most
            )
            found[f"{where}, {title_}: p95 at most 3 times p50"] = cold["p95"] <= 3 * cold["p50"]
        if name in AHEAD:
            for times, (method, other) in zip(
                AHEAD[name], (("RQ", rq), ("CCProv", ccprov)), strict=True
            ):
                found[f"{where}, {title_}: {times} times as fast as {method}"] = (
                    other["mean"] >= times * csprov["mean"]
                )
        found[f"{where}, {title_}: RQ takes at most 1.5 times its empty jobs"] = (
            rq["mean"] <= 1.5 * each["rq_floor"]
        )
        if first:
            again = each["methods"]["again"]["seconds"]["p50"]
            found[f"{where}, {title_}: a repeated question under 5 ms"] = again < HOT_SECONDS
    return found


def grown(where: str, larger: StorageRun, smaller: StorageRun) -> dict[str, bool]:
    """Return, by class, whether CSProv takes at most twice as long with more copies."""
    by_title = {
        title(each): each["methods"]["cold"]["seconds"]["p50"] for each in smaller["classes"]
    }
    return {
        f"{where}, {title(each)}: at most twice the time on the trace itself": (
            each["methods"]["cold"]["seconds"]["p50"] <= 2 * by_title[title(each)]
        )
        for each in larger["classes"]
        if title(each) in by_title
    }


def lc_sl(run: StorageRun) -> float:
    """Return CSProv's median seconds, cold, for a small lineage in a large component."""
    (cold,) = (
        each["methods"]["cold"]
        for each in run["classes"]
        if (each["name"], each["direction"]) == ("LC-SL", "upstream")
    )
    return cold["seconds"]["p50"]


def title(each: MeasuredClass) -> str:
    """Return the title of a class of questions: its name and direction."""
    return f"{each['name']}, {WORDS[each['direction']]}"
