select
  symbol,
  posted_at,
  security_name,
  issue_type,
  exchange,
  company_id,
  shares,
  dividend
from {{ source('brokerage', 'security_records') }}
where shares > 0
