select
  account_id,
  {{ dbt.dateadd('month', 1, 'last_active_month') }} as churned_in,
  max(mrr) as highest_mrr
from {{ ref('int_account_mrr_changes') }}
where last_active_month < cast('2025-12-01' as date)
group by account_id, last_active_month
