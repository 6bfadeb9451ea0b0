"""The table that tells what `enter.py` measured, as Markdown."""

from form import Percentiles, ResultsFile, SeededRun
from markup import bars, cores, grid

SERVED = "with the server, nothing kept decoded"


class CommandTimes(Percentiles):
    """Seconds of some commands, from Enter to the end of the answer."""

    commands: int


class Results(SeededRun):
    """One run; ``load`` is the machine's mean load over the minute before."""

    triples: int
    took: dict[str, CommandTimes]


RESULTS = ResultsFile[Results]("enter.json")
WANTED = 0.3
"""Seconds from Enter to the end of a small answer."""


def table(results: Results) -> str:
    """A row for each kind of command, and what it stands on."""
    head = ("a command that asks for a small lineage", "commands", "p50", "p95")
    rows = (
        (name, f"{took['commands']}", f"{took['p50']:.2f} s", f"{took['p95']:.2f} s")
        for name, took in results["took"].items()
    )
    note = (
        f"{results['triples']:,} triples, {cores(results['machine'])}, load"
        f" before {results['load']}, seed {results['seed']}."
    )
    kept = results["took"][SERVED]["p50"] <= WANTED
    bar = bars({f"a command with the server: at most {WANTED} s": kept})
    return f"{grid(head, rows)}\n\n{note}\n\n{bar}"
