with lines as (

  select invoice_id, sum(net_amount) as net_amount, sum(tax_amount) as tax_amount, count(*) as lines
  from {{ ref('int_invoice_lines') }}
  group by invoice_id

),

payments as (

  select invoice_id, sum(amount) as paid, max(paid_on) as last_paid_on, count(*) as payments
  from {{ ref('stg_ledger__payments') }}
  group by invoice_id

),

credits as (

  select invoice_id, sum(amount) as credited
  from {{ ref('stg_ledger__credit_notes') }}
  group by invoice_id

)

select
  i.source_relation,
  i.invoice_id,
  i.account_id,
  i.currency,
  i.issued_on,
  i.due_on,
  coalesce(l.net_amount + l.tax_amount, 0) as total,
  coalesce(p.paid, 0) as paid,
  coalesce(c.credited, 0) as credited,
  coalesce(l.net_amount + l.tax_amount, 0) - coalesce(p.paid, 0) - coalesce(c.credited, 0) as balance,
  p.last_paid_on,
  coalesce(p.payments, 0) as payments
from {{ ref('stg_ledger__invoices') }} as i
left join lines as l on i.invoice_id = l.invoice_id
left join payments as p on i.invoice_id = p.invoice_id
left join credits as c on i.invoice_id = c.invoice_id
where i.status <> 'void'
