select a.account_id, a.customer_id, a.broker_name
from {{ ref('dim_accounts') }} a
where not exists (
  select 1
  from {{ ref('fact_trades') }} t
  where t.account_id = a.account_id and t.status <> 'Canceled'
)
