select v.x, p.id from (values ((select min(price) from homes)),(7)) v(x), people p
select u, p.id from people p, unnest((select list(price order by id) from homes)) t(u) where p.id < 3
select i from range((select max(price) from homes where price<10)) t(i)
select i from generate_series(1,(select min(price) from homes)) t(i)
select p.id, u from people p, unnest((select list(h.price order by h.id) from homes h where h.name=p.city)) t(u)
select i, p.id from people p, range((select count(*) from homes h where h.name=p.city)) r(i)
with v as (values ((select min(price) from homes)),(7)) select * from v
select id from people where age in (values (10),((select min(price)+5 from homes)))
select * from (select id from people union all values ((select min(price) from homes)))
select id from people union all values ((select min(price) from homes))
select id from people where city in ('x', (select min(name) from homes))
select id from people where city not in ('x', (select min(name) from homes))
select id, city in ('x', (select max(name) from homes)) from people
select id from people where age in ((select min(price) from homes)*2, 20)
select id, city in (select name from homes) m from people
select id, city not in (select name from homes) m from people
select id from people where (city in (select name from homes)) is null
select id from people where (city not in (select name from homes)) is null
select id, case when city in (select name from homes) then 1 when city is not null then 2 else 3 end from people
select id, case when city = any(select name from homes) then 1 else 2 end from people
select id, age > any(select price from homes) x from people
select id, age > all(select price from homes) x from people
select id, age > all(select price from homes where price is not null) x from people
select city in (select name from homes) m, count(*) from people group by 1
select city in (select name from homes) m, count(*) from people group by m
select city in (select name from homes) m, count(*) from people group by city in (select name from homes)
select city = any(select name from homes) m, count(*) from people group by all
select id from people p where (p.age in (select price*2 from homes h where h.name = p.city)) is not true
select id from people p where coalesce(p.age in (select price*2 from homes h where h.name = p.city), true)
select id, (city, age) in (select name, price*2 from homes) x from people
select id, exists(select 1 from homes where name=city) x from people
select id, (age in (select price from homes)) = (city in (select name from homes)) from people
select id from people order by city in (select name from homes), id
select id from people order by id limit (select count(*)-2 from homes)
select count(*) from (select id from people order by id limit (select min(price) - 3 from homes))
select distinct city from people order by city limit (select count(*)-3 from homes)
select city, (select count(*) from homes) from people order by 2 desc
select city, (select count(*) from homes h where h.name=city) from people order by 2 desc, 1 limit 3
select (select count(*) from homes), city from people group by all order by 1
select city, age % 20 a, count(*) from people group by rollup(1,2)
select city, age % 20 a, count(*) from people group by cube(a), rollup(city)
select (select max(price) from homes h where h.name=p.city) m, count(*) from people p group by cube(1)
select city, count(*) filter (where age in (select price+5 from homes)) from people group by city
select city, sum(age) filter (where age > (select avg(price) from homes)) from people group by city
select count(*) filter (where city not in (select name from homes)) from people
select count(*) filter (where age > any(select price from homes)) from people
select city, sum(age) filter (where exists (select 1 from homes h where h.name = p.city and h.price < p.age)) from people p group by city
select string_agg(id::varchar, ',' order by (select max(price) from homes h where h.name = p.city) nulls first, id) from people p
select list(id order by city in (select name from homes), id) from people p
select sum(case when city in (select name from homes) then age else 0 end) from people
select (select max(price) from homes h where h.name=p.city) m, count(*) from people p group by 1
select (select max(price) from homes h where h.name=p.city) m, count(*) from people p group by (select max(price) from homes h where h.name=p.city)
select (select max(price) from homes h where h.name=p.city)+1 m, count(*), (select max(pay) from jobs) from people p group by m
select city, count(*) from people p group by city having max(age) > (select min(price) from homes)
select city, count(*) from people p group by city having exists (select 1 from homes h where h.price > max(p.age))
select city, count(*) from people p group by city having max(age) in (select price*2 from homes)
select city, (select max(price) from homes where price < sum(p.age)) from people p group by city
select city, (select max(price) from homes h where h.price < sum(p.age) and h.name = p.city) from people p group by city
select (select sum(p.age)) from people p
select (select sum(p.age) + min(h.price) from homes h) from people p
select (select count(*) from homes h where h.price < (select max(pay) from jobs j where j.pay < max(p.age))) from people p
select city from people p order by (select max(price) from homes h where h.name=p.city) nulls first, id
select city from people p order by (select max(price) from homes h where h.name=p.city) nulls first, id limit 2
select city, count(*) from people p group by city order by (select max(price) from homes h where h.name=p.city) nulls first
select id, row_number() over (partition by city in (select name from homes) order by id) from people
select id, sum(age) over (order by (select max(price) from homes h where h.name=p.city) nulls first, id) from people p
select id, sum((select max(price) from homes h where h.name=p.city)) over (partition by id%2) from people p
select id, sum(age) over (order by id rows between (select min(price)-4 from homes) preceding and current row) from people p
select id, sum(age) over w from people p window w as (partition by (select max(price) from homes h where h.name=p.city))
select id from people p qualify row_number() over (partition by (select max(price) from homes h where h.name=p.city) order by id) = 1
select id from people p qualify row_number() over (order by id) <= (select min(price) - 2 from homes)
select id from people p qualify row_number() over (order by id) in (select price / 5 from homes)
select distinct on ((select max(price) from homes h where h.name=p.city)) id from people p order by id
select distinct on (city in (select name from homes)) id from people p order by id
select p.id, j.id from people p join jobs j on p.city = j.city and p.age > (select min(price) from homes h where h.name = p.city)
select p.id, j.id from people p left join jobs j on p.city = j.city and p.age in (select price*2 from homes h)
select p.id, j.id from people p left join jobs j on p.city in (select name from homes h) and j.id=p.id
select max((select min(price) from homes h where h.name = p.city)) from people p
select city, max(age) > (select min(price) from homes) x from people group by city
select id, (select sum(c) from (select distinct price c from homes h where h.name = p.city) q) from people p
select id, (select sum(c) from (select name, count(*) c from homes h where h.price < p.age group by grouping sets ((name),())) q) from people p
select id, (select sum(c) from (select name, count(*) c from homes h where h.price < p.age group by name) q where q.name = p.city) from people p
select id, (select count(*) from (select name from homes h where h.price < p.age union select city from jobs j where j.pay < p.age) q) from people p
select id, (select count(*) from (select name from homes h where h.price < p.age except select city from jobs j where j.pay < p.age) q) from people p
select id, (select count(*) from (select name from homes h where h.price < p.age intersect select city from jobs j where j.pay < p.age) q) from people p
select id, (select sum(r) from (select row_number() over (order by price) r from homes h where h.name = p.city) q) from people p
select id, (select max(x) from (select distinct on (name) price x from homes h where h.price < p.age order by name, price) q) from people p
select id, exists (select 1 from (select name, sum(price) s from homes h group by name having sum(price) > p.age) q where q.name = p.city) from people p
select id from people p where age > (select sum(x) from (select h.price x from homes h, (select distinct city from jobs j where j.pay < p.age) q where q.city = h.name) z)
select id, (select price from homes h where h.name = p.city order by price limit 1) from people p
select id, (select price from homes h where h.name = p.city order by 1 desc limit 1) from people p
select id, (select price from homes h where h.name = p.city order by price limit 1 offset 1) from people p
select id, (select price from homes h where h.name = p.city limit 1) from people p
select id, (select price from homes h where h.name = p.city union all select pay from jobs j where j.city=p.city order by price limit 1) from people p
select id from people p where id in (select id from homes h where h.name=p.city order by price limit 1)
select id, (select sum(x) from (select price x from homes h where h.name = p.city order by price limit 1)) from people p
select id, (select name from homes h where h.price < p.age group by name order by count(*) desc, name limit 1) from people p
select id, (select price from homes where price is not null order by price limit 1) from people p
select id, (select max(h.price) from homes h right join jobs j on h.name = j.city and j.pay < p.age) from people p
select id, (select max(h.price) from homes h full join jobs j on h.name = j.city where j.pay < p.age) from people p
select id, (select count(*) from jobs j left join homes h on h.name = j.city and h.price < p.age) from people p
select id, array(select price from homes h where h.name = p.city order by price) from people p
select array(select price from homes) from people p where id=1
select id from people where list_contains(array(select price*2 from homes), age)
select city, age % 20 a, count(*) from people group by grouping sets ((1,2),(2),())
select city, age % 20 a, count(*) from people group by rollup(city,2)
select (select max(price) from homes h where h.name=p.city) m, city, count(*) from people p group by grouping sets ((1,2),(1),())
select (select max(price) from homes h where h.name=p.city) m, city, count(*), grouping(city) from people p group by cube(m, city)
select city in (select name from homes) m, count(*) from people group by m having m or count(*) > 1
select city in (select name from homes) m, count(*) from people group by m order by m
with q as (select city in (select name from homes) m, age from people) select m, count(*) from q group by m
select id, city in (select name from homes) m from people order by m desc nulls last, id
select id from people where not (city in (select name from homes) or age > 30)
select id from people where not (city in (select name from homes) and age > 30)
select id from people where not (age > all(select price from homes where price < 20))
select id from people where city <> all(select name from homes where name is not null)
select id, city = all(select name from homes where id = people.id) from people
select id from people where age < 30 or age > all(select price from homes)
select id, (age < 30 or age > all(select price from homes)) x from people
select id, age >= any(select h.price from homes h where h.name = p.city) x from people p
select id, (age not in (select h.price*2 from homes h where h.name = p.city)) x from people p
select id, (age in (select h.price*2 from homes h where h.name = p.city)) is null x from people p
select id, if(city in (select city from jobs), 1, 0) x from people
select id from people where case when city in (select city from jobs) then age > 10 else true end
select count(*) from people where (city in (select city from jobs)) is null
select id, coalesce((select max(price) from homes h where h.name = p.city), (select max(pay) from jobs)) from people p
select id, p.age in (select price*2 from homes h where h.name in (select city from jobs j where j.id = p.id)) x from people p
select sum(x) from (select city in (select name from homes) b, age x from people) where b
select id from people p where exists (select 1 from homes h where h.name = p.city and (h.price in (select pay from jobs)) is null)
select id from people p where exists (select 1 from homes h where h.name = p.city and h.price not in (select pay from jobs))
select id, (select count(*) from homes h where h.name = p.city and h.price not in (select pay from jobs)) from people p
select id, (select string_agg(h.id::varchar order by (select max(pay) from jobs j where j.city = h.name)) from homes h where h.price < p.age) from people p
select id, (select count(*) filter (where h.price in (select pay*2-5 from jobs j where j.pay < p.age)) from homes h) from people p
select id, (select max(c) from (select count(*) c, h.price in (select pay from jobs j where j.pay < p.age) g from homes h group by g)) from people p
select j.city, (select count(*) from homes h where h.price > sum(j.pay) and h.name <> j.city) from jobs j group by j.city
select (select (select sum(p.age) + max(j.pay)) from jobs j) from people p
select (select max(h.price) from homes h where h.id < (select count(p.id)-1)) from people p
select city, (select sum(p.age) filter (where p.age > 10)) from people p group by city
select p.city, q.n from (select city, count(*) n from people group by city having count(*) >= (select count(*) from homes h where h.name = city)) q join people p on p.city = q.city
select id from people where city in (select name from homes order by price limit 2)
select count(*) from (select * from homes limit 2)
select (select count(*) from homes) + (select count(*) from jobs), count(*) from people
select unnest((select list(price) from homes)) u, id from people where id = 1
select id from people where (select count(*) from homes) > 3 and (select max(pay) from jobs) in (8, 20)
select id from people p where age = (select max(age) from people z where z.city = p.city)
select id, row_number() over (order by age in (select price from homes), id) from people
select id, count(*) filter (where city in (select name from homes)) over (partition by id % 2) from people
select id, first_value(city in (select name from homes)) over (order by id) from people
select distinct city in (select name from homes) x from people
select id % 2, bool_or(city in (select name from homes)) from people group by 1
select id % 2, max(city = any(select name from homes)) from people group by 1
select city in (select name from homes) x from people union all select pay in (select price from homes) from jobs
select city in (select name from homes) x from people union select pay in (select price from homes) from jobs
select city in (select name from homes) x from people except select pay in (select price from homes) from jobs
select id from people p where (select count(*) from homes h where h.name = p.city) = all(select 2 from jobs)
select id from people where exists (select max(price) from homes where price > 1000)
select id from people where id in (select 1 union all select id from jobs where pay = 8)
select id from people order by (select max(price) from homes), id limit 1
select city from people union select city from jobs order by (select 1)
select p.id from people p join homes h on p.city = h.name or p.age in (select pay from jobs)
select p.id, h.id from people p full join homes h on p.city = h.name and h.price in (select pay*5-10 from jobs)
select p.id, h.id from people p right join homes h on p.city = h.name and exists (select 1 from jobs j where j.city = p.city and j.pay < h.price)
select (select sum(x) from (values (1),((select max(price) from homes where price < p.age))) t(x)) from people p
select id from people p where id in (values (1), ((select min(id) from homes h where h.name = p.city)))
select id, (select count(*) from range((select count(*) from homes h where h.name = p.city)) r) from people p
select id, (select max(x) from (select unnest(list(price)) x from homes h where h.name = p.city)) from people p
select id, (select h.price from homes h where h.name = p.city order by (select min(pay) from jobs j where j.pay > h.price), h.price limit 1) from people p
select id, (with z as (select price from homes h where h.price < 30) select max(price) from z where price < p.age) from people p
select id, array(select h.price from homes h where h.name = p.city order by h.price limit 1) from people p
select city in (select name from homes) m, count(*) from people group by city in (select name from homes) having city in (select name from homes) or count(*)>1 order by city in (select name from homes)
select (select max(price) from homes h where h.name=p.city) a, (select max(price) from homes h where h.name=p.city) + 1 b, count(*) from people p group by 1
select id from people where not (city in (select name from homes where name is not null) or age > 30)
select 1 + (select 1 from homes limit 1) from people where id = 1
select sum((select max(price) from homes h where h.name=p.city) + (select min(pay) from jobs)) filter (where city <> any(select city from jobs)) s from people p
select p.city, count(distinct (select max(price) from homes h where h.name=p.city)) from people p join jobs j using (city) group by p.city
select city, sum((select max(price) from homes h where h.name=city)) from people p join jobs j using (city) group by city
select city, list((select max(price) from homes h where h.name=p.city) order by age) from people p group by city having sum((select max(pay) from jobs)) > 1
select city, (select max(price) from homes h where h.name=p.city), sum((select max(price) from homes h where h.name=p.city)) from people p group by city
select city, count(*), sum(count(*)) over (partition by (select max(price) from homes h where h.name=p.city)) from people p group by city
select city, rank() over (order by sum((select max(price) from homes h where h.name=p.city))) from people p group by city
select (select max(price) from homes h where h.name=p.city) m, count(*), 1 from people p group by all
select city, sum(n) from (select city, (select count(*) from homes h where h.name = p.city) n from people p) group by all
select (select count(*) from homes) m from people group by all
select age % 20 a, count(*) from people group by cube(1)
select count(*), age % 20 a, city is null n from people group by cube(2, 3)
