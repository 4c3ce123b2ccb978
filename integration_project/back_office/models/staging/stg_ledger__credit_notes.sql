select
  cast(id as bigint) as credit_note_id,
  cast(invoice_id as bigint) as invoice_id,
  cast(amount as decimal(12, 2)) as amount,
  reason,
  cast(issued_on as date) as issued_on
from {{ source('ledger', 'raw_ledger_credit_notes') }}
