"""The types of the results that `workflowgen_bench.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import Run


class Timed(TypedDict):
    """One workflow with and without capture: seconds for an execution (medians), and its size."""

    workflow: str
    threads: int
    executions: int
    plain: float
    captured: float
    triples: int
    bytes: int
    equal: bool
    """Whether both ways gave the same results."""


class Asked(TypedDict):
    """Questions about the graph of a workflow: processor seconds (medians) after the fetch."""

    workflow: str
    triples: int
    items: int
    fold_one: float
    """One module folded."""
    fold_all: float
    subgraph: float
    """Ancestors, descendants and siblings of descendants of a random item."""
    delete: float
    """The fates of all items after a deletion of a random item."""
    reached: float
    """The items that such a deletion reaches, the median."""
    visible: int
    """The items that are visible with all modules folded."""
    equal: bool
    """Whether folding all modules one after the other hides the same items."""


class Stored(TypedDict):
    """The bytes of a warehouse of a workflow's triples, by the columns that they have."""

    workflow: str
    triples: int
    plain: int
    derived: int
    """With derivations and the kinds of operations."""
    valued: int
    """With the values of the sources of aggregates, too."""
    modules: int
    """With roles, modules, invocations and executions, too."""


class WorkflowGenRun(Run):
    """One run of the benchmark."""

    cars: int
    stations: int
    executions: int
    timed: list[Timed]
    asked: list[Asked]
    stored: list[Stored]
