select
  cast(id as bigint) as subscription_id,
  cast(account_id as bigint) as account_id,
  plan_id,
  cast(seats as int) as seats,
  cast(started_on as date) as started_on,
  cast(ended_on as date) as ended_on
from {{ source('subs', 'raw_subs_subscriptions') }}
