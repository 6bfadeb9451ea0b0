"""Make tables in Markdown from the results of `what_if.py`."""

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile
from benchmarks.what_if.form import Results
from provhouse.model.zoom import LEVELS

RESULTS = ResultsFile[Results]("what_if.json")
SECTION = """\
## What-if deletion
`make bench-what-if` deletes items from a random graph without cycles, with derivations of all
kinds, and computes which items die, survive or are undecided. The times are those after the fetch
and after the index of the fetched triples, whose time is shown too. A peer keeps the paper's graph
in memory and counts lost inputs; its graph is built before. Its answers are equal.

An aggregate of a million inputs is computed without each of them (`what-if --each`); the values of
some are compared with those of single deletions. The lineage of one item is shown at each level:
the steps *fold* and *name* are what a view takes after the fetch.

"""
DELETION_MS = {1: 2, 100: 60, 10_000: 700}
WHOLE, AHEAD_FROM = 1.3, 100_000
ALTERNATIVES_MS, ZOOM_MS = 100, 150
"""The targets."""


def tables(results: Results) -> str:
    """Return a note, the tables, and the targets."""
    note = (
        f"On {cores(results['machine'])}, load {results['load']} before. The graph has"
        f" {results['triples']:,} triples; its index takes {results['index_ms']:,.0f} ms."
    )
    parts = [note, _deletions(results)]
    if results["alternatives"]:
        parts.append(_alternatives(results))
    if results["zooms"]:
        parts.append(_zooms(results))
    if results["peers"]:
        parts.append(_peers(results))
    if results["whole"]:
        parts.append(_whole(results))
    return "\n\n".join([*parts, bars(targets(results))])


def targets(results: Results) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    met = {
        f"{one['deleted']:,} deleted: at most {DELETION_MS[one['deleted']]} ms":
            one["ms"] <= DELETION_MS[one["deleted"]]
        for one in results["deletions"]
    }  # fmt: skip
    for each in results["alternatives"]:
        bar = f"{each['function']} without each input: at most {ALTERNATIVES_MS} ms"
        met[bar] = each["chosen_ms"] <= ALTERNATIVES_MS
    if results["zooms"]:
        for what, levels in (("single records", {"record"}), ("all other levels", {*LEVELS[:-1]})):
            worst = max(each["fold_ms"] + each["name_ms"] for each in results["zooms"]
                        if each["level"] in levels)  # fmt: skip
            bar = f"a view of {what}: at most {ZOOM_MS} ms after the fetch"
            met[bar] = worst <= ZOOM_MS
    if results["peers"]:
        large = [one for one in results["peers"] if one["triples"] >= AHEAD_FROM]
        ahead = all(one["ours_ms"] < one["theirs_ms"] for one in large)
        met[f"ahead of all from {AHEAD_FROM:,} triples"] = ahead
    for one in results["whole"]:
        ratio = one["what_if_ms"] / one["impact_ms"]
        met[f"{one['kind']}: a whole question at most {WHOLE} times an impact"] = ratio <= WHOLE
    return met


def _deletions(results: Results) -> str:
    rows = (
        (f"{one['deleted']:,}", f"{one['reached']:,}", f"{one['dies']:,}",
         f"{one['survives']:,}", f"{one['undecided']:,}", f"{one['ms']:,.2f}")
        for one in results["deletions"]
    )  # fmt: skip
    return grid(("deleted", "reached", "dies", "survives", "undecided", "ms"), rows, ())


def _alternatives(results: Results) -> str:
    rows = (
        (one["function"], f"{one['inputs']:,}", f"{one['chosen_ms']:,.1f}", f"{one['one_ms']:,.1f}")
        for one in results["alternatives"]
    )
    head = ("an aggregate without each input", "inputs", "all, ms", "one deletion alone, ms")
    return grid(head, rows)


def _zooms(results: Results) -> str:
    rows = (
        (" ".join(filter(None, (one["level"], ", ".join(one["folded"])))), f"{one['triples']:,}",
         f"{one['nodes']:,}", f"{one['edges']:,}", f"{one['fold_ms']:,.1f}",
         f"{one['name_ms']:,.1f}", f"{one['whole_ms']:,.1f}")
        for one in results["zooms"]
    )  # fmt: skip
    head = ("view at the level", "triples", "nodes", "edges", "fold, ms", "name, ms", "whole, ms")
    return grid(head, rows)


def _peers(results: Results) -> str:
    rows = (
        (one["peer"], f"{one['triples']:,}", f"{one['dies']:,}", f"{one['theirs_ms']:,.2f}",
         f"{one['ours_ms']:,.2f}")
        for one in results["peers"]
    )  # fmt: skip
    return grid(("the paper's method on", "triples", "dies", "ms", "provhouse, ms"), rows)


def _whole(results: Results) -> str:
    rows = (
        (one["kind"], f"{one['questions']}", f"{one['impact_ms']:,.1f}",
         f"{one['what_if_ms']:,.1f}", f"{one['what_if_ms'] / one['impact_ms']:.2f}")
        for one in results["whole"]
    )  # fmt: skip
    head = ("class, cold, counts only", "questions", "impact, ms", "what-if, ms", "times")
    return grid(head, rows)
