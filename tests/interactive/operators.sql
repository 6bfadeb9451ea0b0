select k, sum(v) from a group by k
select k, count(distinct s) from a group by k having count(*)>8
select distinct s, k from a
select a.id, b.w from a left join b on a.k=b.k where a.v<20
select a.k, count(b.w) c from a left join b on a.k=b.k group by a.k
select k, v from a where v<10 union all select k, w from b
select k from a union select k from b
select k from a intersect select k from b
select k from a except select k from b where w>3
select k from a intersect all select k from b
select k from a except all select k from b
with c as (select k, sum(v) t from a group by k) select x.k, y.t from c x join c y on x.k = y.k
select x.id, y.id from a x join a y on x.v = y.v + 1 where x.k=1
select k, avg(t) from (select k, s, sum(v) t from a group by k, s) q group by k
select id, v from a where v > (select avg(v) from a z where z.k = a.k)
select id from a where k in (select k from b where w > 10)
select id from a where exists (select 1 from b where b.k=a.k and b.w>a.v)
select id, (select max(w) from b where b.k=a.k) m from a
select id, v, row_number() over (partition by k order by v, id) r from a
select id, sum(v) over (partition by s order by v, id rows 1 preceding) r from a where k=2
select id, v from a qualify row_number() over (partition by k order by v desc, id) = 1
select id, max(v) over () m from a where k=3
select k, sum(v) filter (where v>10) from a group by all
select count(*) from a
select sum(v) from a where v<0
select id from a order by v desc, id limit 3
select id from a where k=1 or exists (select 1 from b where b.k=a.k)
select id from a where k=1 or not exists (select 1 from b where b.k=a.k)
select id, case when exists (select 1 from b where b.k=a.k) then 1 else 2 end from a
select id, case when not exists (select 1 from b where b.k=a.k) then 1 else 2 end from a
select k, s, sum(v) from a group by rollup(k,s)
select k, s, sum(v) from a group by cube(k,s)
select k, s, sum(v) from a group by grouping sets ((k),(s),())
select k, s, sum(v) from a group by k, rollup(s)
select * from a where k = any(select k from b)
select * from a where v > all(select w from b where w < 10)
select * from a where v <= any(select w from b where b.k = a.k)
select k, sum(v) from (select * from a order by id limit 10) q group by k
select id from a where k not in (select k from b where k is not null)
select coalesce(k,-1) kk, sum(v) from a group by kk
select x.k, sum(u) from a x, unnest([1,2]) t(u) group by x.k
select k, unnest([v, v+1]) u from a where v < 5
select k, sum(v) from a group by k qualify row_number() over (order by sum(v), k) = 1
select k, sum(v), rank() over (partition by k % 2 order by sum(v)) from a group by k
select k % 2, sum(v) from a group by 1 order by 2
select distinct on (k) k, id, v from a order by k, v desc, id
select * from va where sv > 100
select k, count(*) from (select distinct k, s from a) q group by k
select q.k, q.n from (select k, count(*) n from a group by k union all select k, count(*) from b group by k) q
select k, count(*) from (select k from a union select k from b) q group by k
select a.id, q.t from a left join (select k, sum(w) t from b where w > 5 group by k) q on a.k = q.k where a.v < 30
select a.id, q.c from a left join (select distinct k, 1 c from b where w > 15) q on a.k = q.k where a.v < 30
select a.id, q.c from a left join (select k, w c, (select max(z) from e) m, (select max(v) from a) n from b where w > 15) q on a.k = q.k where a.v < 30
select a.id, b.w from a full join b on a.k = b.k and a.v > 30
select a.id, b.w from b right join a on a.k = b.k and a.v > 30
select a.k from a semi join b using (k)
select a.k from a anti join b using (k)
select id from a where (k, v) in (select k, w from b)
select id from a where v in (select max(w) from b group by k)
select id from a where v > (select count(*) from b where b.k = a.k)
select id, (select w from b where b.k = a.k order by w desc limit 1) x from a
select id from a where k in (select k from b order by w limit 3)
select k from a where v > 10 union (select k from b order by w limit 2)
(select k from a order by id limit 2) union all (select k from b order by w limit 2)
select id from a where k in (select k from b union select v from a where v < 3)
select k, (select count(*) from b where b.k = a.k) from a group by k
select sum((select max(w) from b where b.k = a.k)) from a
select k, sum(v) from a group by k having sum(v) > (select avg(w) * 3 from b)
select k, sum(v) from a group by k having k in (select k from b)
with t as (select * from a where v > 30), u as (select k, count(*) n from t group by k) select t.id, u.n from t join u on t.k = u.k
select id from a where id in (select id from a where k in (select k from b where w > (select avg(w) from b)))
select id, lag(v) over (order by id) from a where k = 1
select id, sum(v) over w from a window w as (partition by k)
select * from e
select count(*), sum(z) from e
select a.k from a join e on a.k = e.k
select k from a where not exists (select 1 from e)
select * from (values (1,2),(3,4)) t(x,y) join a on a.k = t.x where a.v < 20
select s, list(v order by id) from a group by s
select s, string_agg(k, ',' order by id) from a group by s
select count(*) from (select a.k from a, b where a.k = b.k) q
select * from a where id < 3 order by all
select max(v) from a where s = (select min(s) from a)
select x.k from (select k from a where v < 9 union all select k from b where w < 4 union all select z from e) x
select * from a natural join b where w < 4
select * from a where exists (from b where b.k = a.k) and v < 10
select a.* exclude (s), b.w from a, b where a.k = b.k and a.v < 10
select k, first(v) from a group by k
select median(v), mode(s), quantile_cont(v, 0.5), stddev(v) from a
select s, max_by(id, v) from a group by s
select k, count(*) from a group by k order by count(*) desc, k limit 2
select grouping(k), k, s, count(*) from a group by rollup(k, s) having count(*) > 3
select sum(v) s1 from a group by k union all select sum(w) from b group by k
select 1 x
select b.k, count(*) over (partition by b.k) c from b join a on a.id = b.w
select k, sum(sum(v)) over (order by k) from a group by k
select k, n from (select k, count(*) n, row_number() over (order by count(*) desc, k) r from a group by k) q where r <= 2
select k, sum(v) from (select *, row_number() over (partition by s order by v desc, id) r from a) q where r <= 3 group by k
select id, s like (select min(s) from a) m from a
select id from a where k is not distinct from (select k from b where w = 0)
select count(*) from a x join a y on x.k is not distinct from y.k where x.s = 's1'
select not exists (select 1 from b where w > 100) x, count(*) from a
select distinct k from a order by k limit 3
select count(*) from (select distinct k from a order by k limit 3) q
select 'first'::varchar x, id from a
select k, count(*) from a group by k having sum((select max(w) from b where b.k = a.k)) > 30
select a.id from a semi join (select b.k from b anti join e on b.w = e.z) q on a.k = q.k
