select
  watch_id,
  customer_id,
  symbol,
  action,
  noted_at,
  cast(noted_at as date) as noted_on
from {{ source('brokerage', 'watches') }}
where action in ('ACTV', 'CNCL')
