select
  month_start,
  sum(case when category = 'new' then mrr_change else 0 end) as new_mrr,
  sum(case when category = 'reactivation' then mrr_change else 0 end) as reactivation_mrr,
  sum(case when category = 'upgrade' then mrr_change else 0 end) as upgrade_mrr,
  sum(case when category = 'downgrade' then mrr_change else 0 end) as downgrade_mrr,
  sum(case when category = 'churn' then mrr_change else 0 end) as churn_mrr
from {{ ref('int_account_mrr_changes') }}
group by 1
