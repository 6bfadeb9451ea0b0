select k.name as country, sum({{ euros('o.amount_cents') }}) as revenue
from {{ ref('stg_orders') }} o
left join {{ ref('countries') }} k on k.code = o.country
group by k.name
