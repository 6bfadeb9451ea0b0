"""The types of the results that `enter.py` writes, and their table in Markdown."""

from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import Percentiles, ResultsFile, SeededRun

SERVED = "with the server, nothing kept decoded"


class CommandTimes(Percentiles):
    """The seconds of several commands of one kind, from Enter to the end of the answer."""

    commands: int


class Results(SeededRun):
    """The results of one run of `enter.py`."""

    triples: int
    took: dict[str, CommandTimes]


RESULTS = ResultsFile[Results]("enter.json")
MOST = 0.3
"""The target for the median time from Enter to the end of a small answer, in seconds."""


def table(results: Results) -> str:
    """Return a table with a row for each kind of command, a note on the run, and the target."""
    head = ("a command that asks for a small lineage", "commands", "p50", "p95")
    rows = (
        (name, f"{took['commands']}", f"{took['p50']:.2f} s", f"{took['p95']:.2f} s")
        for name, took in results["took"].items()
    )
    note = (
        f"{results['triples']:,} triples, {cores(results['machine'])}, load"
        f" before {results['load']}, seed {results['seed']}."
    )
    kept = results["took"][SERVED]["p50"] <= MOST
    bar = bars({f"a command with the server: at most {MOST} s": kept})
    return f"{grid(head, rows)}\n\n{note}\n\n{bar}"
