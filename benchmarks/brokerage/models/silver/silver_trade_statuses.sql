select trade_id, status, status_name, changed_at
from (
  select
    *,
    row_number() over (partition by trade_id order by changed_at desc, status) as newest
  from {{ ref('bronze_trade_statuses') }}
)
where newest = 1
