select
  e.*,
  i.account_id,
  g.kind,
  g.gl_name,
  r.rate_to_eur,
  e.amount * r.rate_to_eur as amount_eur
from {{ ref('int_ledger_entries') }} as e
inner join {{ ref('stg_ledger__invoices') }} as i on e.invoice_id = i.invoice_id
inner join {{ ref('stg_ledger__gl_accounts') }} as g on e.gl_code = g.gl_code
inner join {{ ref('int_exchange_rate_ranges') }} as r
  on e.currency = r.currency
  and e.entered_on >= r.valid_from
  and e.entered_on < r.valid_until
