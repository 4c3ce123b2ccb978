select
  m.account_id,
  m.month_start,
  coalesce(sum(p.monthly_amount), 0) as mrr,
  count(p.subscription_id) as subscriptions
from {{ ref('int_account_months') }} as m
left join {{ ref('int_subscription_periods') }} as p
  on m.account_id = p.account_id
  and p.started_on <= m.month_end
  and p.ends_on > m.month_end
group by m.account_id, m.month_start
