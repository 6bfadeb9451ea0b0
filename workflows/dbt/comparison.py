"""Compare two revisions of a project, node by node, in the order in which dbt builds them.

A model is compared by the keys of its rows and columns. In these keys, the models that it reads are
represented by their own keys instead of table names. So a changed column changes only the keys of
the columns that are made from it, through all models.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Literal

from provhouse.equivalence.keys import PlanKeys

from .bound_models import binder
from .model_refutation import ModelExample, compared_queries
from .passed_tests import PARTIAL, option_of, tested_columns
from .project import DbtProject, ProjectNode
from .sides import ProjectSide
from .table_types import Columns, TableTypes
from .undecided import differing_part, is_hashed, same_definition, why_not_by_sql

LARGE_SEED = "dbt has not hashed its file, which is large"
CHANGED_INPUT = "its rows have another key, and so have tables that it reads"
Kind = Literal["unchanged", "equal", "different", "undecided", "new"]


@dataclass(frozen=True)
class ModelOutcome:
    """The result of comparing a node: whether its table has the same rows in both revisions."""

    kind: Kind
    reason: str
    changed: bool
    """Whether the node itself has changed, rather than only its inputs."""
    columns: tuple[str, ...] = ()
    """The columns that differ, were added or were removed; empty if all may differ."""
    example: ModelExample | None = None

    @property
    def same(self) -> bool:
        """Whether the columns' names and types and all rows are the same."""
        return self.kind in ("unchanged", "equal")

    def has_same(self, columns: set[str]) -> bool:
        """Return whether the given columns have the same values in both revisions.

        For no columns, return whether the number of rows is the same.
        """
        return self.same or (bool(self.columns) and not columns & {*self.columns})


class ModelComparison:
    """The outcomes of the nodes of a project, compared with an earlier revision of it."""

    def __init__(self, base: ProjectSide, head: ProjectSide, reason: str) -> None:
        """Compare two revisions. ``reason`` is why no model can be compared, or ""."""
        self.base, self.head, self.refused = base, head, reason
        self.outcomes: dict[str, ModelOutcome] = {}
        affected = head.project.descendants(self._changed())
        needed = head.project.ancestors(affected)
        earlier = base.project.ancestors(needed)
        for node in base.project.nodes.values():
            if node.id in earlier:
                base.bind(node)
                base.add_keys(node, _identity(node, "base"))
        for node in head.project.nodes.values():
            found = (
                self._outcome(node) if node.id in needed else ModelOutcome("unchanged", "", False)
            )
            self.outcomes[node.id] = found

    def _changed(self) -> set[str]:
        """Return the nodes whose definitions or recorded types have changed."""
        base = self.base.project.nodes
        return {
            node.id
            for node in self.head.project.nodes.values()
            if self.refused
            or (before := base.get(node.id)) is None
            or not same_definition(before, node)
            or not self._same_types(before, node)
        }

    def _outcome(self, node: ProjectNode) -> ModelOutcome:
        before = self.base.project.nodes.get(node.id)
        if before is None:
            self.head.bind(node)
            self.head.add_keys(node, "new")
            return ModelOutcome("new", "the base does not have it", True)
        changed = not same_definition(before, node)
        if not changed and self._same_types(before, node) and self._same_inputs(node):
            self.head.keep(node, self.base)
            return ModelOutcome("unchanged", "", False)
        self.head.bind(node)
        if reason := self._why_undecided(before, node):
            self.head.add_stored(node, "head")
            return ModelOutcome("undecided", reason, changed)
        self.head.add_keys(node, _identity(node, "head"))
        if node.kind in ("seed", "source"):
            return self._stored(before, node, changed)
        found = self._by_keys(node, changed)
        return found if found.same or not changed else self._by_rows(before, node, found)

    def _same_inputs(self, node: ProjectNode) -> bool:
        refused = self.refused and node.kind != "source"
        return not refused and all(self.outcomes[needed].same for needed in node.needs)

    def _same_types(self, before: ProjectNode, node: ProjectNode) -> bool:
        """Return whether the recorded columns of a table without a query are the same."""
        found = self.head.types.of(node)
        return node.has_query or found is None or found == self.base.types.of(before)

    def _stored(self, before: ProjectNode, node: ProjectNode, changed: bool) -> ModelOutcome:
        if self.base.table(before) == self.head.table(node):
            return ModelOutcome("equal", "its file is the same", changed)
        what = "its file" if before.checksum_of_file != node.checksum_of_file else "its columns"
        return ModelOutcome("different", f"{what} changed", changed)

    def _why_undecided(self, before: ProjectNode, node: ProjectNode) -> str:
        base, head = self.base, self.head
        if self.refused and node.kind != "source":
            return self.refused
        if node.kind in ("seed", "source"):
            return "" if is_hashed(before) and is_hashed(node) else LARGE_SEED
        earlier, found = base.models[node.id], head.models[node.id]
        return (
            why_not_by_sql(node, head.project.macros)
            or why_not_by_sql(before, base.project.macros)
            or differing_part(before, node)
            or (earlier.reason and f"in the base, {earlier.reason}")
            or found.reason
            or base.doubt_below(earlier)
            or head.doubt_below(found)
        )

    def _by_keys(self, node: ProjectNode, changed: bool) -> ModelOutcome:
        one, other = self.base.keys[node.id], self.head.keys[node.id]
        if one.rows != other.rows or one.below(one.rows) != other.below(other.rows):
            return ModelOutcome("undecided", "its rows have another key", changed)
        listed = tuple(each for each in _names(one, other) if not _same_column(one, other, each))
        self.head.binder.assume(node, self.base.tests(node).without(listed))
        if not listed and [name for name, _ in one.columns] == [name for name, _ in other.columns]:
            return ModelOutcome("equal", "the keys of its rows and columns are equal", changed)
        return ModelOutcome("undecided", "columns have other keys", changed, listed)

    def _by_rows(self, before: ProjectNode, node: ProjectNode, found: ModelOutcome) -> ModelOutcome:
        """Return an outcome based on a proof, or on rows that show a difference."""
        one, other = (side.models[node.id].columns for side in (self.base, self.head))
        shared = [column for column, type_ in one if (column, type_) in other]
        tables = self._shared_tables(node)
        if shared and tables is not None:
            verdict = compared_queries(self.base, before, node, tables, shared)
            if verdict.kind == "equal" and one == other:
                self.head.take_keys(node, self.base)
                return ModelOutcome("equal", verdict.reason, True)
            if verdict.kind == "different":
                reason = _schema_change(one, other) if one != other else verdict.reason
                return replace(found, kind="different", reason=reason, example=verdict.example)
            found = replace(found, reason=verdict.reason)
        if one != other:
            return replace(found, kind="different", reason=_schema_change(one, other))
        return found if tables is not None else replace(found, reason=CHANGED_INPUT)

    def _shared_tables(self, node: ProjectNode) -> dict[str, Columns] | None:
        """Return the tables that a node's queries read, if both queries read the same rows."""
        found: dict[str, Columns] = {}
        for side in (self.base, self.head):
            for path, read in side.models[node.id].reads.items():
                outcome = self.outcomes.get(path[1])
                if outcome is None or not outcome.has_same(read):
                    return None
                listed = side.models[path[1]].columns
                found[path[1]] = [each for each in listed if each[0] not in outcome.columns]
        return found


