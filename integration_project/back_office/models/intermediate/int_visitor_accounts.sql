select visitor_id, account_id, identified_at
from (
  select
    *,
    row_number() over (partition by visitor_id order by identified_at desc, account_id) as place
  from {{ ref('stg_web__identities') }}
) as identities
where place = 1
