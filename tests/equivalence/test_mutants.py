"""Random queries: mutants with other rows are never called equal; rewritten queries always are."""

import random

import duckdb
import pytest

from helpers import mutants as edits
from helpers.query_pairs import DDL, fill, mutants, random_query, rows
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.keys import PlanKeys, plan_keys
from provhouse.equivalence.plan_form import doubts
from provhouse.equivalence.verdict import ComparedQuery, compare
from provhouse.model.errors import BadInput

DATABASES = 12
MUTANTS, MORE = 30, 300
Databases = list[duckdb.DuckDBPyConnection]
EQUAL = (
    ("select a from t where a > 1 and b = 'x'", "select x.a from t x where 'x' = b and a > 1"),
    ("select t.a, e from t join u on t.a = u.a", "select a, e from t join u using (a)"),
    ("with q as (select a, b from t) select b from q", "select b from (select a, b from t) z"),
    (
        "with q as (select a from t) select x.a from q x, q y",
        "select x.a from (select a from t) x, (select a from t) y",
    ),
    ("select distinct a, b from t", "select a, b from t group by b, a"),
    ("select count(*) n from (select a from t order by b)", "select count(*) n from t"),
    ("select a + 1 x, b from t", "select x, b from (select b, 1 + a as x, d from t)"),
    (
        "select b from t where a in (select a from u)",
        "select x.b from t x where x.a in (from (select a from u))",
    ),
    (
        "select a from t where exists (select 1 from u where u.a = t.a)",
        "select y.a from t y where exists (select 1 from u z where y.a = z.a)",
    ),
    (
        "select b, sum(a) filter (where d > 1) s from t group by b",
        "select b, sum(a) filter (where d > 1) s from (select d, b, a from t) group by b",
    ),
    (
        "select a from t union all select k from u",
        "with q as (select k from u) select a from t union all from q",
    ),
    (
        "select sum(a) over (partition by b, d) s from t",
        "select sum(a) over (partition by d, b) s from t",
    ),
)


@pytest.fixture(scope="module")
def databases() -> Databases:
    """Databases with the tables of ``DDL``, each filled with different random rows."""
    source, made = random.Random(1), []
    for _ in range(DATABASES):
        con = duckdb.connect(config={"threads": 1})
        con.execute(DDL)
        fill(con, source)
        made.append(con)
    return made


def _keys(database: EmptyDatabase, text: str) -> tuple[PlanKeys, list[str]]:
    plan = database.plan(text)
    return plan_keys(plan), doubts(plan)


def _differ(databases: Databases, one: str, other: str) -> bool:
    """Return whether the rows of two queries differ in one of the databases."""
    return any(rows(con, one) != rows(con, other) for con in databases)


@pytest.mark.parametrize("most", [MUTANTS, pytest.param(MORE, marks=pytest.mark.long)])
def test_no_mutant_with_other_rows_has_an_equal_key(databases: Databases, most: int) -> None:
    source, refuted = random.Random(38), 0
    with empty_database(DDL) as database:
        while refuted < most:
            text = random_query(source)
            key, doubtful = _keys(database, text)
            assert not doubtful or "limit" in text, (text, doubtful)
            for mutant in mutants(text):
                try:
                    other, unsure = _keys(database, mutant)
                except BadInput:
                    continue
                refuted_now = not unsure and not doubtful and _differ(databases, text, mutant)
                refuted += refuted_now
                assert not refuted_now or other.whole != key.whole, (text, mutant)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_rewritten_queries_have_equal_keys_and_rows(
    databases: Databases, one: str, other: str
) -> None:
    with empty_database(DDL) as database:
        key, doubtful = _keys(database, one)
        second, unsure = _keys(database, other)
    assert [doubtful, unsure] == [[], []]
    assert key.whole == second.whole
    assert not _differ(databases, one, other)


@pytest.mark.parametrize("most", [6, pytest.param(2_000, marks=pytest.mark.long)])
def test_no_mutant_of_tpch_and_of_other_queries_is_called_equal(most: int) -> None:
    made = list(edits.found(random.Random(most), most))
    assert len(made) == most
    for mutant in made:
        found = compare(
            ComparedQuery(mutant.text, mutant.ddl), ComparedQuery(mutant.edited, mutant.ddl)
        )
        assert not found.kind.startswith("equal"), mutant