def _schema_change(one: Columns, other: Columns) -> str:
    """Return how the columns of two tables differ."""
    came, went = ([n for n, _ in a if n not in dict(b)] for a, b in ((other, one), (one, other)))
    if came or went:
        parts = (("has new", came), ("lacks", went))
        return " and ".join(f"it {verb} {', '.join(names)}" for verb, names in parts if names)
    types = [name for name, type_ in one if dict(other)[name] != type_]
    return f"the type of {', '.join(types)} changed" if types else "the order of columns changed"


def _names(one: PlanKeys, other: PlanKeys) -> list[str]:
    return list(dict.fromkeys(name for keys in (one, other) for name, _ in keys.columns))


def _same_column(one: PlanKeys, other: PlanKeys, name: str) -> bool:
    """Return whether a column has equal keys and expressions in both plans.

    Its name must occur once in each.
    """
    keys = [[key for each, key in plan.columns if each == name] for plan in (one, other)]
    if keys[0] != keys[1] or len(keys[0]) != 1:
        return False
    (key,) = keys[0]
    return one.below(key) == other.below(key)


def _identity(node: ProjectNode, side: str) -> object:
    """Return a value that identifies the rows of a table that no query determines.

    For other nodes than hashed seeds and sources, the value is ``side``, so that the rows of the
    two revisions never count as equal.
    """
    if node.kind in ("seed", "source") and is_hashed(node):
        return [dict(node.checksum), dict(node.parts.rows)]
    return side


def compared(
    base: DbtProject, head: DbtProject, types: tuple[TableTypes, TableTypes]
) -> ModelComparison:
    """Compare a project with an earlier revision of it."""
    with ExitStack() as opened:
        one, other = (
            ProjectSide(each, listed, opened.enter_context(binder()), tested_columns(each, another))
            for each, another, listed in ((base, head, types[0]), (head, base, types[1]))
        )
        return ModelComparison(one, other, _project_reason(base, head))


def _project_reason(base: DbtProject, head: DbtProject) -> str:
    """Return why no model can be compared; empty if models can be compared."""
    if option := option_of(base, *PARTIAL):
        return (
            f"dbt has run in the base with --{option.replace('_', '-')}, on some of the rows only"
        )
    if macro := head.macros.changes_builds(base.macros):
        return f"the macro {macro}, by which dbt builds, differs"
    if [_hook(each) for each in base.operations] != [_hook(each) for each in head.operations]:
        return "the hooks at the start or the end of a run differ"
    return ""


def _hook(operation: Mapping[str, object]) -> tuple[object, object]:
    return operation["unique_id"], operation.get("raw_code")
