"""Verdicts on pairs of plans, stored so that each pair is compared only once.

A verdict is valid only for the releases that decided it, since other releases may decide more
pairs, or correct an error. An audit that finds a wrong reuse revokes a rule, and so all
verdicts by this rule.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Literal

from provhouse.equivalence.verdict import ComparedQuery as Query
from provhouse.equivalence.verdict import Verdict, compare, compare_plans
from provhouse.store.tables.registry import PROOFS
from provhouse.store.warehouse.layout import Layout

from .revision_tables import add_rows, read_rows
from .revisions import SinkPlan

Rule = Literal["key", "columns", "proof", "filter", "partial"]
"""The rules for reuse: equal keys of plans or columns, a proof, or rows computed from results.

``filter`` computes rows from one result, perhaps with a delta; ``partial`` from results of parts.
"""
MODULES = {"provhouse": "provhouse", "duckdb": "duckdb", "z3-solver": "z3"}
"""The packages that decide verdicts, and their modules. Proofs need z3, an optional extra."""
REVOKED = "revoked"
EQUAL = "equal"


@dataclass(frozen=True)
class StoredProof:
    """A verdict on two plans, which are identified by their keys."""

    key_a: str
    key_b: str
    verdict: str
    """``equal``, ``different`` or ``unknown``; ``revoked`` after an audit found a wrong reuse."""
    by: str
    """The rule that decided the verdict, or that is revoked."""
    reason: str
    steps: int
    """The length of the proof, in solver steps."""
    assumed: tuple[str, ...]
    """The verdict's conditions: constraints, which are checked, and the absence of errors."""
    counterexample: str
    """An example as JSON: table contents for which the rows differ; empty if none is known."""
    verifier: str

    @property
    def pair(self) -> frozenset[str]:
        """The two plans, in any order."""
        return frozenset((self.key_a, self.key_b))


@dataclass(frozen=True)
class Proofs:
    """The verdicts of this release, and the rules that are revoked."""

    verdicts: dict[frozenset[str], StoredProof]
    revoked: frozenset[str]


@cache
def verifier() -> str:
    """Return the releases of the packages that decide a verdict."""
    names = [name for name in ("provhouse", "duckdb", "z3-solver") if find_spec(MODULES[name])]
    return ", ".join(f"{name} {version(name)}" for name in names)


def stored_proofs(layout: Layout) -> Proofs:
    """Return the stored verdicts that are still valid."""
    rows = [StoredProof(**_fields(row)) for row in read_rows(layout, PROOFS)]
    mine = [each for each in rows if each.verifier == verifier()]
    revoked = frozenset(each.by for each in mine if each.verdict == REVOKED)
    counted = {each.pair: each for each in mine if each.by not in revoked}
    return Proofs(counted, revoked)


def prove(one: SinkPlan, other: SinkPlan) -> StoredProof:
    """Return the verdict on two plans. Only keys are compared, unless both are SQL queries."""
    if one.source != "sql" or other.source != "sql":
        return _proof(one, other, compare_plans(one.plan, other.plan), "key")
    return _proof(one, other, compare(Query(one.text, one.ddl), Query(other.text, other.ddl)))


def store_proofs(layout: Layout, proofs: Sequence[StoredProof]) -> None:
    """Store verdicts. No lock is needed: each row is complete, and a pair may have several rows."""
    if proofs:
        add_rows(layout, PROOFS, [asdict(each) for each in proofs])


def revoked(one: SinkPlan, other: SinkPlan, rule: str, reason: str) -> StoredProof:
    """Return the record that revokes a rule and all verdicts by this rule.

    The rule has found two plans to be equal whose rows differ.
    """
    return StoredProof(one.key, other.key, REVOKED, rule, reason, 0, (), "", verifier())


def _proof(one: SinkPlan, other: SinkPlan, found: Verdict, by: str = "proof") -> StoredProof:
    example = json.dumps(asdict(found.example), default=str) if found.example else ""
    steps, assumed = (found.proof.steps, found.proof.assumptions) if found.proof else (0, ())
    return StoredProof(
        one.key, other.key, found.kind, by, found.reason, steps, assumed, example, verifier()
    )


def _fields(row: dict[str, Any]) -> dict[str, Any]:
    found = {name: row[name] for name in StoredProof.__dataclass_fields__}
    return {**found, "assumed": tuple(row["assumed"])}
