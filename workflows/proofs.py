"""Verdicts on pairs of plans, stored so that each pair is compared once.

A verdict belongs to the release that has found it: another release may know more, or better. An
audit that finds a wrong reuse revokes a rule, and with it all verdicts that the rule has given.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Literal

from provhouse.equivalence.verdict import Revision as Query
from provhouse.equivalence.verdict import Verdict, compare, compare_plans
from provhouse.store.tables.registry import PROOFS
from provhouse.store.warehouse.layout import Layout

from .catalogue import add_rows, read_rows
from .revisions import SinkPlan

Rule = Literal["key", "columns", "proof", "filter"]
"""The reasons for reuse: equal keys of plans or of columns, a proof, or a filter of a result."""
MODULES = {"provhouse": "provhouse", "duckdb": "duckdb", "z3-solver": "z3"}
"""The packages that decide a verdict, and their modules. A proof needs z3, which is an extra."""
REVOKED = "revoked"
EQUAL = "equal"


@dataclass(frozen=True)
class Proof:
    """A verdict on two plans, by their keys."""

    key_a: str
    key_b: str
    verdict: str
    """equal, different or unknown; revoked, if an audit has found a wrong reuse."""
    by: str
    """The rule that has given the verdict, or that is revoked."""
    reason: str
    steps: int
    """The length of the proof in steps of the solver."""
    assumed: tuple[str, ...]
    """The conditions of the verdict: constraints, which are checked, and the absence of errors."""
    counterexample: str
    """Contents of tables for which the rows differ, as JSON; empty if none is known."""
    verifier: str

    @property
    def pair(self) -> frozenset[str]:
        """The two plans, in any order."""
        return frozenset((self.key_a, self.key_b))


@dataclass(frozen=True)
class Proofs:
    """The verdicts of this release, and the rules that are revoked."""

    verdicts: dict[frozenset[str], Proof]
    revoked: frozenset[str]


@cache
def verifier() -> str:
    """Return the releases that decide a verdict."""
    names = [name for name in ("provhouse", "duckdb", "z3-solver") if find_spec(MODULES[name])]
    return ", ".join(f"{name} {version(name)}" for name in names)


def stored_proofs(layout: Layout) -> Proofs:
    """Return the stored verdicts that still count."""
    rows = [Proof(**_fields(row)) for row in read_rows(layout, PROOFS)]
    mine = [each for each in rows if each.verifier == verifier()]
    revoked = frozenset(each.by for each in mine if each.verdict == REVOKED)
    counted = {each.pair: each for each in mine if each.by not in revoked}
    return Proofs(counted, revoked)


def prove(one: SinkPlan, other: SinkPlan) -> Proof:
    """Return the verdict on two plans: by keys alone, unless both are queries in SQL."""
    if one.source != "sql" or other.source != "sql":
        return _proof(one, other, compare_plans(one.plan, other.plan), "key")
    return _proof(one, other, compare(Query(one.text, one.ddl), Query(other.text, other.ddl)))


def store_proofs(layout: Layout, proofs: Sequence[Proof]) -> None:
    """Store verdicts. No lock is needed: each row is complete, and a pair may have several."""
    if proofs:
        add_rows(layout, PROOFS, [asdict(each) for each in proofs])


def revoked(one: SinkPlan, other: SinkPlan, rule: str, reason: str) -> Proof:
    """Return the record that revokes a rule, and all verdicts that it has given.

    The rule has called two plans equal whose rows differ.
    """
    return Proof(one.key, other.key, REVOKED, rule, reason, 0, (), "", verifier())


def _proof(one: SinkPlan, other: SinkPlan, found: Verdict, by: str = "proof") -> Proof:
    example = json.dumps(asdict(found.example), default=str) if found.example else ""
    steps, assumed = (found.proof.steps, found.proof.assumptions) if found.proof else (0, ())
    return Proof(
        one.key, other.key, found.kind, by, found.reason, steps, assumed, example, verifier()
    )


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    found = {name: row[name] for name in Proof.__dataclass_fields__}
    return {**found, "assumed": tuple(row["assumed"])}
