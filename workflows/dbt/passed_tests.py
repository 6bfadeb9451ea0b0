"""Passed tests of dbt: the constraints that they confirm are assumed to hold in all runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .project import DbtProject

Json = Mapping[str, Any]
DEFAULTS = {
    "where": None,
    "limit": None,
    "fail_calc": "count(*)",
    "warn_if": "!= 0",
    "error_if": "!= 0",
}
"""The configs of a test that reads all rows and tolerates no failing row."""
TESTED = ("unique", "not_null")
PARTIAL = ("empty", "sample", "event_time_start", "event_time_end")
"""The options of dbt with which a command reads only some rows of its inputs, or none."""
ELSEWHERE = ("defer", "favor_state")
"""The options of dbt with which tests may read the tables of another environment."""


@dataclass
class TestedColumns:
    """The columns of a table that dbt's tests declare unique or not null."""

    unique: set[str] = field(default_factory=set)
    not_null: set[str] = field(default_factory=set)

    @property
    def keys(self) -> list[str]:
        """The key columns: unique and not null, since dbt's uniqueness test ignores NULLs."""
        return sorted(self.unique & self.not_null)

    def without(self, columns: Iterable[str]) -> "TestedColumns":
        """Return the constraints on all columns except the given ones."""
        return TestedColumns(self.unique - {*columns}, self.not_null - {*columns})


def tested_columns(project: DbtProject, other: DbtProject) -> dict[str, TestedColumns]:
    """Return the constraints confirmed by tests that passed in the last run, by node id.

    A test that failed in the last run of the ``other`` project is ignored. No test counts if the
    last run may have tested other data than the tables of this project.
    """
    found: dict[str, TestedColumns] = {}
    if not project.same_run or option_of(project, *PARTIAL, *ELSEWHERE):
        return found
    failed = with_status(other, "fail", "error", "warn")
    passed = with_status(project, "pass") - failed
    for test in project.tests:
        said, node = _said(project, test), test.get("attached_node")
        if said is not None and node and test["unique_id"] in passed:
            _add(found.setdefault(node, TestedColumns()), *said)
    return found


def declared_columns(project: DbtProject) -> dict[str, TestedColumns]:
    """Return the constraints that tests declare, whether the tests passed or not, by node id.

    Only tests that read all rows count. Unlike in ``tested_columns``, these include tests of
    sources.
    """
    found: dict[str, TestedColumns] = {}
    for test in project.tests:
        if (said := _said(project, test)) is not None:
            node = str(test.get("attached_node") or next(iter(test["depends_on"]["nodes"]), ""))
            if node in project.nodes:
                _add(found.setdefault(node, TestedColumns()), *said)
    return found


def _add(tested: TestedColumns, name: str, column: str) -> None:
    (tested.unique if name == "unique" else tested.not_null).add(column)


def option_of(project: DbtProject, *options: str) -> str:
    """Return the first of these options with which dbt ran last, or "" if there is none."""
    given = (project.results or {}).get("args") or {}
    return next((option for option in options if given.get(option)), "")


def with_status(project: DbtProject, *statuses: str) -> set[str]:
    """Return the ids of nodes and tests with one of these statuses in the last run."""
    results = (project.results or {}).get("results", ())
    return {each["unique_id"] for each in results if each["status"] in statuses}


def _said(project: DbtProject, test: Json) -> tuple[str, str] | None:
    """Return the name and the column of a test, or None if the test is of another kind.

    The test must be ``unique`` or ``not_null``, and must read all rows.
    """
    kind = test.get("test_metadata") or {}
    name, column = str(kind.get("name")), test.get("column_name")
    known = name in TESTED and not kind.get("namespace") and _reads_all(test)
    return (
        (name, column) if known and column and not project.macros.replaces(f"test_{name}") else None
    )


def _reads_all(test: Json) -> bool:
    config = test["config"]
    kwargs = test["test_metadata"].get("kwargs", {}).keys()
    return kwargs <= {"column_name", "model"} and all(
        config.get(name, value) == value for name, value in DEFAULTS.items()
    )
