"""Decide whether two queries are equal, by their keys, a proof, or rows that refute it."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Literal

from .changed_segments import smallest_segments
from .empty_database import EmptyDatabase, empty_database
from .first_difference import first_difference
from .keys import PlanKeys, plan_keys
from .plan_form import PlanForm, doubts
from .proving.proof import Proof, prove
from .refutation import FIRST, MORE, Example, Refutation

Kind = Literal["equal", "equal columns", "different", "unknown"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on whether two queries return the same rows for all contents of their tables."""

    kind: Kind
    reason: str
    operator: str = ""
    """The first operator that differs; empty if the keys are equal."""
    example: Example | None = None
    proof: Proof | None = None
    """The proof and its assumptions; None if the keys alone decide."""


@dataclass(frozen=True)
class ComparedQuery:
    """The SQL text of a query, and the DDL of its tables."""

    text: str
    ddl: str


def compare(first: ComparedQuery, second: ComparedQuery, columns: Sequence[str] = ()) -> Verdict:
    """Compare two queries; if ``columns`` are given, compare only these columns.

    Raises BadInput if DuckDB refuses a query or DDL, and KeyError if a query lacks a named column.
    """
    with ExitStack() as opened:
        one = opened.enter_context(empty_database(first.ddl))
        same = first.ddl == second.ddl
        other = one if same else opened.enter_context(empty_database(second.ddl))
        plans = one.plan(first.text), other.plan(second.text)
        keys = plan_keys(plans[0]), plan_keys(plans[1])
        operator = first_difference(plans, keys)
        if reasons := [*doubts(plans[0]), *doubts(plans[1])]:
            return Verdict("unknown", reasons[0], operator)
        if found := by_key(keys, columns):
            return replace(found, operator="" if found.kind.startswith("equal") else operator)
        if columns:
            return Verdict("unknown", "the keys of these columns differ", operator)
        if plans[0].settings != plans[1].settings or not _same_tables(one, other):
            return Verdict("unknown", "the tables or the settings differ", operator)
        return _by_rows(one, (first.text, second.text), plans, operator)


def compare_plans(first: PlanForm, second: PlanForm, columns: Sequence[str] = ()) -> Verdict:
    """Compare two plans by their keys; if ``columns`` are given, compare only these columns.

    Raises KeyError if a plan lacks a named column.
    """
    keys = plan_keys(first), plan_keys(second)
    operator = first_difference((first, second), keys)
    if reasons := [*doubts(first), *doubts(second)]:
        return Verdict("unknown", reasons[0], operator)
    if found := by_key(keys, columns):
        return replace(found, operator="" if found.kind.startswith("equal") else operator)
    if columns:
        return Verdict("unknown", "the keys of these columns differ", operator)
    if _shape(first) != _shape(second):
        return Verdict("different", "the names or types of the columns differ", operator)
    return Verdict("unknown", "the keys of the plans differ", operator)


def _shape(plan: PlanForm) -> tuple[tuple[str, ...], list[str]]:
    return plan.names, [column.type for column in plan.root.columns]


def by_key(keys: tuple[PlanKeys, PlanKeys], columns: Sequence[str]) -> Verdict | None:
    """Return a verdict if the keys are equal, and all forms behind them are equal too."""
    one, other = keys
    if columns:
        pairs = one.reader(columns), other.reader(columns)
        equal = pairs[0] == pairs[1] and one.below(*pairs[0]) == other.below(*pairs[1])
        return Verdict("equal columns", "the keys of these columns are equal") if equal else None
    if one.whole == other.whole and one.below(one.whole) == other.below(other.whole):
        return Verdict("equal", "the keys of both plans are equal")
    if one.rows == other.rows and one.columns == other.columns:
        return Verdict("unknown", "the rows are equal, but their order may differ")
    return None


def _same_tables(one: EmptyDatabase, other: EmptyDatabase) -> bool:
    return one.columns == other.columns and one.facts == other.facts


def _by_rows(
    database: EmptyDatabase, texts: tuple[str, str], plans: tuple[PlanForm, PlanForm], operator: str
) -> Verdict:
    """Refute equality by the columns' names or types, or by the rows for random contents."""
    if _shape(plans[0]) != _shape(plans[1]):
        return Verdict("different", "the names or types of the columns differ", operator)
    found: Proof | str = ""
    refutation = Refutation(database, texts, plans)
    example = refutation.example(FIRST)
    if not example:
        found = _proved(plans, database)
        if isinstance(found, Proof):
            return Verdict("equal", "a proof shows that the rows are equal", proof=found)
        example = refutation.example(MORE)
    if example:
        return Verdict("different", "the rows differ for an example", operator, example)
    return Verdict("unknown", f"{refutation.outcome()}; {found}", operator)


def _proved(plans: tuple[PlanForm, PlanForm], database: EmptyDatabase) -> Proof | str:
    """Return a proof for the plans or for the smallest differing segments, or why there is none."""
    found = prove(plans, database)
    if not isinstance(found, Proof) and (segments := smallest_segments(*plans)) != plans:
        return prove(segments, database)
    return found
