select id, email from {{ ref('users') }}
