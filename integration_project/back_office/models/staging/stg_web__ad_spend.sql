select
  cast(spent_on as date) as spent_on,
  utm_source,
  utm_campaign,
  cast(cost as double) as cost
from {{ source('web', 'raw_web_ad_spend') }}
