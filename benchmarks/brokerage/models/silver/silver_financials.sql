select
  company_id,
  fiscal_year,
  fiscal_quarter,
  quarter_start,
  add_months(quarter_start, 3) as next_quarter_start,
  revenue,
  earnings,
  cast(earnings / shares_out as decimal(15, 4)) as earnings_a_share,
  sum(earnings) over (
    partition by company_id order by quarter_start rows between 3 preceding and current row
  ) as earnings_4_quarters
from {{ ref('bronze_financials') }}
