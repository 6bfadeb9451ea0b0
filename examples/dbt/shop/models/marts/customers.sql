select customer, count(*) as orders, sum(cents) as cents from {{ ref('stg_orders') }} group by customer
