select
  month_start,
  sum(case when kind = 'revenue' then amount_eur else 0 end) as revenue_eur,
  sum(case when kind = 'expense' then amount_eur else 0 end) as expense_eur
from {{ ref('ledger_by_period') }}
group by month_start
