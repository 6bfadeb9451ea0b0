select id as order_id, customer_id, country, amount_cents, status, ordered_on from {{ ref('raw_orders') }}
