select id, lower(email) as email, username from {{ ref('raw_users') }}
