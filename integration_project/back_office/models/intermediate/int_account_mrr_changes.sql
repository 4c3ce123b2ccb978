with compared as (

  select
    account_id,
    month_start,
    mrr,
    mrr > 0 as is_active,
    coalesce(lag(mrr > 0) over (partition by account_id order by month_start), false) as was_active,
    coalesce(lag(mrr) over (partition by account_id order by month_start), 0) as previous_mrr,
    min(case when mrr > 0 then month_start end) over (partition by account_id) as first_active_month,
    max(case when mrr > 0 then month_start end) over (partition by account_id) as last_active_month
  from {{ ref('int_account_mrr') }}

)

select
  *,
  mrr - previous_mrr as mrr_change,
  case
    when is_active and not was_active and month_start = first_active_month then 'new'
    when is_active and not was_active then 'reactivation'
    when was_active and not is_active then 'churn'
    when mrr > previous_mrr then 'upgrade'
    when mrr < previous_mrr then 'downgrade'
  end as category
from compared
