select
  cast(code as int) as gl_code,
  name as gl_name,
  kind,
  case when kind in ('asset', 'expense') then 1 else -1 end as normal_side
from {{ source('ledger', 'raw_ledger_gl_accounts') }}
