"""A dbt project of a shop: staging views, marts, a snapshot and incremental models."""

RAW = """
create schema raw;
create table raw.customers(id integer, name varchar, country varchar);
insert into raw.customers values (1, 'Ann', 'AT'), (2, 'Bob', 'FR'), (3, 'Cy', null);
create table raw.orders(id integer, customer integer, day date, cents bigint, status varchar);
insert into raw.orders values
    (10, 1, '2026-01-01', 500, 'paid'), (11, 1, '2026-01-01', 700, 'paid'),
    (12, 2, '2026-01-02', 300, 'open'), (13, 3, '2026-01-02', 300, 'paid');
create table raw.clicks(day date, page varchar);
insert into raw.clicks values ('2026-01-01', 'a'), ('2026-01-01', 'a'), ('2026-01-02', 'b');
"""
SECOND_NIGHT = """
update raw.customers set country = 'DE' where id = 2;
delete from raw.customers where id = 3;
insert into raw.customers values (4, 'Di', 'IT');
insert into raw.orders values (14, 2, '2026-01-02', 900, 'paid'), (15, 4, '2026-01-03', 50, 'paid');
insert into raw.clicks values ('2026-01-03', 'a'), ('2026-01-03', 'a');
"""
FILES = {
    "seeds/countries.csv": "code,country\nAT,Austria\nFR,France\nDE,Germany\nIT,Italy\n",
    "seeds/notes.csv": 'id,note\n1,"two\nlines"\n\n2,\n2,\n3,"a ""quoted"" word"\n',
    "macros/cents.sql": "{% macro euros(c) %}cast({{ c }} / 100 as decimal(18, 2)){% endmacro %}",
    "models/sources.yml": """
version: 2
sources:
  - name: raw
    tables:
      - name: customers
        columns: [{name: id, data_tests: [unique, not_null]}]
      - name: orders
        columns: [{name: id, data_tests: [unique, not_null]}]
      - name: clicks
""",
    "models/models.yml": """
version: 2
models:
  - name: stg_orders
    columns: [{name: order_id, data_tests: [unique, not_null]}]
  - name: customers
    columns: [{name: customer_id, data_tests: [unique, not_null]}]
  - name: amounts
    columns: [{name: euros, data_tests: [unique, not_null]}]
seeds:
  - name: countries
    columns: [{name: code, data_tests: [unique, not_null]}]
""",
    "models/staging/stg_orders.sql": """
select id as order_id, customer as customer_id, day, cents, status
from {{ source('raw', 'orders') }}
""",
    "models/staging/stg_customers.sql": """
select id as customer_id, name, country as code from {{ source('raw', 'customers') }}
""",
    "models/staging/paid.sql": """
{{ config(materialized='ephemeral') }}
select * from {{ ref('stg_orders') }} where status = 'paid'
""",
    "models/marts/customers.sql": """
with orders as (select * from {{ ref('paid') }}),
totals as (
    select customer_id, count(*) as orders, sum({{ euros('cents') }}) as total
    from orders group by customer_id
),
final as (
    select c.customer_id, c.name, k.country, coalesce(t.orders, 0) as orders, t.total
    from {{ ref('stg_customers') }} c
    left join totals t on t.customer_id = c.customer_id
    left join {{ ref('countries') }} k on k.code = c.code
)
select * from final
""",
    "models/marts/revenue.sql": """
with paid as (select day, cents from {{ ref('paid') }})
select day, sum(cents) as cents from paid group by day
""",
    "models/marts/amounts.sql": "select distinct {{ euros('cents') }} euros from {{ ref('paid') }}",
    "models/marts/daily.sql": """
{{ config(materialized='incremental', unique_key='day') }}
select day, count(*) as orders, sum(cents) as cents from {{ ref('stg_orders') }}
{% if is_incremental() %} where day >= (select max(day) from {{ this }}) {% endif %}
group by day
""",
    "models/marts/clicks.sql": """
{{ config(materialized='incremental') }}
select day, page from {{ source('raw', 'clicks') }}
{% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}
""",
    "models/marts/pages.sql": """
select page, count(*) as clicks from {{ ref('clicks') }} group by page
""",
    "snapshots/history.yml": """
snapshots:
  - name: history
    relation: ref('stg_customers')
    config: {unique_key: customer_id, strategy: check, check_cols: all, hard_deletes: invalidate}
""",
}
