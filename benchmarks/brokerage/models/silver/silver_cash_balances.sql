select
  account_id,
  day,
  amount,
  movements,
  sum(amount) over (
    partition by account_id order by day rows between unbounded preceding and current row
  ) as balance
from {{ ref('silver_cash_daily') }}
