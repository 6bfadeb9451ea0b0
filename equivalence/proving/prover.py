"""The proof that two plans return the same rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ..plan_form import PlanForm, doubts
from . import atoms as symbols
from .atoms import Term
from .expressions import Expressions
from .formula import OutOfSteps
from .matching import Matching
from .normal_form import NormalForm
from .schema import Schema
from .solver import Solver
from .sql_values import Constants, NotModelled
from .translation import Translation

STEPS = 5_000_000
"""The budget of a proof in z3's resource units; few benchmark pairs need 200,000."""


@dataclass(frozen=True)
class Attempt:
    """The result of an attempt: a proof, or the reason why there is none."""

    proved: bool
    reason: str
    steps: int
    constraints: tuple[str, ...] = ()


def attempt(first: PlanForm, second: PlanForm, schema: Schema, ordered: bool = True) -> Attempt:
    """Try to prove that two plans return the same rows, in the same order if ``ordered``."""
    symbols.forget()
    solver = Solver(STEPS)
    try:
        found = _proved((first, second), schema, solver, ordered)
    except NotModelled as reason:
        return Attempt(False, f"the prover has no model of {reason}", solver.steps)
    except OutOfSteps:
        return Attempt(False, "the prover's budget of steps is used", solver.steps)
    except RecursionError:
        return Attempt(False, "the queries are nested too deeply for the prover", solver.steps)
    if found:
        return Attempt(False, found, solver.steps)
    return Attempt(True, "", solver.steps, tuple(sorted(schema.used)))


def _proved(plans: tuple[PlanForm, PlanForm], schema: Schema, solver: Solver, ordered: bool) -> str:
    """Return the reason why there is no proof; empty if there is a proof."""
    if found := [each for plan in plans for each in doubts(plan)]:
        raise NotModelled(found[0])
    translation = Translation(schema, Expressions(Constants.of(_parts(plans))))
    one, other = (translation.rows(plan.root) for plan in plans)
    if not ordered:
        one, other = one.unordered(), other.unordered()
    if one.order != other.order:
        return "the prover finds that the order of the rows may differ"
    form, matching = NormalForm(solver, schema), Matching(solver)
    first, second = form.sum(one.terms), form.sum(other.terms)
    if matching.bags(first, second) or _equal_sets(first, second, form, matching):
        return ""
    return "the prover finds no proof"


def _equal_sets(
    first: Sequence[Term], second: Sequence[Term], form: NormalForm, matching: Matching
) -> bool:
    """Return whether two sums without repeated rows have the same rows."""
    sides = first, second
    if any(len(terms) != 1 or not form.is_set(terms[0]) for terms in sides):
        return False
    one, other = (form.sum(terms, as_set=True) for terms in sides)
    return matching.sets(one, other)


def _parts(one: Any) -> Iterator[Any]:
    if is_dataclass(one):
        yield one
        for each in fields(one):
            yield from _parts(getattr(one, each.name))
    elif isinstance(one, tuple):
        for each in one:
            yield from _parts(each)
