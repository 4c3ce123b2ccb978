select
  'invoicing' as source_relation,
  cast(id as bigint) as invoice_id,
  cast(account_id as bigint) as account_id,
  number as invoice_number,
  upper(currency) as currency,
  status,
  cast(issued_on as date) as issued_on,
  cast(due_on as date) as due_on
from {{ source('ledger', 'raw_ledger_invoices') }}
