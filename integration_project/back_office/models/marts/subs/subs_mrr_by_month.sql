select
  m.month_start,
  count(distinct case when r.mrr > 0 then r.account_id end) as active_accounts,
  coalesce(sum(r.mrr), 0) as mrr
from {{ ref('int_calendar_months') }} as m
left join {{ ref('int_account_mrr') }} as r on m.month_start = r.month_start
group by m.month_start
