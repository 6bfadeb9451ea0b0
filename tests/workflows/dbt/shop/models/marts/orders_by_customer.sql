select c.customer_id, c.name, count(*) as orders, sum(o.amount_cents) as cents
from {{ ref('stg_customers') }} c join {{ ref('paid_orders') }} o on o.customer_id = c.customer_id
group by c.customer_id, c.name
