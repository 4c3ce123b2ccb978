select
  change_id,
  account_id,
  action,
  changed_at,
  customer_id,
  broker_id,
  trim(description) as description,
  tax_status
from {{ source('brokerage', 'account_changes') }}
where account_id is not null
