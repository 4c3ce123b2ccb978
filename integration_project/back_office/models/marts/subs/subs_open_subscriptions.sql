select subscription_id, account_id, plan_name, monthly_amount
from {{ ref('int_subscription_periods') }}
where is_open or cast({{ dbt.current_timestamp() }} as date) < started_on
