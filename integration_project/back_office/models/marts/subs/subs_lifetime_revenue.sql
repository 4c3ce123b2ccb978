select
  account_id,
  month_start,
  mrr,
  sum(mrr) over (
    partition by account_id order by month_start
    rows between unbounded preceding and current row
  ) as revenue_to_date,
  avg(mrr) over (
    partition by account_id order by month_start
    rows between 2 preceding and current row
  ) as three_month_average
from {{ ref('int_account_mrr') }}
