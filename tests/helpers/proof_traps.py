"""Pairs of queries for the prover that differ or that are not certain to be equal."""

TRAPS = {
    "a day and the next midnight": (
        "select id from e where try_cast(job as date) > '2020-02-29'",
        "select id from e where try_cast(job as date)::timestamp >= '2020-02-29'",
    ),
    "an infinite moment": (
        "select id from e where try_cast(job as date)::timestamp = 'infinity'::timestamp",
        "select id from e where false and id > m",
    ),
    "a scalar subquery of another row": (
        "select id from e where sal > (select region from d where k = 1)",
        "select id from e where sal > (select region from d where k = 2)",
    ),
    "a scalar subquery that is NULL": (
        "select id from e where (select region from d where k = 1) is null",
        "select id from e where not exists (select 1 from d where k = 1)",
    ),
    "a scalar subquery of another column": (
        "select id, (select a from r where b = 1) x from e",
        "select id, (select b from r where b = 1) x from e",
    ),
    "a scalar subquery as a join": (
        "select id, (select region from d where k = 1) x from e",
        "select id, region x from e, d where d.k = 1",
    ),
    "an aggregate in a scalar subquery": (
        "select id, (select count(*) from r where a = 1 group by a) x from e",
        "select id, (select count(*) from r where a = 1) x from e",
    ),
    "EXISTS of other rows": (
        "select id from e where exists (select * from r where a > 1)",
        "select id from e where exists (select * from r where a > 2)",
    ),
    "the number of the first rows": (
        "select count(*) x from (select a from r limit 2) q",
        "select count(*) x from (select a from r limit 1) q",
    ),
    "the number of rows after the first": (
        "select count(*) x from (select a from r limit 1 offset 1) q",
        "select count(*) x from (select a from r limit 1) q",
    ),
    "the number of values of the first row": (
        "select count(a) x from (select a from r limit 1) q",
        "select count(*) x from (select a from r limit 1) q",
    ),
    "the value of the first row": (
        "select max(a) x from (select a from r limit 1) q",
        "select max(a) x from (select a from r limit 1) q",
    ),
    "a sum with FILTER of nothing": (
        "select job, sum(case when m > 1 then 1 else 0 end) x from e group by job",
        "select job, sum(1) filter (where m > 1) x from e group by job",
    ),
    "a difference of doubles": ("select f - 1 x from n", "select 1 - f x from n"),
    "a condition that is not repeated": (
        "select distinct e.job from e join r on r.a = e.m and r.b = e.sal",
        "select distinct e.job from e join r on r.a = e.m and r.b = e.sal "
        "join e e2 on e2.m = e.m join r r2 on r2.a = e2.m and r2.b = e2.sal + 1",
    ),
    "a disjunction that is decided": (
        "select a from r where (a = 1 or b = 2) and a <> 1",
        "select a from r where a <> 1",
    ),
    "NOT EXISTS in EXISTS": (
        "select id from e where exists "
        "(select 1 from d where d.k = e.k and not exists (select 1 from r where r.a = d.region))",
        "select id from e where exists (select 1 from d, r where d.k = e.k and r.a <> d.region)",
    ),
    "a self-join of a bag": (
        "select x.a from r x, r y where x.a = y.a",
        "select a from r where a is not null",
    ),
    "EXISTS as a join that repeats": (
        "select id from e where exists (select 1 from r where r.a = e.m)",
        "select id from e join r on r.a = e.m",
    ),
    "a UNIQUE column has NULLs": ("select distinct a from n", "select a from n"),
    "a nullable foreign key": (
        "select e.id from e join d on e.m = d.k",
        "select id from e where m is not null",
    ),
    "NOT IN with NULLs": (
        "select id from e where m not in (select a from r)",
        "select id from e where not exists (select 1 from r where r.a = e.m)",
    ),
    "outer to inner without a filter": (
        "select e.id from e left join r on e.m = r.a",
        "select e.id from e join r on e.m = r.a",
    ),
    "a condition in ON": (
        "select e.id, r.b from e left join r on e.m = r.a and r.b > 1",
        "select e.id, r.b from e left join r on e.m = r.a where r.b > 1",
    ),
    "COUNT of nothing": (
        "select d.k, count(*) c from d left join e on e.k = d.k group by d.k",
        "select d.k, count(e.id) c from d left join e on e.k = d.k group by d.k",
    ),
    "a sum of nothing": (
        "select sum(a) x from r where a > 1",
        "select coalesce(sum(a), 0) x from r where a > 1",
    ),
    "groups of nothing": (
        "select count(*) c from r where a = 1",
        "select count(*) c from r where a = 1 group by a",
    ),
    "HAVING and WHERE": (
        "select a, count(*) c from r group by a having max(b) > 1",
        "select a, count(*) c from r where b > 1 group by a",
    ),
    "sums of distinct sums": (
        "select sum(x) x from (select distinct a, b as x from r)",
        "select sum(b) x from r",
    ),
    "three-valued NOT": (
        "select a from r where not (a > b)",
        "select a from r where a <= b or a is null",
    ),
    "EXCEPT ALL": (
        "select a from r except all select k from d",
        "select a from r where a not in (select k from d) or a is null",
    ),
    "UNION": ("select a from r union select b from r", "select a from r union all select b from r"),
    "integer bounds of decimals": (
        "select id from e where pay > 1 and pay < 2",
        "select id from e where pay > 1 and pay < 1",
    ),
    "-0.0": ("select f + 0 x from n where f = 0", "select 0.0::double x from n where f = 0"),
    "avg of avg": (
        "select avg(x) x from (select a, avg(b) x from r group by a)",
        "select avg(b) x from r",
    ),
    "RANK in another order": (
        "select id, rank() over (order by sal) x from e",
        "select id, rank() over (order by sal desc) x from e",
    ),
    "a filter above a window": (
        "select * from (select id, rank() over (order by sal) x from e) where id > 2",
        "select id, rank() over (order by sal) x from e where id > 2",
    ),
    "LIMIT and a filter": (
        "select id from (select id, sal from e order by id limit 2) where sal > 1",
        "select id from e where sal > 1 order by id limit 2",
    ),
    "a contradiction of one side": (
        "select a from r where a = 1 and a = 2",
        "select a from r where a = 1",
    ),
    "ROLLUP without the total": (
        "select a, sum(b) x from r group by rollup(a)",
        "select a, sum(b) x from r group by a",
    ),
    "the order of the result": (
        "select a, b from r order by a, b",
        "select a, b from r where true order by b, a",
    ),
    "a text as a number": (
        "select s from r where s > '10'",
        "select s from r where s > '9'",
    ),
}
"""The queries read the tables of ``proof_pairs``."""
