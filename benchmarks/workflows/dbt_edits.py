"""Count the dbt models that must be built after edits: by our plan, dbt's and SQLMesh's rules.

`make bench-dbt` runs it. Each edit of the history is also executed, to find out which models really
changed. Results go to `results/dbt_edits.json`.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import median
from time import process_time
from typing import TypedDict

from benchmarks.shared.markup import bars, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from provhouse.workflows.dbt.reuse_plan import reuse_plan


class Edits(TypedDict):
    """The edits of one kind, with counts of the edited models' descendants that are built."""

    kind: str
    edits: int
    changed: int
    """The number of descendants whose rows or columns changed when they were executed."""
    ours: int
    dbt: int
    sqlmesh: int
    kept_wrongly: int


class DbtRun(Run):
    """One run of the benchmark."""

    edits: list[Edits]
    seconds: list[float]
    """The median and the 95th percentile of the processor seconds that a plan takes."""


RESULTS = ResultsFile[DbtRun]("dbt_edits.json")
HALF = 0.5
"""The target: our plan builds at most this fraction of the descendants that dbt builds."""


def tables(results: DbtRun) -> str:
    """Return the table of kinds, the times, and the targets."""
    rows = [
        (e["kind"], *map(str, (e["edits"], e["changed"], e["ours"], e["dbt"], e["sqlmesh"])))
        for e in results["edits"]
    ]
    names = ("edits", "changed", "ours", "dbt", "sqlmesh")
    total = ("all", *(f"{_total(results, name):,}" for name in names))
    listed = grid(
        ("kind of edit", "edits", "changed", "provhouse", "state:modified+", "SQLMesh's rule"),
        [*rows, total],
    )
    middle, high = (f"{1000 * each:.0f} ms" for each in results["seconds"])
    note = (
        "The table shows the descendants that are built after each edit of a project of 31 "
        "models, next to the descendants whose rows or columns changed when the edit was "
        f"executed. A plan takes {middle} of processor time at the median, {high} at the 95th "
        "percentile."
    )
    return "\n\n".join((note, listed, bars(targets(results))))


def targets(results: DbtRun) -> dict[str, bool]:
    """Return each target, and whether it was met."""
    part = _total(results, "ours") / _total(results, "dbt")
    return {
        "no changed model is kept": _total(results, "kept_wrongly") == 0,
        f"at most half of the descendants that dbt builds ({part:.0%})": part <= HALF,
    }


def _total(results: DbtRun, name: str) -> int:
    return sum(int(str(dict(each)[name])) for each in results["edits"])


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count the models that edits build.")
    parser.add_argument("--steps", type=int, default=200, help="the number of edits")
    steps: int = parser.parse_args().steps
    run = recorded(mean_load(), packages("duckdb", "provhouse"))
    edits, seconds = measured(steps)
    RESULTS.write({**run, "edits": edits, "seconds": seconds})


def measured(steps: int) -> tuple[list[Edits], list[float]]:
    """Return the counts of each kind of edit, and the times."""
    from helpers.dbt_history import sqlmesh_builds, write_step
    from helpers.edit_history import history

    found: dict[str, Edits] = {}
    seconds = []
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as folder:
        for step in history(steps=steps):
            base, target = write_step(Path(folder), step)
            before = process_time()
            plan = reuse_plan(target, base)
            seconds.append(process_time() - before)
            built, modified = ({n.split(".")[2] for n in p} for p in (plan.build, plan.modified))
            edited, one = step.modified(), found.setdefault(step.kind, _none(step.kind))
            one["edits"] += 1
            one["changed"] += len(step.changed - edited)
            one["ours"] += len(built - edited)
            one["dbt"] += len(modified - edited)
            one["sqlmesh"] += len(sqlmesh_builds(step) - edited)
            one["kept_wrongly"] += len(step.changed - built)
    high = sorted(seconds)[int(0.95 * len(seconds))]
    return list(found.values()), [median(seconds), high]


def _none(kind: str) -> Edits:
    return {
        "kind": kind, "edits": 0, "changed": 0, "ours": 0, "dbt": 0, "sqlmesh": 0,
        "kept_wrongly": 0,
    }  # fmt: skip


if __name__ == "__main__":
    main()
