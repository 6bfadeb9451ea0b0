select order_id, customer_id from {{ ref('stg_orders') }} order by order_id desc limit 5
