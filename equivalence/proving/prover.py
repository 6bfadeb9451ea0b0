"""The proof that two plans return the same rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from ..plan_form import PlanForm, doubts
from . import atoms as symbols
from .atoms import Term
from .equal_parts import Replaced, with_equal_parts
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
SHARE = 4
"""A proof for two parts of plans has one part in ``SHARE`` of the budget."""


@dataclass(frozen=True)
class Attempt:
    """The result of an attempt: a proof, or the reason why there is none."""

    proved: bool
    reason: str
    steps: int
    constraints: tuple[str, ...] = ()


def attempt(first: PlanForm, second: PlanForm, schema: Schema, ordered: bool = True) -> Attempt:
    """Try to prove that two plans return the same rows, in the same order if ``ordered``.

    Equal parts are replaced by tables first; if this gives no proof, the entire plans are compared.
    """
    if reasons := [*doubts(first), *doubts(second)]:
        return Attempt(False, f"the prover has no model of {reasons[0]}", 0)
    found = _by_parts(first, second, schema, ordered)
    if found.proved:
        return found
    whole = _attempt(first, second, schema, ordered)
    return replace(whole, steps=whole.steps + found.steps)


def _by_parts(first: PlanForm, second: PlanForm, schema: Schema, ordered: bool) -> Attempt:
    attempts: list[Attempt] = []

    def prove(parts: Replaced) -> bool:
        if sum(each.steps for each in attempts) > STEPS:
            return False
        attempts.append(_attempt(*parts, ordered=False, share=SHARE))
        return attempts[-1].proved

    if made := with_equal_parts(first, second, schema, prove):
        attempts.append(_attempt(*made, ordered))
    used = {name for each in attempts if each.proved for name in each.constraints}
    return Attempt(
        made is not None and attempts[-1].proved,
        "",
        sum(each.steps for each in attempts),
        tuple(sorted(used)),
    )


def _attempt(
    first: PlanForm, second: PlanForm, schema: Schema, ordered: bool, share: int = 1
) -> Attempt:
    symbols.forget(share)
    solver, known = Solver(STEPS // share), Schema(schema.tables)
    try:
        found = _proved((first, second), known, solver, ordered)
    except NotModelled as reason:
        return Attempt(False, f"the prover has no model of {reason}", solver.steps)
    except OutOfSteps:
        return Attempt(False, "the prover's budget of steps is used", solver.steps)
    except RecursionError:
        return Attempt(False, "the queries are nested too deeply for the prover", solver.steps)
    if found:
        return Attempt(False, found, solver.steps)
    return Attempt(True, "", solver.steps, tuple(sorted(known.used)))


def _proved(plans: tuple[PlanForm, PlanForm], schema: Schema, solver: Solver, ordered: bool) -> str:
    """Return the reason why there is no proof; empty if there is a proof."""
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
