-- a movement may be delivered twice: the newest delivery counts
select movement_id, account_id, moved_at, amount, note
from (
  select
    *,
    row_number() over (partition by movement_id order by loaded_at desc) as delivery
  from {{ source('brokerage', 'cash_movements') }}
)
where delivery = 1
