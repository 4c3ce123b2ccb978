select
  invoice_id,
  account_id,
  currency,
  balance,
  {{ dbt.datediff('due_on', "cast('2025-07-01' as date)", 'day') }} as days_overdue,
  case
    when due_on >= cast('2025-07-01' as date) then 'not due'
    when {{ dbt.datediff('due_on', "cast('2025-07-01' as date)", 'day') }} <= 30 then '1-30'
    when {{ dbt.datediff('due_on', "cast('2025-07-01' as date)", 'day') }} <= 60 then '31-60'
    else 'over 60'
  end as bucket
from {{ ref('int_invoice_balances') }}
where balance > 0
