"""Make tables in Markdown from the results of `workflowgen_bench.py`."""

from typing import Literal

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile
from benchmarks.workflows.form import Stored, WorkflowGenRun

RESULTS = ResultsFile[WorkflowGenRun]("workflowgen.json")
SECTION = """\
## Workflows of the Lipstick paper
`make bench-workflowgen` runs the two workflows of the paper's benchmark, WorkflowGen, as queries on
DuckDB: four car dealers whose state grows with each bid, and 24 Arctic stations in three
topologies, with a synthetic climate of the size of the paper's data. Each runs with and without
capture, on 1, 2 and 4 threads, which take the place of the paper's reducers. The paper reports
about 2.5 times the time for dealerships, and 16.5% to 35% more for stations, of Pig programs that
took seconds; the same overhead weighs more here, since an execution takes a fraction of a second.
Questions are asked of the triples in memory: zoom out of one module and of all, the paper's
subgraph query (ancestors, descendants, and siblings of descendants), and the deletion of an item.

"""
PLOT = "![Times of executions by threads, and of questions by triples](plots/workflowgen.svg)"
STORED = "**Bytes a triple** in the tables of a warehouse: plain triples, and what columns add."
Form = Literal["derived", "valued", "modules"]
MORE_BYTES = 6
"""The target for derivations, kinds and values, in bytes a triple."""
FOLD_MS = 150
"""The target for folding all modules of a graph, in milliseconds for a million triples."""


def tables(results: WorkflowGenRun) -> str:
    """Return a note, the tables, and the targets."""
    note = (
        f"On {cores(results['machine'])}, load {results['load']} before; {results['cars']:,} cars."
    )
    timed = grid(
        ("workflow", "threads", "plain, ms", "captured, ms", "more", "triples", "bytes a triple"),
        (
            (
                one["workflow"], f"{one['threads']}", f"{1e3 * one['plain']:.0f}",
                f"{1e3 * one['captured']:.0f}", f"{one['captured'] / one['plain'] - 1:.0%}",
                f"{one['triples']:,}", f"{one['bytes'] / one['triples']:.1f}",
            )
            for one in results["timed"]
        ),
    )  # fmt: skip
    asked = grid(
        ("workflow", "triples", "items", "fold one, ms", "fold all, ms", "subgraph, ms",
         "delete, ms", "reached", "visible"),
        (
            (
                one["workflow"], f"{one['triples']:,}", f"{one['items']:,}",
                f"{1e3 * one['fold_one']:.1f}", f"{1e3 * one['fold_all']:.1f}",
                f"{1e3 * one['subgraph']:.1f}", f"{1e3 * one['delete']:.2f}",
                f"{one['reached']:,.0f}", f"{one['visible']:,}",
            )
            for one in results["asked"]
        ),
    )  # fmt: skip
    stored = grid(
        ("workflow", "triples", "plain", "derivations", "and values", "and modules"),
        (
            (
                one["workflow"], f"{one['triples']:,}", f"{one['plain'] / one['triples']:.1f}",
                *(f"+{_more(one, form):.1f}" for form in ("derived", "valued", "modules")),
            )
            for one in results["stored"]
        ),
    )  # fmt: skip
    return "\n\n".join((note, PLOT, timed, asked, STORED, stored, bars(targets(results))))


def _more(one: Stored, form: Form) -> float:
    """Return the bytes a triple that the columns of a form add to those of plain triples."""
    return (one[form] - one["plain"]) / one["triples"]


def targets(results: WorkflowGenRun) -> dict[str, bool]:
    """Return each target, and whether it was met."""
    same = [one["equal"] for one in results["timed"]] + [one["equal"] for one in results["asked"]]
    largest = max(results["asked"], key=lambda one: one["triples"])
    rate = 1e9 * largest["fold_all"] / largest["triples"]
    more = max(_more(one, "valued") for one in results["stored"])
    return {
        "results are equal with and without capture, and in whatever order modules fold": all(same),
        f"folding a million triples in at most {FOLD_MS} ms": rate <= FOLD_MS,
        f"derivations, kinds and values: at most {MORE_BYTES} bytes a triple more ({more:.1f})": (
            more <= MORE_BYTES
        ),
    }
