select
  trade_id,
  min(changed_at) as first_seen_at,
  max(case when status in ('CMPT', 'CNCL') then changed_at end) as ended_at,
  count(*) as changes
from {{ ref('bronze_trade_statuses') }}
group by trade_id
