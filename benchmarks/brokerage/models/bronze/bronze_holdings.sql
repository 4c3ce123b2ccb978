select
  holding_id,
  trade_id,
  opened_by,
  quantity_before,
  quantity_after,
  quantity_after - quantity_before as quantity_change
from {{ source('brokerage', 'holdings') }}
where quantity_before <> quantity_after
