"""Known hazards of comparing queries: pairs that differ on some data, in names or in types."""

from dataclasses import dataclass

DDL = """
    create table t(a integer, b varchar, c double, d decimal(10, 2), s timestamp, n bigint,
      l integer[], y tinyint);
    create table u(a integer, b varchar, k integer);"""
ROWS = """
    insert into t values
      (7, 'x', 0.0, 1.25, '2024-01-01 10:00:00', 7, [1, 1], 100),
      (7, 'X', -0.0, 1.25, '2024-06-01 10:00:00', 8, [2], 100),
      (null, 'xa', 'nan', 2.5, null, null, [], 1),
      (-3, ' x ', 1e16, -0.05, '2024-01-01 10:00:00', 9007199254740993, null, null),
      (1, '12', 1, 0, '2024-01-02', 1, [3], 5);
    insert into u values (7, 'x', 1), (7, 'y', 2), (null, 'x', 3), (1, '12', 4), (1, '12', 4);"""


@dataclass(frozen=True)
class Hazard:
    """Two queries that are easily mistaken for equal."""

    one: str
    other: str
    ddl: str = ""
    """Statements that come after ``DDL``."""
    ddl_of_other: str | None = None
    """The statements after ``DDL`` for the second query, if they differ."""
    rows: str | None = ROWS
    """Table contents on which the results differ; None if two runs of one query may differ."""


