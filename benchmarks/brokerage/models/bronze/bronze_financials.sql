select
  company_id,
  fiscal_year,
  fiscal_quarter,
  cast(quarter_start as date) as quarter_start,
  cast(revenue as decimal(15, 2)) as revenue,
  cast(earnings as decimal(15, 2)) as earnings,
  shares_out
from {{ source('brokerage', 'financials') }}
where shares_out > 0
