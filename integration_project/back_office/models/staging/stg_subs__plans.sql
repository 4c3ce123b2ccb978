select
  id as plan_id,
  initcap(name) as plan_name,
  billing_interval,
  currency,
  cast(price as double) as price,
  cast(case when billing_interval = 'year' then price / 12 else price end as double) as monthly_price
from {{ source('subs', 'raw_subs_plans') }}
