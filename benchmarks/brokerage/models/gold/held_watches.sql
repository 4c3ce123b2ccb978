select w.customer_id, w.symbol, w.placed_on
from {{ ref('fact_watches') }} w
where w.is_active
  and exists (
    select 1
    from {{ ref('fact_holdings') }} h
    where h.customer_id = w.customer_id and h.symbol = w.symbol
  )
