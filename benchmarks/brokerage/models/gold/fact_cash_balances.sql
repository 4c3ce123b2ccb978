select
  a.account_key,
  b.account_id,
  a.customer_id,
  a.country,
  b.day,
  c.year,
  c.month_start,
  b.amount,
  b.balance
from {{ ref('silver_cash_balances') }} b
join {{ ref('silver_accounts') }} a
  on a.account_id = b.account_id
  and cast(b.day as timestamp) >= a.valid_from
  and cast(b.day as timestamp) < a.valid_to
join {{ ref('silver_calendar') }} c on c.day = b.day
