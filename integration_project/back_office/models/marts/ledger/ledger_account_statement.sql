select
  account_id,
  document_type,
  document_id,
  entered_on,
  amount_eur,
  rank() over (partition by account_id order by entered_on desc) as recency
from {{ ref('int_ledger_entries_eur') }}
where document_type in ('payment', 'credit note')
