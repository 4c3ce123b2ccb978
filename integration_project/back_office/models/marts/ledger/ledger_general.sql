select
  gl_code,
  document_type,
  document_id,
  entered_on,
  amount_eur,
  sum(amount_eur) over (
    partition by gl_code order by entered_on, document_type, document_id
    rows between unbounded preceding and current row
  ) as balance_eur
from {{ ref('int_ledger_entries_eur') }}
