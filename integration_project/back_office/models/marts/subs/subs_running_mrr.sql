select
  month_start,
  mrr,
  sum(mrr) over (order by month_start rows between unbounded preceding and current row) as revenue_to_date
from {{ ref('subs_mrr_by_month') }}
