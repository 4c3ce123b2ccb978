with invoices as (

  select * from {{ ref('stg_ledger__invoices') }} where status <> 'void'

),

sold as (

  select
    invoice_id,
    issued_on as entered_on,
    currency,
    gl_code,
    'invoice' as document_type,
    cast(invoice_id * 100 + line_number as bigint) as document_id,
    net_amount as amount
  from {{ ref('int_invoice_lines') }}

),

taxed as (

  select
    invoice_id,
    issued_on as entered_on,
    currency,
    1800 as gl_code,
    'tax' as document_type,
    cast(invoice_id * 100 + line_number as bigint) as document_id,
    tax_amount as amount
  from {{ ref('int_invoice_lines') }}
  where tax_amount <> 0

),

paid as (

  select
    p.invoice_id,
    p.paid_on as entered_on,
    i.currency,
    case p.method when 'card' then 1000 when 'transfer' then 1010 else 1020 end as gl_code,
    'payment' as document_type,
    p.payment_id as document_id,
    p.amount
  from {{ ref('stg_ledger__payments') }} as p
  inner join invoices as i on p.invoice_id = i.invoice_id

),

credited as (

  select
    c.invoice_id,
    c.issued_on as entered_on,
    i.currency,
    4900 as gl_code,
    'credit note' as document_type,
    c.credit_note_id as document_id,
    -c.amount as amount
  from {{ ref('stg_ledger__credit_notes') }} as c
  inner join invoices as i on c.invoice_id = i.invoice_id

)

select * from sold
union all
select * from taxed
union all
select * from paid
union all
select * from credited
