select a.account_id, m.month_start, m.month_end
from {{ ref('int_account_first_months') }} as a
inner join {{ ref('int_calendar_months') }} as m
  on m.month_start >= a.first_month
  and m.month_start <= a.last_month
