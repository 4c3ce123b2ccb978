select
  s.subscription_id,
  s.account_id,
  p.plan_name,
  p.currency,
  s.seats,
  s.started_on,
  coalesce(s.ended_on, cast('{{ var("last_day") }}' as date)) as ends_on,
  s.ended_on is null as is_open,
  s.seats * p.monthly_price as monthly_amount
from {{ ref('stg_subs__subscriptions') }} as s
inner join {{ ref('stg_subs__plans') }} as p on s.plan_id = p.plan_id
