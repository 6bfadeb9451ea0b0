select customer_id, count(*) as visits from {{ source('crm', 'visits') }} group by customer_id
