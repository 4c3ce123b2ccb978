select
  change_id,
  account_id,
  action,
  changed_at,
  last_value(customer_id, true) over w as customer_id,
  last_value(broker_id, true) over w as broker_id,
  last_value(description, true) over w as description,
  last_value(tax_status, true) over w as tax_status
from {{ ref('bronze_account_changes') }}
window w as (
  partition by account_id order by changed_at, change_id
  rows between unbounded preceding and current row
)
