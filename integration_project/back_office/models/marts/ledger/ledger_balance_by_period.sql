select
  month_start,
  gl_code,
  amount_eur,
  sum(amount_eur) over (
    partition by gl_code order by month_start
    rows between unbounded preceding and current row
  ) as balance_eur
from {{ ref('ledger_by_period') }}
