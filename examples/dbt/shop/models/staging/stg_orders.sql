select id as order_id, customer, cents from {{ ref('raw_orders') }} where status = 'paid'
