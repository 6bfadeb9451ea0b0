select id from {{ ref('users') }}
