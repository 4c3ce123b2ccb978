select
  customer_id,
  symbol,
  min(case when action = 'ACTV' then noted_at end) as placed_at,
  max(case when action = 'CNCL' then noted_at end) as removed_at,
  count(*) as notes
from {{ ref('bronze_watches') }}
group by customer_id, symbol
having min(case when action = 'ACTV' then noted_at end) is not null
