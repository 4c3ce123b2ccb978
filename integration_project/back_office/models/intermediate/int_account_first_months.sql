select
  account_id,
  cast({{ dbt.date_trunc('month', 'min(started_on)') }} as date) as first_month,
  cast({{ dbt.date_trunc('month', 'max(ends_on)') }} as date) as last_month,
  count(*) as subscriptions
from {{ ref('int_subscription_periods') }}
group by account_id
