"""Keys of every DuckDB type: a group's lineage has exactly the rows that DuckDB groups together."""

import duckdb
import pytest

from helpers.sampled import one_in
from provhouse.interactive import Connection, Want, connect
from provhouse.sql.not_covered import NotCovered

ENUM = "enum('zz', 'aa', '')"
TYPES: dict[str, list[str]] = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["-128", "127", "0"],
    "SMALLINT": ["-32768", "0"],
    "INTEGER": ["-2147483648", "0"],
    "BIGINT": ["-9223372036854775808", "9223372036854775807"],
    "HUGEINT": ["170141183460469231731687303715884105727", "-5", "100000000000000000000000000"],
    "UTINYINT": ["255", "0"],
    "USMALLINT": ["65535", "0"],
    "UINTEGER": ["4294967295", "0"],
    "UBIGINT": ["18446744073709551615", "0"],
    "UHUGEINT": ["340282366920938463463374607431768211455", "0"],
    "BIGNUM": ["'123456789012345678901234567890123456789012345'", "'-1'", "0"],
    "DECIMAL(4, 1)": ["1.5", "-1.5"],
    "DECIMAL(38, 2)": ["123456789012345678901234567890123456.78", "0.01"],
    "FLOAT": ["'nan'", "'-0.0'", "'0.0'", "'infinity'", "3.4e38"],
    "DOUBLE": ["'nan'", "'-0.0'", "'0.0'", "'-infinity'", "1.7e308", "-1.7e308"],
    "VARCHAR": ["''", "'a'", "'NULL'", "'a' || chr(0)"],
    "VARCHAR COLLATE NOCASE": ["'a'", "'A'", "''"],
    "BLOB": ["''", r"'\x00'", r"'\xFF'"],
    "BIT": ["'0'", "'00'", "'0101'"],
    "UUID": ["'6f0e1e3c-3b3d-4e6e-8f60-5bd36d4a1f11'", "'00000000-0000-0000-0000-000000000000'"],
    "DATE": ["'2026-01-01'", "'infinity'", "'-infinity'", "'0044-03-15 (BC)'"],
    "TIME": ["'00:00:00'", "'24:00:00'", "'23:59:59.999999'"],
    "TIME_NS": ["'00:00:00.000000001'", "'00:00:00'"],
    "TIMETZ": ["'10:00:00+02'", "'08:00:00+00'", "'10:00:00+00'"],
    "TIMESTAMP": ["'2026-01-01 00:00:00.000001'", "'infinity'", "'-infinity'"],
    "TIMESTAMP_S": ["'2026-01-01 00:00:01'", "'1960-01-01'"],
    "TIMESTAMP_MS": ["'2026-01-01 00:00:01.001'", "'1960-01-01'"],
    "TIMESTAMP_NS": ["'2026-01-01 00:00:01.000000001'", "'2026-01-01 00:00:01'"],
    "TIMESTAMPTZ": ["'2026-01-01 00:00:00+02'", "'2025-12-31 22:00:00+00'", "'infinity'"],
    "TIMESTAMPTZ_NS": ["'2026-01-01 00:00:00+02'", "'2025-12-31 22:00:00+00'"],
    "INTERVAL": ["'1 month'", "'30 days'", "'720 hours'", "'1 day'", "'-1 day'", "'0 days'"],
    ENUM: ["'zz'", "'aa'", "''"],
    "JSON": ["""'{"a": 1}'""", "'[]'", "'null'"],
    "GEOMETRY": ["'POINT(1 2)'", "'POINT(2 1)'"],
    "VARIANT": ["1", "'a'", "[1]"],
    "INTEGER[]": ["[]", "[1, null]", "[null]", "[1]"],
    "VARCHAR[][]": ["[[]]", "[['a'], null]", "[]"],
    "STRUCT(a INTEGER, b VARCHAR)": [
        "{'a': 1, 'b': ''}",
        "{'a': 1, 'b': null}",
        "{'a': null, 'b': null}",
    ],
    "STRUCT(a INTERVAL, b HUGEINT[])": ["{'a': '1 month', 'b': [1]}", "{'a': '30 days', 'b': [1]}"],
    "MAP(VARCHAR, INTEGER)": ["map {}", "map {'a': 1}", "map {'a': null}"],
    "MAP(VARCHAR, BIT)": ["map {'a': '01'}", "map {'a': '1'}"],
    "UNION(n INTEGER, s VARCHAR)": [
        "union_value(n := 1)",
        "union_value(s := '1')",
        "union_value(s := '')",
    ],
}  # fmt: skip
NAMES = list(TYPES)


@pytest.fixture(scope="module")
def con() -> Connection:
    """For each type, the tables ``t`` and ``u``.

    Each table has each value of the type, and NULL, several times.
    """
    con = connect()
    made = []
    for number, kind in enumerate(NAMES):
        values = [*TYPES[kind], "null"]
        for table, most in ((f"t{number}", 3), (f"u{number}", 2)):
            made.append(f"create table {table}(id int, k {kind}, v int)")
            cast = kind.removesuffix(" COLLATE NOCASE")
            chosen = [
                value
                for again in range(most)
                for value in (values[again:] if most > 2 else values[:2])
            ]
            rows = (f"({at}, ({value})::{cast}, {at % 4})" for at, value in enumerate(chosen))
            made.append(f"insert into {table} values {', '.join(rows)}")
    con.execute(";".join(made))
    return con


def tables(kind: str) -> tuple[str, str]:
    """Return the names of the two tables of a type."""
    number = NAMES.index(kind)
    return f"t{number}", f"u{number}"


