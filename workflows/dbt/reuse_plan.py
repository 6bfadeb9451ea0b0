"""The plan for a pull request of a dbt project: verdicts, and the models that must be built."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .comparison import ModelComparison, ModelOutcome, compared
from .model_refutation import ModelExample
from .modified import modified
from .passed_tests import with_status
from .project import DbtProject, ProjectNode, project
from .table_types import for_both, named_columns

FAILED = ("error", "runtime error", "partial success", "skipped", "fail")
Verdict = Literal["equal", "equal columns", "different", "undecided", "new"]


@dataclass(frozen=True)
class ChangedNode:
    """A node that the pull request changes, and the verdict on its rows."""

    node: str
    verdict: Verdict
    reason: str
    columns: tuple[str, ...]
    """The columns that differ, were added or were removed; empty if none or all may differ."""
    why_built: str
    """Why the node must be built; empty if it need not be."""
    example: ModelExample | None


@dataclass(frozen=True)
class ReadingModel:
    """A node that is not changed itself, but may have different rows."""

    node: str
    why_built: str
    """Why the node must be built; empty if it need not be."""


@dataclass(frozen=True)
class ReusePlan:
    """The verdicts on all changed nodes, and what must be built."""

    refused: str
    """Why no model is compared; empty if models are compared."""
    changed: tuple[ChangedNode, ...]
    readers: tuple[ReadingModel, ...]
    removed: tuple[str, ...]
    build: tuple[str, ...]
    """The nodes to build, in the order in which dbt builds them."""
    modified: tuple[str, ...]
    """The nodes that dbt builds for ``state:modified+``."""
    exposures: tuple[str, ...]
    """The exposures and metrics that read a node whose rows may differ, directly or not."""
    assumptions: tuple[str, ...]

    @property
    def saved(self) -> tuple[str, ...]:
        """The nodes that dbt builds for ``state:modified+`` although they need not be built."""
        return tuple(node for node in self.modified if node not in self.build)


def reuse_plan(
    target: Path, base: Path, database: Path | None = None, ddl: Path | None = None
) -> ReusePlan:
    """Compare the target folder of a pull request with that of its base."""
    before, after = project(base), project(target)
    types = for_both(before, after, named_columns(database, ddl))
    return _Planner(compared(before, after, types), before, after).plan()


class _Planner:
    def __init__(self, found: ModelComparison, before: DbtProject, after: DbtProject) -> None:
        self._found, self._before, self._after = found, before, after
        self._failed = with_status(before, *FAILED)
        self._builds = {
            node.id: reason
            for node in after.nodes.values()
            if node.is_built and (reason := self._why_built(node))
        }

    def plan(self) -> ReusePlan:
        """Return the verdicts and the nodes to build."""
        nodes = self._after.nodes
        changed = [n for n in nodes.values() if self._is_changed(n)]
        below = self._after.descendants({node.id for node in changed})
        readers = [n for n in nodes.values() if n.is_built and not self._is_changed(n)]
        return ReusePlan(
            refused=self._found.refused,
            changed=tuple(self._changed(node) for node in changed),
            readers=tuple(
                ReadingModel(node.id, self._builds.get(node.id, ""))
                for node in readers
                if node.id in below or node.id in self._builds
            ),
            removed=tuple(id_ for id_ in self._before.nodes if id_ not in nodes),
            build=tuple(self._builds),
            modified=tuple(modified(self._before, self._after)),
            exposures=tuple(self._exposures()),
            assumptions=tuple(self._assumptions()),
        )

    def _is_changed(self, node: ProjectNode) -> bool:
        before = self._before.nodes.get(node.id)
        return self._found.outcomes[node.id].changed or (
            before is not None
            and (before.parts.relation != node.parts.relation or before.template != node.template)
        )

    def _changed(self, node: ProjectNode) -> ChangedNode:
        found = self._found.outcomes[node.id]
        return ChangedNode(
            node.id,
            self._verdict(node, found),
            found.reason or "its SQL is the same, except comments and spaces",
            found.columns,
            self._builds.get(node.id, ""),
            found.example,
        )

    def _verdict(self, node: ProjectNode, found: ModelOutcome) -> Verdict:
        if found.kind == "unchanged":
            return "equal"
        readers = self._after.readers[node.id]
        exposed = any(node.id in read for read in self._after.exposures.values())
        kept = readers and all(self._found.outcomes[reader].same for reader in readers)
        if found.kind in ("different", "undecided") and found.columns and kept and not exposed:
            return "equal columns"
        return found.kind

    def _why_built(self, node: ProjectNode) -> str:
        found, before = self._found.outcomes[node.id], self._before.nodes.get(node.id)
        if not found.same:
            own = found.changed or self._found.refused
            return found.reason if own else self._what_it_reads(node, found)
        if node.id in self._failed:
            return "the run of the base did not build it"
        if before and (differing := _differing(before, node)):
            return f"its {differing} changed"
        if not node.stored and (moved := self._moved(node)):
            return f"it is a view of {moved}, whose name it does not have in the base"
        return ""

    def _what_it_reads(self, node: ProjectNode, found: ModelOutcome) -> str:
        """Return which of the tables that a node reads have changed, and in which columns."""
        reads = {path[1]: read for path, read in self._found.head.models[node.id].reads.items()}
        changed = [
            f"{', '.join(sorted(read & {*other.columns}))} of {self._name(id_)}"
            if other.columns
            else self._name(id_)
            for id_, read in reads.items()
            if (other := self._found.outcomes[id_]) and not other.has_same(read)
        ]
        if changed:
            return f"it reads {' and '.join(changed)}"
        needed = [self._name(n) for n in node.needs if not self._found.outcomes[n].same]
        return f"it reads {' and '.join(needed)}; {found.reason}" if needed else found.reason

    def _name(self, id_: str) -> str:
        return self._after.nodes[id_].name

    def _moved(self, node: ProjectNode) -> str:
        """Return a table below ``node`` that is new or has another full name in the base.

        Returns an empty string if there is none.
        """
        before = self._before.tables_below(node.id)
        for id_ in self._after.tables_below(node.id):
            if id_ not in before or self._before.nodes[id_].place != self._after.nodes[id_].place:
                return self._name(id_)
        return ""

    def _exposures(self) -> Iterator[str]:
        outcomes = self._found.outcomes
        for name, read in self._after.exposures.items():
            if any(node in outcomes and not outcomes[node].same for node in read):
                yield name

    def _assumptions(self) -> Iterator[str]:
        """Yield the assumptions, including the keys of tables that were confirmed by dbt tests."""
        yield "the base is built, and its sources have the same rows as then"
        yield "one version of DuckDB, with the same settings, builds both, and no query fails"
        for node in self._before.nodes.values():
            if tested := self._found.base.tested.get(node.id):
                for column in tested.keys:
                    yield f"{column} is a key of {node.name}, as tests of dbt found"


def _differing(before: ProjectNode, node: ProjectNode) -> str:
    """Return the name of the first part of the relation that differs, or "" if none does."""
    one, other = before.parts.relation, node.parts.relation
    return next((part for part in sorted({*one, *other}) if one.get(part) != other.get(part)), "")
