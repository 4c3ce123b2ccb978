select
  cast(invoice_id as bigint) as invoice_id,
  cast(line_number as int) as line_number,
  item,
  cast(quantity as int) as quantity,
  cast(unit_price as decimal(12, 2)) as unit_price,
  cast(tax_rate as decimal(6, 4)) as tax_rate
from {{ source('ledger', 'raw_ledger_invoice_lines') }}
