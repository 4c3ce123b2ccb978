select
  month_start,
  country,
  count(distinct account_id) as accounts,
  sum(amount) as moved,
  min(balance) as lowest_balance,
  max(balance) as highest_balance
from {{ ref('fact_cash_balances') }}
group by month_start, country
