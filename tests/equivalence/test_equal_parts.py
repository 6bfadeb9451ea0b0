"""Equal parts of two plans are replaced by tables, and nothing else is taken for equal."""

from collections.abc import Iterator

import pytest

from helpers.proof_pairs import DDL
from helpers.sampled import one_in
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.proving.proof import schema_of
from provhouse.equivalence.proving.prover import Attempt, attempt

SUMS = "select k, sum(sal) x, count(*) n from e where m > 1 and sal < 9 group by k"
SAME = "select k, sum(sal) x, count(id) n from e where 9 > sal and not m <= 1 group by k"
LESS = "select k, sum(sal) x, count(*) n from e where m > 1 and sal <= 9 group by k"
PROVED = {
    "a rewritten part": (
        f"select s.k, t.n from ({SUMS}) s join ({SUMS}) t on s.x = t.n and s.k > 1",
        f"select s.k, t.n from ({SUMS}) s join ({SAME}) t on t.n = s.x where 1 < s.k",
    ),
    "a part twice": (
        f"with s as ({SUMS}) select s.k, t.n from s join s t on s.x = t.n",
        f"select s.k, t.n from ({SAME}) s, ({SUMS}) t where t.n = s.x",
    ),
    "the key of a part": (
        f"select distinct s.k, t.x from ({SUMS}) s join ({SUMS}) t on s.k = t.k",
        f"select s.k, t.x from ({SAME}) s join ({SUMS}) t on s.k = t.k",
    ),
    "a part in which a proof must look": (
        f"select k, x from ({SUMS}) where k = 2",
        "select k, sum(sal) x from e where m > 1 and sal < 9 and k = 2 group by k",
    ),
}  # fmt: skip
NOT_PROVED = {
    "a part with another condition": (
        f"select s.k, t.n from ({SUMS}) s join ({SUMS}) t on s.x = t.n",
        f"select s.k, t.n from ({SUMS}) s join ({LESS}) t on t.n = s.x",
    ),
    "parts in other places": (
        f"select s.k, t.n from ({SUMS}) s left join ({LESS}) t on s.x = t.x and s.k < t.k",
        f"select s.k, t.n from ({LESS}) s left join ({SUMS}) t on s.x = t.x and s.k < t.k",
    ),
    "columns in other places": (
        "select n from (select count(m) n, count(*) o from e group by k) where o > 1",
        "select n from (select count(*) n, count(m) o from e group by k) where o > 1",
    ),
    "rows of a part that repeat": (
        f"select s.k from ({SUMS}) s join ({SUMS}) t on s.x = t.x",
        f"select distinct s.k from ({SAME}) s join ({SUMS}) t on s.x = t.x",
    ),
    "a nullable column of a part": (
        f"select count(s.x) c from (select k, max(pay) x from e group by k) s, ({SUMS}) t",
        f"select count(s.k) c from (select k, max(pay) x from e group by k) s, ({SAME}) t",
    ),
    "the order of a filtered part": (
        f"select k + 1 x from (select k from (select k, n from ({SUMS}) order by k) where n > 1)",
        f"select k + 1 x from (select k from (select k, n from ({SAME}) order by n) where n > 1)",
    ),
    "the order of a part": (
        f"select k from ({SUMS}) order by n, k limit 2",
        f"select k from ({SAME}) order by x, k limit 2",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def database() -> Iterator[EmptyDatabase]:
    with empty_database(DDL) as found:
        yield found


def _attempt(database: EmptyDatabase, one: str, other: str) -> Attempt:
    return attempt(database.plan(one), database.plan(other), schema_of(database))


@pytest.mark.parametrize(("one", "other"), one_in(2, PROVED.values()), ids=PROVED)
def test_plans_with_equal_parts_are_proved(database: EmptyDatabase, one: str, other: str) -> None:
    assert _attempt(database, one, other).proved


@pytest.mark.parametrize(("one", "other"), one_in(3, NOT_PROVED.values()), ids=NOT_PROVED)
def test_plans_with_other_parts_are_not(database: EmptyDatabase, one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert not _attempt(database, first, second).proved


def test_a_proof_with_parts_does_not_assume_their_keys(database: EmptyDatabase) -> None:
    found = _attempt(database, *PROVED["the key of a part"])
    assert found.constraints == ("foreign key e(k) of d(k)", "key d(k)")


def test_a_proof_assumes_the_key_of_a_table_in_a_part(database: EmptyDatabase) -> None:
    """The rows of the windows are distinct only because their table has a key."""
    ranks = "select id, rank() over (order by sal) x from e"
    found = _attempt(
        database,
        f"select distinct s.id, s.x from ({ranks}) s join ({ranks}) t on s.id = t.id",
        f"select s.id, s.x from ({ranks}) s join ({ranks}) t on s.id = t.id",
    )
    assert found.proved
    assert "key e(id)" in found.constraints
