"""Proofs: rewritten queries are proved and give equal random results; different ones are not."""

import random
import sys
from collections import Counter

import pytest

from helpers.proof_pairs import DDL, EQUAL
from helpers.proof_traps import TRAPS
from helpers.query_pairs import DDL as MUTATED
from helpers.query_pairs import mutants, random_query
from helpers.sampled import one_in
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.plan_form import PlanForm, doubts
from provhouse.equivalence.proving.proof import schema_of
from provhouse.equivalence.proving.prover import Attempt, attempt
from provhouse.equivalence.random_rows import RandomRows
from provhouse.equivalence.verdict import ComparedQuery, compare
from provhouse.model.errors import BadInput

DATABASES, LEAST, SEED = 100, 20, 5
NEVER_ROWS = {"a contradiction", "LIMIT 0"}
"""Equal pairs that return no rows on any database."""


def _attempt(database: EmptyDatabase, one: str, other: str) -> Attempt:
    return attempt(database.plan(one), database.plan(other), schema_of(database))


@pytest.mark.parametrize(("one", "other"), one_in(6, EQUAL.values()), ids=EQUAL)
def test_a_rewritten_query_is_proved(one: str, other: str) -> None:
    with empty_database(DDL) as database:
        plans = [database.plan(each) for each in (one, other)]
        assert _shape(plans[0]) == _shape(plans[1])
        found = _attempt(database, one, other)
    assert found.proved, found.reason


def _shape(plan: PlanForm) -> list[str]:
    return [column.type for column in plan.root.columns]


@pytest.mark.parametrize("databases", [5, pytest.param(DATABASES, marks=pytest.mark.long)])
def test_proofs_hold_on_random_databases(databases: int) -> None:
    rows: Counter[str] = Counter()
    with empty_database(DDL) as database:
        for name, pair in EQUAL.items():
            made = RandomRows(database, [database.plan(text) for text in pair], SEED)
            for _ in range(databases):
                made.fill()
                one, other = (Counter(database.con.execute(text).fetchall()) for text in pair)
                assert one == other, name
                rows[name] += bool(one)
    without = {name for name in EQUAL if not rows[name]}
    assert without >= NEVER_ROWS
    assert len(without) < len(EQUAL) / 2
    if databases == DATABASES:
        assert {name for name in EQUAL if rows[name] < LEAST} == without == NEVER_ROWS


@pytest.mark.parametrize(("one", "other"), one_in(4, TRAPS.values()), ids=TRAPS)
def test_a_trap_is_not_proved(one: str, other: str) -> None:
    with empty_database(DDL) as database:
        for first, second in ((one, other), (other, one)):
            assert not _attempt(database, first, second).proved


@pytest.mark.long
@pytest.mark.parametrize("count", [25, pytest.param(300, marks=pytest.mark.long)])
def test_no_mutant_with_other_rows_is_proved(count: int) -> None:
    source, refuted, proved = random.Random(38), 0, 0
    with empty_database(MUTATED) as database:
        while refuted < count:
            text = random_query(source)
            plan = database.plan(text)
            made = RandomRows(database, [plan], SEED)
            contents = [_contents(made) for _ in range(6)]
            for mutant in mutants(text):
                try:
                    other = database.plan(mutant)
                except BadInput:
                    continue
                if doubts(plan) or doubts(other):
                    continue
                found = attempt(plan, other, schema_of(database)).proved
                differs = any(_differ(database, each, text, mutant) for each in contents)
                refuted, proved = refuted + differs, proved + found
                assert not (found and differs), (text, mutant)
    assert proved > count / 20


Contents = dict[str, list[tuple[object, ...]]]


def _contents(made: RandomRows) -> Contents:
    made.fill()
    return made.rows()


def _differ(database: EmptyDatabase, contents: Contents, one: str, other: str) -> bool:
    database.clear(database.columns)
    for table, rows in contents.items():
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            database.con.executemany(f"insert into {table} values ({marks})", rows)
    first, second = (Counter(database.con.execute(text).fetchall()) for text in (one, other))
    return first != second


def test_a_verdict_by_proof_lists_what_it_assumes() -> None:
    one = "select e.id + 1 as x from e join d on e.k = d.k"
    found = compare(ComparedQuery(one, DDL), ComparedQuery("select id + 1 as x from e", DDL))
    assert found.kind == "equal"
    assert found.proof
    assert found.proof.assumptions == ("foreign key e(k) of d(k)", "key d(k)", "no error in +")
    assert found.proof.steps > 0


def test_a_proof_needs_the_same_number_of_steps_each_time() -> None:
    one, other = (ComparedQuery(text, DDL) for text in EQUAL["sum of sums"])
    assert compare(one, other).proof == compare(one, other).proof


def test_without_the_solver_the_verdict_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)  # how Python marks a module that is missing
    one, other = (ComparedQuery(text, DDL) for text in EQUAL["conjuncts"])
    found = compare(one, other)
    assert found.kind == "unknown"
    assert "provhouse[prove]" in found.reason


def test_what_is_not_modelled_is_unknown() -> None:
    one = "select unnest([a, b]) x from r where a > 1 and b > 1"
    other = "select unnest([a, b]) x from r where b > 1 and 1 < a"
    found = compare(ComparedQuery(one, DDL), ComparedQuery(other, DDL))
    assert found.kind == "unknown"


@pytest.mark.parametrize(
    ("module", "name"), [("prover", "STEPS"), ("formula", "WORK"), ("normal_form", "APPLIED")]
)
def test_a_proof_ends_when_a_budget_is_used(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pair is provable. With an exhausted budget, the result is not a verdict but a reason."""
    pair = (
        "select k, sum(a) from t where a between 1 and 3 group by k",
        "select k, sum(a) from t where a >= 1 and a <= 3 group by k",
    )
    with empty_database("create table t(k integer, a integer)") as database:
        assert _attempt(database, *pair).proved
        monkeypatch.setattr(f"provhouse.equivalence.proving.{module}.{name}", 1)
        found = _attempt(database, *pair)
    assert not found.proved
    assert found.reason == "the prover's budget of steps is used"
