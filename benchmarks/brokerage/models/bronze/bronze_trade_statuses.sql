select
  trade_id,
  status,
  case status
    when 'CMPT' then 'Completed'
    when 'CNCL' then 'Canceled'
    when 'PNDG' then 'Pending'
    else 'Submitted'
  end as status_name,
  changed_at
from {{ source('brokerage', 'trade_statuses') }}
where trade_id is not null
