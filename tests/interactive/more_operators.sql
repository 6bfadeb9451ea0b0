select k, s from {a} a union all by name select w, k from {b} b
select k, s from {a} a union by name select k from {b} b -- alternatives
select k, s from {a} a union all by name select w, k from {b} b union all by name select z as q from {e} e
(select K, s from {a} a order by id limit 2) union all by name select w, k from {b} b order by k, w, s limit 5 -- alternatives
with c as (select k, v from {a} a) select * from c union by name select * from {b} b -- alternatives
select x.k, x.w from (select k, v from {a} a union all by name select w, k from {b} b) x where x.v is null
from {a} a union all by name from {b} b
select id from {a} a where exists (select k from {b} b where b.k = a.k union by name select w from {b} b where b.w = a.k) -- alternatives
select k, count(*) from (select k from {a} a union all by name select k, w from {b} b) q group by k -- alternatives
select q.m, a.id from {a} a, lateral (select max(w) m from {b} b where b.k = a.k) q -- group
select id, m from {a} a, (select max(w) m from {b} b where b.k = v) q -- group
select id, q.w from {a} a, (select w from {b} b where b.k = v) q
select id, q.w from {a} a left join lateral (select w from {b} b where b.k = v and w > 4) q on true
select id, q.m from {a} a left join lateral (select max(w) m from {b} b where b.k = v group by k) q on true -- group
select id, q.w from {a} a, lateral (select w from {b} b where b.k = a.k order by w desc limit 1) q -- chosen
select a.k, count(*), sum(q.w) from {a} a, lateral (select w from {b} b where b.k = a.k order by w desc limit 1) q group by a.k -- chosen
select a.k, sum(q.u) from {a} a, (select v + 1 u) q group by a.k
select id, u from {a} a, unnest([v, id]) t(u) where id < 5
select id, u from {a} a, range(v % 4) t(u) where id < 5
select k, count(*) from {a} a, range(a.v % 5) t(u) group by k -- group
select id, q.w, r.z from {a} a, (select w from {b} b where b.k = a.k) q, (select q.w + a.id as z) r where id < 5
select id, q.d from {a} a, (select distinct w % 2 d from {b} b where b.k = a.k) q
select id, q.d from {a} a, (select w as d from {b} b where b.k = a.k union all select a.v) q where id < 5 -- alternatives
select id, q.d from {a} a, (select w as d from {b} b where b.k = a.k union select a.v) q where id < 5 -- alternatives
select id, q.r from {a} a, (select row_number() over (order by w desc) r, w from {b} b where b.k = a.k) q -- group
select x.id, z.c from {a} x join (select count(*) c from {a} y where y.k = x.k) z on true -- group
select id, (select sum(q.w) from {b} b, (select b.w + a.id as w) q where b.k = a.k) t from {a} a -- group
unpivot {a} a on k, v into name n value w
unpivot {a} a on k, v
from {a} a unpivot (w for n in (k as kk, v))
from {a} a unpivot include nulls ((w, w2) for n in ((k, v) as x, (v, k)))
from {a} a unpivot (w for n in (k, v)) as p(x, y, z, zz)
unpivot (select id, k, null::int z from {a} a) on k, z into name n value w
from (select id, k, null::int z from {a} a) unpivot include nulls (w for n in (k, z))
unpivot {a} a on columns(* exclude s) into name n value w
unpivot {a} a on columns('k|v') into name n value w
unpivot {a} a on k, v::bigint into name n value w
unpivot {a} a on (k, v) as one, (v, id) as two into name n value w1, w2
unpivot {a} a on columns(* exclude (id))::varchar into name n value w
select n, sum(w) from (unpivot {a} a on k, v into name n value w) group by n -- group
select p.n, b.w from (unpivot {a} a on k, id into name n value w) p join {b} b on p.w = b.k
pivot {a} a on s in ('s0', 's1') using sum(v) group by k -- group
pivot {a} a on s in ('s0', 's1') using sum(v), count(*) group by k -- group
pivot {a} a on s in ('s0') using count(*) as c group by k
pivot {a} a on s in ('s0', 's1') group by k
pivot {a} a on s in ('s0', 's1') using list(id order by id desc) group by k -- group
pivot {a} a on s in ('s0', 's1') using coalesce(sum(v), 0) group by k -- group
pivot {a} a on s in (null, 's0') using count(*) group by k -- group
pivot {a} a on k in (2, 1, 0) using sum(v), max(v) as m group by s -- group
from {a} a pivot (count(*), max(v) for s in ('s1', 's0', 'zz') group by k) -- group
from {a} a pivot (sum(v) for s in ('s1' as one, 's0') k in (1, 2)) -- group
from {a} a pivot (sum(v) for k in (1.0, '2') group by s) -- group
from {e} e pivot (sum(z) for k in (1, 2)) -- group
from {a} a pivot (sum(v) for s in (s0, s1) group by k) -- group
from {a} a pivot (sum(v) for (s, k) in (('s0', 1), ('s1', 2))) -- group
select * from (pivot {a} a on s in ('s0', 's1') using sum(v) group by k) p where s0 > 3 -- group
select p.k, b.w from (pivot {a} a on s in ('s0', 's1') using sum(v) group by k) p join {b} b on p.k = b.k
with c as (pivot {a} a on s in ('s0', 's1') using sum(v) group by k) select * from c where k > 0 -- group
select * from {a} a pivot (sum(v) for s in ('s0') group by k) pivot (sum(s0) for k in (1, 2)) -- group
select q.x from {a} a pivot (sum(v) for s in ('s0', 's1') group by k) q(x, y, z)
select (select max(s0) from (pivot {a} a on s in ('s0') using sum(v) group by k) p where p.k = b.k) from {b} b -- group
select a.k, w from {a} a positional join {b} b
select * from {a} a positional join {b} b positional join {e} e
select a.k, count(*), count(w) from {a} a positional join {b} b group by a.k
select * from (select k, sum(v) s from {a} a group by k order by k) x positional join {b} b -- group
select count(*) from {a} a positional join {b} b where b.w > 3 and a.k = 1
select x.id, y.w from {a} x asof join {b} y on x.k = y.k and x.v >= y.w
select x.k, count(*), sum(y.w) from {a} x asof left join {b} y on x.k = y.k and x.v >= y.w group by x.k
select * from {a} x asof left join (select k, w as v from {b} b) y using (k, v)
select k, v, count(*) from {a} x asof join (select k, w as v from {b} b) y using (k, v) group by all
select id from (select id, k as b from {a} a) q semi join {b} b on q.b = b.k
select id from (select id, k as b from {a} a) q anti join {b} b on q.b = b.k
select id from {a} a limit (10 + 10)% -- share
select count(*) from (select id from {a} a limit (10 + 10)%) -- share
select k, v from {a} a union all select k, w from {b} b order by k + v, v
select k, v from {a} a except select k, w from {b} b order by abs(v) desc -- alternatives
select st.* from (select struct_pack(x := k, y := v) st from {a} a) q
select k, st.y + 1 from (select k, struct_pack(x := k, y := v) st from {a} a) q where st.x > 0
select k, s, sum(v) from {a} a group by all order by all
from {a} a select k, v where id < 5 order by all
select columns(* exclude (id, s)) + 1 from {a} a where id < 5
select max(columns(*)) from {b} b -- group
select * exclude (s) replace (v * 2 as v) rename (k as kk) from {a} a where id < 5
select k, v from {a} a qualify row_number() over (partition by k order by v desc, id) = 1 -- group
with recursive t(x) as (select 1 union all select x + 1 from t where x < 5) select * from t
with recursive t(x) as (select k from {b} b where w < 2 union select w from {b} b, t where t.x = b.k) select * from t -- alternatives
with recursive t as (select id, k, 1 depth from {a} a where id = 3 union all select a.id, a.k, depth + 1 from {a} a join t on a.k = t.id % 3 where depth < 2) select * from t
with recursive t as (select id, k, 1 depth from {a} a where id = 3 union all select a.id, a.k, depth + 1 from {a} a join t on a.k = t.id % 3 where depth < 3) select depth, count(*), sum(id) from t group by depth
with recursive t as (select id from {a} a where id < 2 union all select max(id) + 1 from t having max(id) < 5) select * from t -- all
with recursive t as (select id from {a} a where id < 2 union all select q.id from (select id + 1 as id from t) q where q.id < 4) select * from t -- alternatives
with recursive t as (select id from {a} a where id < 2 union all (select id + 1 from t where id < 4 union all select id + 5 from t where id < 3)) select * from t -- alternatives
with recursive t as (select id, v from {a} a where id < 2 union all select a.id, a.v from {a} a, t where a.id = t.id + 2 and exists (select 1 from {b} b where b.k = a.k)) select * from t
with recursive t as (select id, v from {a} a where id < 2 union all select t.id + 2, b.w from t left join {b} b on b.w = t.id where t.id < 6) select * from t
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7), u as (select id % 2 p, count(*) c from t group by 1) select * from u
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7) select x.id, y.id from t x join t y on x.id = y.id + 3
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7) select b.w, t.id from {b} b left join t on t.id = b.w
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7) select w from {b} b where w in (select id from t)
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7) select w from {b} b where w not in (select id from t) -- alternatives
with recursive t as (select id from {a} a where id < 2 union all select id + 3 from t where id < 7), s(y) as (select id from t where id > 3 union select y - 1 from s, {b} b where b.w = y) select * from s -- alternatives
with recursive t as (select id x from {a} a where id = 1 union all select x * 1.5 from t where x < 10) select * from t
with recursive t as (select * from {a} a where id < 3 union all select * from {a} a where id in (select id + 3 from t) and id < 9) select * from t -- all
select id from {a} a where k in (with recursive t(x) as (select min(w) from {b} b union all select x + 1 from t where x < 2) select x from t) -- group
with recursive t(x) as (select null::int union all select coalesce(x, 0) + 1 from t where coalesce(x, 0) < 3) select x, count(*) from t, {b} b where b.w is not distinct from x group by x
with recursive t as (select id, list_value(id) path from {a} a where id = 1 union all select a.id, list_append(path, a.id) from t, {a} a where a.id = t.id + 3) select * from t
with recursive t as (select id from {a} a where id < 1 union all (select a.id from t, {a} a where a.id > t.id order by a.id limit 1)) select * from t limit 3 -- all
with recursive up as (select k as here, id as start from {a} a where id < 6 union select b.k, start from up join {b} b on b.w = up.here) select start, count(*) from up group by start -- alternatives
