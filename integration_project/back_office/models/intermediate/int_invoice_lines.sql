select
  l.invoice_id,
  l.line_number,
  i.currency,
  i.issued_on,
  case l.item
    when 'subscription' then 4000
    when 'seats' then 4010
    when 'support' then 4020
    else 4030
  end as gl_code,
  cast(l.quantity * l.unit_price as decimal(14, 2)) as net_amount,
  cast(round(l.quantity * l.unit_price * l.tax_rate, 2) as decimal(14, 2)) as tax_amount
from {{ ref('stg_ledger__invoice_lines') }} as l
inner join {{ ref('stg_ledger__invoices') }} as i on l.invoice_id = i.invoice_id
where i.status <> 'void'
