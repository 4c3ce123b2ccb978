select
  account_id,
  cast(moved_at as date) as day,
  sum(amount) as amount,
  count(*) as movements,
  sum(case when amount < 0 then amount else 0 end) as withdrawn
from {{ ref('bronze_cash') }}
group by account_id, cast(moved_at as date)
