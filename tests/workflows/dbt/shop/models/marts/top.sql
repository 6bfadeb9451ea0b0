select customer_id, cents from {{ ref('orders_by_customer') }} order by cents desc, customer_id limit 10
