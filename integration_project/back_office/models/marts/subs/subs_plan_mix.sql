select
  plan_name,
  currency,
  'billing' as source_relation,
  count(*) as subscriptions,
  sum(seats) as seats,
  avg(monthly_amount) as average_amount
from {{ ref('int_subscription_periods') }}
group by plan_name, currency, source_relation
