"""Single operators: results, lineage that suffices to reproduce rows, equal modes, refusals."""

from pathlib import Path

import duckdb
import pytest

from helpers.interactive_oracle import check, same
from provhouse.interactive import Connection, connect
from provhouse.sql.not_covered import NotCovered

COVERED = (Path(__file__).parent / "operators.sql").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def small() -> Connection:
    """Small tables with NULLs and duplicates, an empty table, and a view."""
    con = duckdb.connect()
    con.execute("create table a(id int, k int, s varchar, v int)")
    con.execute("create table b(k int, w int)")
    con.execute("create table e(k int, z int)")
    con.execute(
        "insert into a select i, case when i % 7 > 0 then i % 5 end, 's' || (i % 3), (i * 37) % 61 "
        "from range(30) t(i)"
    )
    con.execute("insert into b select case when i % 4 > 0 then i % 6 end, i from range(20) t(i)")
    con.execute("create view va as select k, sum(v) sv from a group by k")
    return connect(con)


@pytest.mark.parametrize("sql", COVERED[::6])  # the long test below has all queries
def test_rows_come_back_from_their_witnesses(small: Connection, sql: str) -> None:
    assert check(small, sql, most=1).wrong == []


@pytest.mark.long
@pytest.mark.parametrize("sql", COVERED)
def test_modes_agree_and_forward_is_the_inverse(small: Connection, sql: str) -> None:
    assert check(small, sql, most=100).wrong == []
    same(small, sql, ("witness", "defer"))


REFUSED = {
    "with recursive t(x, n)\nusing key (x) as (select 1, 2 union select x + 1, n from t "
    "where x < 5) select * from t": ("USING KEY", "in line 1, column 16"),
    "select k from a where exists (select 1 from b where now() > timestamp '2020-01-01')": (
        "now()", "in line 1"
    ),
    "select v from a where random() < 0.5": ("random()", "in line 1"),
    "select a.id, e.z from a semi join b on a.k = b.k full join e on a.k = e.k": (
        "a SEMI JOIN before a RIGHT or FULL JOIN", "in line 1"
    ),
    "pivot a on s using sum(v) filter (v > 3) group by k": ("FILTER in PIVOT", "in line 1"),
    "from a unpivot (w for n in (k, v)) as p(x, y, z, zz)": (
        "UNPIVOT with other names for its columns", "in line 1"
    ),
    "select st.* from (select struct_pack(x := k) st from a) q": ("* or COLUMNS", "in line 1"),
    "select k from b where columns(*) > 0": ("* or COLUMNS", "in line 1"),
    "select k from b where columns('k|w') > 0": ("* or COLUMNS", "in line 1"),
    "pivot a using sum(v) group by k": ("PIVOT without ON", "in line 1"),
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_not_covered_is_refused_with_its_place(small: Connection, sql: str) -> None:
    what, where = REFUSED[sql]
    with pytest.raises(NotCovered) as refused:
        small.sql(sql, lineage=True, mode="defer")
    assert what in refused.value.wanted
    assert where in refused.value.found


BY_HAND = [
    # The rows of a with k = 1 are those with i % 5 = 1 whose i is not divisible by 7.
    ("select k, count(*) from a where k = 1 group by k", {"a": [1, 6, 11, 16, 26]}),
    # NULL is a group of its own.
    ("select k, count(*) from a where k is null group by k", {"a": [0, 7, 14, 21, 28]}),
    # An EXISTS has every matching row, and a NOT EXISTS has none.
    ("select id from a where id = 1 and exists (select 1 from b where b.k = a.k)",
     {"a": [1], "b": [1, 7, 13, 19]}),
    ("select id from a where id = 4 and not exists (select 1 from b where b.k = a.k and w > 50)",
     {"a": [4], "b": []}),
    # An outer join without a match has no row from the other side.
    ("select a.id, b.w from a left join b on a.k = b.k and b.w > 90 where a.id = 1",
     {"a": [1], "b": []}),
    # EXCEPT has only rows of the left side. INTERSECT and UNION have equal rows of both sides.
    ("select id from a where id < 2 except select 0 from b", {"a": [1], "b": []}),
    ("select k from a where k = 5 union select k from b where k = 5", {"a": [], "b": [5, 11, 17]}),
    ("select k from a where k = 3 intersect select k from b", {"a": [3, 8, 13, 18, 23],
     "b": [3, 9, 15]}),
    # A window has the rows of its whole partition.
    ("select id, rank() over (partition by k order by v) from a where k = 3 and id < 9",
     {"a": [3, 8]}),
    # DISTINCT has all rows with a value, even if a LIMIT above it drops other values.
    ("select distinct k from a where id < 12 order by k limit 1", {"a": [5, 10]}),
    # A LIMIT in a derived table leaves only the rows that it keeps.
    ("select count(*) from (select * from a order by id desc limit 3) q", {"a": [27, 28, 29]}),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), BY_HAND)
def test_lineage_by_hand(small: Connection, sql: str, expected: dict[str, list[int]]) -> None:
    result = small.sql(sql, lineage=True)
    found = {name: result.backward(name).rids.tolist() for name in result.references}
    assert found == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id from a where not exists (select 1 from b where b.k = a.k)", ["b"]),
        ("select id from a where v > 3 and not exists (select 1 from b where b.k = a.k)", ["b"]),
        ("select id from a where not (exists (select 1 from b where b.k = a.k) and v > 3)", []),
        ("select k, count(*) from a where k not in (select k from b) group by k", ["b"]),
        ("select k from a except select k from b", ["b"]),
        ("select * from (select k from a where v > all(select w from b)) q, e", ["b"]),
        ("select k from a anti join b using (k) union all select k from e", ["b"]),
        ("select k, s, count(*) from a where k not in (select k from b) group by cube(k, s)",
         ["b"]),
        ("with c as (select k from b where w > 1) select k from a except select k from c", ["b"]),
        ("select x.k from a x where not exists (select 1 from a y where y.id > x.id)", ["a#2"]),
        ("select id from a where exists (select 1 from b where b.k = a.k)", []),
        ("select id from a where not (k not in (select k from b))", []),
    ],
)  # fmt: skip
def test_negative_references_are_named(small: Connection, sql: str, expected: list[str]) -> None:
    result = small.sql(sql, lineage=True)
    assert result.negative == expected
    for name in result.references:
        negative = f"{name}: negative" in result.explain()
        assert negative == (name in expected)
        assert not negative or len(result.backward(name)) == 0
