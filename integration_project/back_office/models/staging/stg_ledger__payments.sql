select
  cast(id as bigint) as payment_id,
  cast(invoice_id as bigint) as invoice_id,
  method,
  cast(amount as decimal(12, 2)) as amount,
  cast(paid_at as date) as paid_on
from {{ source('ledger', 'raw_ledger_payments') }}