def groups(con: Connection, table: str, key: str = "k", where: str = "true") -> list[list[int]]:
    """Return the rids of each group, as grouped by DuckDB itself."""
    text = f"select list(rowid order by rowid) from {table} where {where} group by {key}"
    return sorted(list(found) for (found,) in con.duckdb.execute(text).fetchall())


def lineage(con: Connection, query: str, ref: str, want: Want = Want()) -> list[list[int]]:  # noqa: B008
    """Return the rids of each row of a result; check them forward and backward."""
    result = con.sql(query, lineage=True, want=want)
    found = [result.backward(ref, [row]).rids.tolist() for row in range(len(result))]
    for rid in range(con.size(con.find(ref.split("#")[0])[0])):
        rows = [row for row, rids in enumerate(found) if rid in rids]
        assert result.forward(ref, [rid]).tolist() == rows
    return sorted(found)


SOME, FEW = one_in(12, NAMES), one_in(16, NAMES)


@pytest.mark.parametrize("kind", SOME)
def test_groups_by_a_key_of_any_type(con: Connection, kind: str) -> None:
    """Groups are read with and without an index of all rows, and with and without a visible key."""
    t, _ = tables(kind)
    expected = groups(con, t)
    hidden = f"select count(*) n, sum(v) s from {t} group by k"
    assert lineage(con, hidden, t) == expected
    shown = f"select k, count(*) n from {t} group by k"
    assert lineage(con, shown, t, Want(refs=(t,))) == expected


@pytest.mark.parametrize("kind", FEW)
def test_all_groups_by_a_key_of_any_type(con: Connection, kind: str) -> None:
    t, _ = tables(kind)
    expected = groups(con, t)
    for want in (Want(), Want(refs=(t,))):
        assert lineage(con, f"select k, count(*) n from {t} group by k", t, want) == expected
        hidden = f"select count(*) n, sum(v) s from {t} group by k"
        assert lineage(con, hidden, t, want) == expected
        assert lineage(con, f"select distinct k from {t}", t, want) == expected
        two = f"select k, v % 2 p from {t} group by k, v % 2"
        assert lineage(con, two, t, want) == groups(con, t, "k, v % 2")


@pytest.mark.parametrize("kind", FEW)
def test_blocks_below_have_keys_of_any_type(con: Connection, kind: str) -> None:
    t, _ = tables(kind)
    expected = groups(con, t)
    derived = f"select q.n from (select k, count(*) n from {t} group by k) q where q.n > 0"
    assert lineage(con, derived, t) == expected
    assert lineage(con, f"select v from (select distinct k as v from {t})", t) == expected
    with_ = f"with w as (select k, max(v) m from {t} group by k) select m from w union all select 1"
    assert lineage(con, with_, t) == sorted([*expected, []])
    rolled = f"select count(*) n from {t} group by rollup(k)"
    every = list(range(con.size(con.find(t)[0])))
    assert lineage(con, rolled, t) == sorted([*expected, every])


@pytest.mark.parametrize("kind", FEW)
def test_set_operations_of_any_type(con: Connection, kind: str) -> None:
    t, u = tables(kind)
    for operator in ("union", "intersect"):
        query = f"select k from {t} {operator} select k from {u}"
        for table, other in ((t, u), (u, t)):
            found = lineage(con, query, table)
            kept = f"exists (from {other} o where o.k is not distinct from {table}.k)"
            shared = groups(con, table, where=kept if operator == "intersect" else "true")
            assert [rids for rids in found if rids] == shared
    query = f"select k from {t} except select k from {u}"
    assert len(lineage(con, query, t)) == len(con.duckdb.execute(query).fetchall())


@pytest.mark.parametrize("kind", FEW)
def test_windows_and_subqueries_of_any_type(con: Connection, kind: str) -> None:
    t, u = tables(kind)
    text = f"select list(rowid order by rowid) over (partition by k) from {t}"
    windows = sorted(list(found) for (found,) in con.duckdb.execute(text).fetchall())
    assert lineage(con, f"select count(*) over (partition by k) from {t}", t) == windows
    among = f"{t} where k in (select k from {u})"
    same = f"from {u} where {u}.k = {t}.k"
    listed = f"select (select list({u}.rowid order by {u}.rowid) {same}) from {among}"
    matched = sorted(list(found) for (found,) in con.duckdb.execute(listed).fetchall())
    assert lineage(con, f"select id from {among}", u) == matched
    assert lineage(con, f"select id from {t} where exists (select 1 {same})", u) == matched
    assert lineage(con, f"select (select sum({u}.v) {same}) from {among}", u) == matched


def test_arrays_of_a_fixed_size_are_refused() -> None:
    with connect(duckdb.connect()) as con:
        con.execute("create table t(k double[2], v int); insert into t values ([1, 2], 1)")
        with pytest.raises(NotCovered, match=r"type DOUBLE\[2\]"):
            con.sql("select k, count(*) from t group by k", lineage=True)
        result = con.sql("select k::double[] l, count(*) from t group by l", lineage=True)
        assert result.backward("t", [0]).rids.tolist() == [0]
        assert len(con.sql("select k, v from t", lineage=True)) == 1


def test_every_type_of_duckdb_is_a_key_in_these_tests() -> None:
    query = "select distinct logical_type from duckdb_types()"
    con = duckdb.connect()
    known = {name for (name,) in con.execute(query).fetchall()}
    ours = {
        str(con.sql(f"select null::{kind}").types[0]).split("(")[0].strip()
        for kind in (name.removesuffix(" COLLATE NOCASE") for name in TYPES)
    }
    covered = ours | {"LIST", "ARRAY"}  # these cover INTEGER[] and DOUBLE[2]
    assert {name for name in known if name not in covered} == {"NULL", "TUPLE", "TYPE"}
