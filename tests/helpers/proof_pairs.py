"""Pairs of equal queries for the prover, keyed by rewriting rule."""

DDL = """create table d(k integer primary key, name varchar, region integer);
    create table e(id integer primary key, k integer not null references d(k), m integer,
        sal integer, job varchar, pay decimal(8, 2), on_leave boolean);
    create table r(a integer, b integer, s varchar);
    create table n(a integer unique, f double);"""
EQUAL = {
    "conjuncts": (
        "select a from r where a > 1 and b < 5 and s = 'x'",
        "select a from (select * from r where s = 'x') q where b < 5 and 1 < a",
    ),
    "order of joins": (
        "select e.id, d.name, r.s from e join d on e.k = d.k join r on r.a = e.m where r.b > 1",
        "select e.id, d.name, r.s from r, d, e where d.k = e.k and e.m = r.a and r.b > 1",
    ),
    "De Morgan": (
        "select a from r where not (a > 1 or b <= 2)",
        "select a from r where a <= 1 and b > 2",
    ),
    "arithmetic": (
        "select a + a + b * 2 x from r where a + 1 > 3 and a <> 5",
        "select 2 * (a + b) x from r where a >= 3 and not (a = 5)",
    ),
    "decimals": (
        "select (pay * (1 - pay))::decimal(18, 4) x from e",
        "select (pay - pay * pay)::decimal(18, 4) x from e",
    ),
    "IN and OR": (
        "select a from r where a in (1, 2)",
        "select a from r where a = 2 or a = 1",
    ),
    "CASE": (
        "select case when a > 1 then 1 else 0 end x from r where a is not null",
        "select case when a <= 1 then 0 else 1 end x from r where a is not null",
    ),
    "COALESCE": (
        "select coalesce(a, b) x from r",
        "select case when a is null then b else a end x from r",
    ),
    "a contradiction": (
        "select a from r where a > 1 and a < 1",
        "select a from r where b = 1 and b = 2",
    ),
    "EXISTS as IN": (
        "select id from e where exists (select 1 from r where r.a = e.m)",
        "select id from e where m in (select a from r)",
    ),
    "EXISTS without correlation": (
        "select id from e where exists (select * from r where a > 1)",
        "select id from e, (select true x from r where 1 < a group by true) q",
    ),
    "NOT EXISTS without correlation": (
        "select id from e where not exists (select * from r where a > 1)",
        "select id from e where (select count(*) from r where a > 1) = 0",
    ),
    "EXISTS as an output": (
        "select id, exists (select * from r where a > 1) x from e",
        "select id, q.y is not null x from e "
        "left join (select distinct true y from r where a > 1) q on true",
    ),
    "LIMIT 0": (
        "select a, b from r limit 0",
        "select a, b from r where false",
    ),
    "NOT EXISTS as anti-join": (
        "select id from e where not exists (select 1 from r where r.a = e.m and r.b > 2)",
        "select id from e anti join (select * from r where b > 2) q on q.a = e.m",
    ),
    "NOT IN without NULLs": (
        "select id from e where m is not null and m not in (select a from r where a is not null)",
        "select id from e where m is not null and not exists (select 1 from r where r.a = e.m)",
    ),
    "IN of two columns": (
        "select id from e where (k, m) in (select a, b from r)",
        "select id from e where exists (select 1 from r where r.a = e.k and b = m)",
    ),
    "EXISTS as a join": (
        "select id from e where exists (select 1 from d where d.k = e.m and d.region > 1)",
        "select id from e join d on d.k = e.m where d.region > 1",
    ),
    "DISTINCT as GROUP BY": (
        "select distinct a, b from r",
        "select b2.a, b2.b from r b2 group by b2.b, b2.a",
    ),
    "DISTINCT of a key": ("select distinct id, job from e", "select id, job from e"),
    "DISTINCT twice": (
        "select distinct a from (select distinct a, b from r)",
        "select distinct a from r",
    ),
    "a self-join of a set": (
        "select distinct x.a from r x, r y where x.a = y.a",
        "select distinct a from r where a is not null",
    ),
    "a self-join by key": (
        "select x.id, y.sal from e x join e y on x.id = y.id",
        "select id, sal from e",
    ),
    "a foreign key": (
        "select e.id from e join d on e.k = d.k",
        "select id from e",
    ),
    "an outer join without its columns": (
        "select e.id from e left join d on e.m = d.k",
        "select id from e",
    ),
    "outer to inner": (
        "select e.id, d.name from e left join d on e.m = d.k where d.region = 2",
        "select e.id, d.name from e join d on e.m = d.k where d.region = 2",
    ),
    "left and right": (
        "select r.a, d.name from r left join d on r.a = d.k",
        "select r.a, d.name from d right join r on d.k = r.a",
    ),
    "outer join as union": (
        "select r.a, d.name from r left join d on r.a = d.k",
        "select r.a, d.name from r join d on r.a = d.k union all "
        "select a, null from r where not exists (select 1 from d where d.k = r.a)",
    ),
    "a union split by condition": (
        "select a from r where b > 1",
        "select a from r where b > 1 and s = 'x' union all "
        "select a from r where b > 1 and (s <> 'x' or s is null)",
    ),
    "UNION as DISTINCT": (
        "select a from r union select b from r",
        "select distinct q.a from (select b as a from r union all select a from r) q",
    ),
    "INTERSECT": (
        "select a from r intersect select k from d",
        "select distinct a from r where a in (select k from d)",
    ),
    "EXCEPT": (
        "select k from d except select m from e",
        "select k from d where not exists (select 1 from e where m = d.k)",
    ),
    "EXCEPT ALL of keys": (
        "select k from d except all select m from e",
        "select k from d where k not in (select m from e where m is not null)",
    ),
    "HAVING on a key": (
        "select a, sum(b) x from r group by a having a > 1",
        "select a, sum(b) x from r where a > 1 group by a",
    ),
    "groups by more": (
        "select e.k, count(*) c, max(d.name) x from e join d on e.k = d.k group by e.k",
        "select e.k, count(*) c, max(d.name) x from d join e on d.k = e.k group by e.k, d.region",
    ),
    "a constant group": (
        "select a, count(*) c from r where b = 3 group by a, b",
        "select a, count(*) c from r where 3 = b group by a",
    ),
    "a group of a key": (
        "select id, sum(sal) x, count(*) c from e group by id",
        "select id, sal::hugeint x, 1::bigint c from e",
    ),
    "COUNT of a column that is not NULL": (
        "select job, count(id) c from e group by job",
        "select job, count(*) c from e group by job",
    ),
    "FILTER as CASE": (
        "select job, sum(sal) filter (where m > 1) x from e group by job",
        "select job, sum(case when m > 1 then sal end) x from e group by job",
    ),
    "sum of sums": (
        "select a, sum(x) x from (select a, s, sum(b) x from r group by a, s) group by a",
        "select a, sum(b)::hugeint x from r group by a",
    ),
    "count as a sum of counts": (
        "select a, sum(c) c from (select a, s, count(*) c from r group by a, s) group by a",
        "select a, count(*)::hugeint c from r group by a",
    ),
    "the least of the least": (
        "select min(x) x, max(y) y from (select a, min(b) x, max(b) y from r group by a)",
        "select min(b) x, max(b) y from r",
    ),
    "a group below a join": (
        "select d.name, q.x from d join (select k, sum(sal) x from e group by k) q on q.k = d.k",
        "select d.name, sum(sal) x from d join e on d.k = e.k group by d.k, d.name",
    ),
    "a correlated scalar subquery": (
        "select id, (select max(sal) from e y where y.k = x.k) z from e x",
        "select id, z from e x left join (select k, max(sal) z from e group by k) y using (k)",
    ),
    "a window as a subquery": (
        "select id, sum(sal) over (partition by k) z from e",
        "select id, z from e join (select k, sum(sal) z from e group by k) y using (k)",
    ),
    "RANK": (
        "select id, rank() over (partition by k order by sal desc) x from e where sal > 1",
        "select id, rank() over (partition by k order by q.sal desc) x from "
        "(select * from e where 1 < sal) q",
    ),
    "ROW_NUMBER by a key": (
        "select id, row_number() over (order by id) x from e where m = 1 and sal > 2",
        "select id, row_number() over (order by id) x from "
        "(select * from e where sal > 2) where m = 1",
    ),
    "LIMIT": (
        "select id, sal from (select id, sal from e where m > 0 order by id limit 3) where sal > 1",
        "select id, sal from (select * from e where 0 < m order by id limit 3) where 1 < sal",
    ),
    "ORDER BY": (
        "select a, b from r where a > 1 and b > 1 order by a, b",
        "select a, b from (select * from r where b > 1) where a > 1 order by a, b",
    ),
    "ROLLUP": (
        "select a, sum(b) x, grouping(a) g from r group by rollup(a)",
        "select a, sum(b) x, 0::bigint g from r group by a union all "
        "select null, sum(b), 1::bigint from r",
    ),
    "a CTE twice": (
        "with q as (select a, b from r where b > 1) select x.a, y.b from q x, q y where x.a = y.b",
        "select x.a, y.b from r x join r y on x.a = y.b where x.b > 1 and y.b > 1",
    ),
    "texts": (
        "select s from r where s > 'a' and s > 'b'",
        "select s from r where 'b' < s",
    ),
    "booleans": (
        "select id from e where on_leave",
        "select id from e where on_leave = true",
    ),
    "functions": (
        "select upper(s) x from r where lower(s) = 'a' and a = 1",
        "select upper(s) x from (select * from r where a = 1) where 'a' = lower(s)",
    ),
    "DISTINCT in an aggregate": (
        "select count(distinct a) c from r",
        "select count(*) c from (select distinct a from r where a is not null)",
    ),
    "a sum with FILTER as one of a CASE": (
        "select job, sum(case when m > 1 then 1 else 0 end) x from e group by job",
        "select job, coalesce(sum(1) filter (where m > 1), 0) x from e group by job",
    ),
    "a product of doubles": (
        "select f * (f + 1) x from n",
        "select (1 + f) * f x from n",
    ),
    "EXISTS in EXISTS": (
        "select id from e where exists "
        "(select 1 from d where d.k = e.k and exists (select 1 from r where r.a = d.region))",
        "select id from e where exists (select 1 from d, r where d.k = e.k and r.a = d.region)",
    ),
    "several rows of a set at once": (
        "select distinct e.job from e join r on r.a = e.m and r.b = e.sal",
        "select distinct e.job from e join r on r.a = e.m and r.b = e.sal "
        "join e e2 on e2.m = e.m join r r2 on r2.a = e2.m and r2.b = e2.sal",
    ),
    "sums by a key of another table": (
        "select d.name, sum(e.sal) x from r, e, d where e.k = d.k and r.a = d.region and r.b = 1 "
        "group by d.name",
        "select name, sum(x) x from (select d.name, d.k, sum(e.sal) x from d, e, r "
        "where e.k = d.k and r.b = 1 and r.a = d.region group by d.name, d.k) group by name",
    ),
    "a day and an interval": (
        "select a from r "
        "where date '2020-01-31' + interval 1 month > try_cast(s as date) and a > 1",
        "select a from (select * from r where 1 < a) "
        "where try_cast(s as date) < date '2020-01-31' + interval 1 month",
    ),
    "midnights": (
        "select id from e where try_cast(job as date) >= '2020-02-29'",
        "select id from e where try_cast(job as date)::timestamp >= '2020-02-29'",
    ),
    "a scalar subquery": (
        "select id from e where sal > (select region from d where k = 1)",
        "select id from e where (select region from d where not k <> 1) < sal",
    ),
    "a scalar subquery of an inexact value": (
        "select id, (select a from (select k, avg(sal) a from e group by k) where k = 1) x from e",
        "select id, (select avg(sal) from e where not k <> 1 group by k) x from e",
    ),
    "a scalar subquery of distinct rows": (
        "select id from e where sal = "
        "(select distinct region + 1 from d where k = 1 and name = 'x')",
        "select id from e where (select 1 + region from d where name = 'x' and not k <> 1) = sal",
    ),
    "a scalar subquery of no row": (
        "select id, (select region from d where k = 1 and k = 2) x from e",
        "select id, case when id > id then m end x from e",
    ),
}