HAZARDS = {
    "a name": Hazard("select a from t", "select a as b from t"),
    "a name in upper case": Hazard("select a from t", 'select a as "A" from t'),
    "the order of columns": Hazard("select a, n from t", "select n, a from t"),
    "integer and bigint": Hazard("select a from t", "select a::bigint as a from t"),
    "1 and 1.0": Hazard("select 1 as x", "select 1.0 as x"),
    "the scale of a decimal": Hazard("select d from t", "select d::decimal(10, 1) as d from t"),
    "the precision of a decimal": Hazard("select d from t", "select d::decimal(12, 2) as d from t"),
    "NULL of another type": Hazard("select null::integer x", "select null::varchar x"),
    "a text and a number": Hazard(
        "select b from t where b = '12'", "select b from t where try_cast(b as double) = 12",
        rows="insert into t(b) values ('12'), ('12.0');",
    ),
    "NULL and not equal": Hazard("select n from t where not a = 7", "select n from t"),
    "NULL and IS DISTINCT FROM": Hazard(
        "select n from t where a <> 7", "select n from t where a is distinct from 7"
    ),
    "NULL in NOT IN": Hazard(
        "select n from t where a not in (select a from u)",
        "select n from t where not exists (select 1 from u where u.a = t.a)",
    ),
    "NULL in a join": Hazard(
        "select k from t join u on t.a = u.a",
        "select k from t join u on t.a is not distinct from u.a",
    ),
    "NULL in count": Hazard("select count(a) x from t", "select count(*) x from t"),
    "a sum of no rows": Hazard(
        "select sum(a) x from t where a > 99", "select coalesce(sum(a), 0) x from t where a > 99"
    ),
    "groups of no rows": Hazard(
        "select count(*) x from t where a > 99", "select count(*) x from t where a > 99 group by b"
    ),
    "the order of NULL": Hazard(
        "select k from u order by a nulls first, k limit 1",
        "select k from u order by a nulls last, k limit 1",
    ),
    "the default order of NULL": Hazard(
        "select k from u order by a, k limit 1", "select k from u order by a, k limit 1",
        ddl="set default_null_order = 'nulls_first';", ddl_of_other="",
    ),
    "the default direction": Hazard(
        "select k from u order by k limit 1", "select k from u order by k limit 1",
        ddl="set default_order = 'desc';", ddl_of_other="",
    ),
    "NaN": Hazard("select c = c x from t", "select not isnan(c) x from t"),
    "NaN and infinity": Hazard(
        "select c from t where c > 1e300", "select c from t where c > 1e300 and not isnan(c)"
    ),
    "-0.0": Hazard(
        "select c as x from t", "select c + 0 as x from t",
        rows="insert into t(c) values ('-0.0');",
    ),
    "doubles are not associative": Hazard(
        "select c + 1 + 1 as x from t", "select c + (1 + 1) as x from t"
    ),
    "a bigint is not a double": Hazard(
        "select n from t where n = 9007199254740993",
        "select n from t where n::double = 9007199254740992",
        rows="insert into t(n) values (9007199254740993), (9007199254740992);",
    ),
    "a sum of doubles": Hazard("select sum(c) x from t", "select sum(c) x from t", rows=None),
    "a standard deviation": Hazard(
        "select stddev(a) x from t", "select stddev(a) x from t", rows=None
    ),
    "groups of doubles": Hazard(
        "select c, count(*) n from t group by c", "select c, count(*) n from t group by c",
        rows=None,
    ),
    "integer division": Hazard("select a / 2 as x from t", "select a // 2 as x from t"),
    "the setting of integer division": Hazard(
        "select a / 2 as x from t", "select a / 2 as x from t",
        ddl="set integer_division = true;", ddl_of_other="",
    ),
    "division rounds toward zero": Hazard(
        "select a // 2 as x from t", "select floor(a / 2)::integer as x from t"
    ),
    "the sign of a remainder": Hazard("select a % 2 as x from t", "select abs(a) % 2 x from t"),
    "rounding to even": Hazard("select round(2.5::double) x", "select round_even(2.5, 0) x"),
    "a cast rounds": Hazard(
        "select d::integer x from t", "select trunc(d)::integer x from t",
        rows="insert into t(d) values (1.75);",
    ),
    "TRY_CAST": Hazard(
        "select try_cast(b as integer) x from t", "select length(b)::integer x from t"
    ),
    "overflow of a product": Hazard(
        "select count(*) x from t where y * y > 0",
        "select count(*) x from t where y::integer * y > 0",
    ),
    "case of texts": Hazard("select n from t where b = 'x'", "select n from t where b ilike 'x'"),
    "a collation": Hazard(
        "select b from v where b = 'x'", "select b from v where b = 'x'",
        ddl="create table v(b varchar collate nocase);", ddl_of_other="create table v(b varchar);",
        rows="insert into v values ('x'), ('X');",
    ),
    "padding": Hazard("select n from t where b = 'x'", "select n from t where trim(b) = 'x'"),
    "sides of TRIM": Hazard("select ltrim(b) x from t", "select rtrim(b) x from t"),
    "BETWEEN SYMMETRIC": Hazard(
        "select n from t where a between 9 and 1",
        "select n from t where a between least(9, 1) and greatest(9, 1)",
    ),
    "LIKE and a sign of its own": Hazard(
        "select n from t where b like 'x%'", "select n from t where b like 'x%' escape 'x'",
        rows="insert into t(b, n) values ('xa', 1), ('%', 2);",
    ),
    "UNION BY NAME": Hazard(
        "select a, k from u union all select k, a from u",
        "select a, k from u union all by name select k, a from u",
    ),
    "UNION and UNION ALL": Hazard(
        "select b from u union all select b from u", "select b from u union select b from u"
    ),
    "EXCEPT ALL": Hazard(
        "select a from u except select a from t", "select a from u except all select a from t",
        rows="insert into u values (1, '', 1), (1, '', 2); insert into t(a) values (2);",
    ),
    "UNION of types": Hazard("select a from t union all select k from u",
        "select a from t union all select k::bigint from u"),
    "TABLESAMPLE": Hazard("select a from t", "select a from t using sample 1", rows=None),
    "ASOF": Hazard(
        "select t.a, u.k from t join u on t.a >= u.a",
        "select t.a, u.k from t asof join u on t.a >= u.a",
    ),
    "PIVOT": Hazard(
        "pivot u on b in ('x', 'y') using count(*) group by a",
        "pivot u on b in ('x', 'y') using count(k) + 1 group by a",
    ),
    "a positional join": Hazard(
        "select t.a, k from t, u", "select t.a, k from t positional join u"
    ),
    "ties under LIMIT": Hazard(
        "select k from u order by b limit 1", "select k from u order by b limit 1", rows=None
    ),
    "LIMIT without an order": Hazard(
        "select k from u limit 1", "select k from u limit 1", rows=None
    ),
    "ties of ROW_NUMBER": Hazard(
        "select k, row_number() over (order by b) x from u",
        "select k, row_number() over (order by b) x from u", rows=None,
    ),
    "ties of LAG": Hazard(
        "select lag(k) over (order by b) x from u", "select lag(k) over (order by b) x from u",
        rows=None,
    ),
    "FIRST": Hazard("select first(k) x from u", "select first(k) x from u", rows=None),
    "ANY_VALUE": Hazard("select any_value(k) x from u", "select any_value(k) x from u", rows=None),
    "LIST": Hazard("select list(k) x from u", "select list(k) x from u", rows=None),
    "APPROX": Hazard(
        "select approx_count_distinct(k) x from u", "select approx_count_distinct(k) x from u",
        rows=None,
    ),
    "DISTINCT ON": Hazard(
        "select distinct on (a) a, k from u", "select distinct on (a) a, k from u", rows=None
    ),
    "ROWS and RANGE": Hazard(
        "select sum(k) over (order by a, k rows unbounded preceding) x from u",
        "select sum(k) over (order by a, k range unbounded preceding) x from u",
    ),
    "now": Hazard("select now() x from u", "select now() x from u", rows=None),
    "current_date": Hazard("select current_date x", "select current_date x", rows=None),
    "random": Hazard("select random() x from u", "select random() x from u", rows=None),
    "uuid": Hazard("select uuid() x from u", "select uuid() x from u", rows=None),
    "a sequence": Hazard(
        "select nextval('q') x from u", "select nextval('q') x from u",
        ddl="create sequence q;", rows=None,
    ),
    "a row's number": Hazard("select rowid x from u", "select rowid x from u", rows=None),
    "a setting that is read": Hazard(
        "select current_setting('threads') x", "select current_setting('threads') x", rows=None
    ),
    "a time zone": Hazard("select s::timestamptz x from t", "select s::timestamptz x from t",
        rows=None),
    "GROUP BY a number": Hazard(
        "select a + 1 as x, count(*) n from u group by 1",
        "select 2 as x, count(*) n from u group by a",
    ),
    "GROUP BY a name of two things": Hazard(
        "select a % 2 as k, count(*) n from u group by a",
        "select a % 2 as k, count(*) n from u group by u.k, a",
    ),
    "HAVING without groups": Hazard(
        "select 1 as x from u", "select 1 as x from u having count(*) > 0"
    ),
    "ROLLUP and NULL": Hazard(
        "select a, count(*) n from u group by rollup(a)",
        "select a, count(*) n from u group by a union all select 0, count(*) from u",
    ),
    "shadowed names": Hazard(
        "with u as (select a, b, k from u where k > 1) select k from u", "select k from u"
    ),
    "a column of the outer query": Hazard(
        "select n from t where a in (select a from u)",
        "select n from t where a in (select t.a from u)",
    ),
    "recursion": Hazard(
        "with recursive r(x) as (select 1 union all select x + 1 from r where x < 3) from r",
        "with r(x) as (select 1 union all select 2) select x from r",
    ),
    "recursion that removes repeats": Hazard(
        "with recursive r(x) as (select 1 union all select x from r where x < 1) select x from r",
        "with recursive r(x) as (select 1 union select x from r where x < 2) select x from r",
        rows=None,
    ),
    "SELECT * after a change of the schema": Hazard(
        "select * from w", "select * from w",
        ddl="create table w(a integer);", ddl_of_other="create table w(a integer, b integer);",
        rows="",
    ),
    "EXCLUDE after a change of the schema": Hazard(
        "select * exclude (a) from w", "select * exclude (a) from w",
        ddl="create table w(a integer, b integer);",
        ddl_of_other="create table w(a integer, b integer, c integer);", rows="",
    ),
    "NATURAL after a change of the schema": Hazard(
        "select w.a from w natural join u", "select w.a from w natural join u",
        ddl="create table w(a integer, z integer);",
        ddl_of_other="create table w(a integer, k integer);",
        rows=ROWS + "insert into w values (7, 9);",
    ),
    "another type in the schema": Hazard(
        "select x + 1 as y from w", "select x + 1 as y from w",
        ddl="create table w(x integer);", ddl_of_other="create table w(x decimal(4, 1));",
        rows="insert into w values (1);",
    ),
    "a view": Hazard(
        "select a from w", "select a from w", ddl="create view w as select a from u;",
        ddl_of_other="create view w as select a from u where a > 1;",
    ),
    "a macro": Hazard(
        "select f(a) x from u", "select f(a) x from u", ddl="create macro f(x) as x + 1;",
        ddl_of_other="create macro f(x) as x + 2;",
    ),
    "a generated column": Hazard(
        "select g from w", "select g from w",
        ddl="create table w(a integer, g integer as (a + 1));",
        ddl_of_other="create table w(a integer, g integer as (a + 2));",
        rows="insert into w values (1);",
    ),
    "an enum": Hazard(
        "select max(e) x from w", "select max(e) x from w",
        ddl="create type m as enum ('a', 'b'); create table w(e m);",
        ddl_of_other="create type m as enum ('b', 'a'); create table w(e m);",
        rows="insert into w values ('a'), ('b');",
    ),
    "a key that only one schema declares": Hazard(
        "select distinct a from w", "select a from w",
        ddl="create table w(a integer primary key);", ddl_of_other="create table w(a integer);",
        rows=None,
    ),
    "a foreign key that is NULL": Hazard(
        "select w.i from w join p on w.r = p.k", "select w.i from w",
        ddl="create table p(k integer primary key);"
        "create table w(i integer, r integer references p(k));",
        rows="insert into p values (1); insert into w values (1, 1), (2, null);",
    ),
    "a unique column that is NULL": Hazard(
        "select distinct a from w", "select a from w", ddl="create table w(a integer unique);",
        rows="insert into w values (null), (null);",
    ),
    "repeats of a list": Hazard(
        "select unnest(l) x from t", "select unnest(list_distinct(l)) x from t"
    ),
    "UNNEST of nothing": Hazard(
        "select n, unnest(l) x from t",
        "select n, x from t left join lateral (select unnest(l) x) on true",
    ),
    "an error that a filter avoids": Hazard(
        "select b::integer x from t where b = '12'", "select try_cast(b as integer) x from t"
    ),
    "a scalar query of several rows": Hazard(
        "select (select max(k) from u where u.a = t.a) x from t",
        "select (select min(k) from u where u.a = t.a) x from t",
    ),
}  # fmt: skip


def ddl_of_other(hazard: Hazard) -> str:
    """Return the statements after ``DDL`` for the second query."""
    return hazard.ddl if hazard.ddl_of_other is None else hazard.ddl_of_other
