select conversion_id, account_id, utm_source, utm_campaign, amount
from {{ ref('int_touch_credits') }}
where touch_number = 1
