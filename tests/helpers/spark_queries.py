"""Spark SQL queries with all operators and expressions that ``from_spark`` translates."""

import json
from typing import Any

from pyspark.sql import DataFrame

from provhouse.capturing.jvm_rules import add_jar
from provhouse.runtime.spark.pyspark_internals import analysed_plan, java_session

DDL = (
    "create table t(a int, b string, d decimal(10, 2), l array<int>, s struct<x: int, y: string>,"
    " m map<string, int>, ts timestamp, dt date, f double, i bigint, bin binary) using parquet",
    "create table u(a int, e string, k int not null) using parquet",
    "create table c(code char(3), name varchar(5)) using parquet",
)
TABLES = ("t", "u", "c")
EXPRESSIONS = """
a + 1; a - 1; a * 2; a / 2; d / 3; a div 2; a % 2; pmod(a, 2); -a; abs(a); sign(a); sqrt(f)
exp(f); ln(f); log10(f); log2(f); power(f, 2); ceil(f); floor(f); round(d, 1); bround(d, 1); rint(f)
log(2, f); a & 1; a | 1; a ^ 1; ~a; shiftleft(a, 1); shiftright(a, 1); a > 1 and b = 'x'
a > 1 or b = 'x'; not a > 1; a is null; a is not null; coalesce(a, 1); nvl(b, 'x'); a in (1, 2)
a = 1; a <=> 1; a < 1; a <= 1; a >= 1; a > 1; cast(b as int); try_cast(b as int); nullif(a, 1)
case when a = 1 then b when a = 2 then 'y' else 'z' end; if(a > 1, b, 'x'); greatest(a, 2)
least(a, 2); isnan(f); nanvl(f, 1.0D); upper(b); lower(b); initcap(b); length(b)
octet_length(b); bit_length(b); substring(b, 1, 2); substring_index(b, '.', 2); concat(b, 'x')
concat_ws('-', b, 'x'); trim(b); ltrim(b); rtrim(b); trim(both 'x' from b); trim(leading 'x' from b)
replace(b, 'x', 'y'); lpad(b, 5, 'x'); rpad(b, 5, 'x'); repeat(b, 2); instr(b, 'x')
locate('x', b, 2)
translate(b, 'x', 'y'); space(a); contains(b, 'x'); startswith(b, 'x'); endswith(b, 'x'); reverse(b)
b like 'x%'; b like 'x!%' escape '!'; b rlike 'x.*'; regexp_extract(b, '(x)', 1); left(b, 2)
regexp_replace(b, 'x', 'y'); split(b, ','); ascii(b); md5(bin); sha1(bin); sha2(bin, 256)
crc32(bin)
unbase64(b); hex(a); unhex(b); hash(a, b); xxhash64(a, b); levenshtein(b, 'x')
year(dt); quarter(dt); month(dt); day(dt); dayofweek(dt); weekday(dt); dayofyear(dt); weekofyear(dt)
hour(ts); minute(ts); date_add(dt, 1); date_sub(dt, 1); datediff(dt, date'2020-01-01')
add_months(dt, 1); months_between(ts, dt); last_day(dt); next_day(dt, 'MO'); trunc(dt, 'MM')
date_trunc('month', ts); make_date(2020, 1, 1); unix_date(dt); date_from_unix_date(a)
unix_seconds(ts); unix_millis(ts); unix_micros(ts); timestamp_seconds(a); date_format(ts, 'yyyy')
to_timestamp(b, 'yyyy'); to_date(b, 'yyyy'); to_unix_timestamp(b, 'yyyy'); unix_timestamp(b, 'yyyy')
from_unixtime(i, 'yyyy'); timestampadd(month, 1, ts); timestampdiff(day, ts, ts)
named_struct('x', a, 'y', b); s.x; array(a, 1); l[0]; m['k']; size(l); array_contains(l, 1)
element_at(l, 1); second(ts)
"""
OPERATORS = (
    "select t.a + 1, b, d from t left join u on t.a = u.a and t.b < u.e or t.d > 3",
    "select a, b, d from t right join u using (a)",
    "select t.a, u.k from t full join u on t.a = u.a",
    "select a from t left semi join u using (a)",
    "select a from t left anti join u using (a)",
    "select b, count(distinct a) filter (where a > 1), sum(d), grouping(b) from t "
    "group by rollup(b) having count(*) > 1",
    "select upper(b) || 'x', count(a), avg(d), min(a), max(a), bit_and(a), bit_or(a), bit_xor(a) "
    "from t group by upper(b)",
    "select distinct b from t union all select e from u",
    "select a from t except all select a from u",
    "select a from t intersect select a from u",
    "select a, k, sum(d) filter (where a > 1) over (partition by a order by k range between 1 "
    "preceding and 2 following) from (select a, k, d from t join u using (a))",
    "select a, rank() over (partition by b order by a desc nulls last), count(*) over (), "
    "dense_rank() over (order by a), percent_rank() over (order by a), "
    "cume_dist() over (order by a) from t",
    "select b, lag(n, 2, 0) over (order by b), lead(n) over (order by b), "
    "row_number() over (order by b), ntile(2) over (order by b), "
    "nth_value(n, 2) over (order by b), first(n) over (order by b), "
    "last(n, true) over (order by b) from (select b, count(*) n from t group by b)",
    "select a, b from t order by a desc nulls first, b limit 3 offset 1",
    "select a from (select a, b from t order by a, b) limit 3",
    "select explode(l), a, b, d from t",
    "select a, y from t lateral view outer explode(l) z as y",
    "select x, y from values (1, 'a'), (2, null) v(x, y)",
    "with q as (select a, b from t) select q.a, r.b from q, q r",
    "select a from t where a in (select u.a from u where u.e = t.b)",
    "select a from t where a > (select max(a) from u)",
    "select a, (select max(e) from u where u.a = t.a) m from t "
    "where exists (select 1 from u where u.a = t.a)",
    "select id from range(1, 10, 2)",
    "select /*+ repartition(3) */ a from t",
    "select /*+ repartition(3, a) */ a from t",
    "select /*+ rebalance(a) */ a from t",
    "select /*+ broadcast(u) */ t.a from t, u where t.a = u.a",
    "select 1 as x",
    "select * from c where code = 'a'",
    "select count_if(a > 1), 1.5, 1e0, date'2020-01-01', x'1f', true, null from t",
)
_LISTED = [each.strip() for each in EXPRESSIONS.replace("\n", ";").split(";") if each.strip()]
QUERIES = (
    *OPERATORS,
    *(f"select {', '.join(_LISTED[at : at + 4])} from t" for at in range(0, len(_LISTED), 4)),
)
"""Queries that are translated without any reason for the verdict *unknown*."""


def described(frame: DataFrame) -> dict[str, Any]:
    """Return the description of a frame's plan, as ``PlanText.java`` writes it."""
    add_jar(frame.sparkSession)
    jvm, classic = java_session(frame.sparkSession)
    text = jvm.provhouse.capturing.plans.PlanText.of(classic, analysed_plan(frame))
    found: dict[str, Any] = json.loads(text.json())
    return found
