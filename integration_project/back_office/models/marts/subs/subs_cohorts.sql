select
  f.first_month,
  {{ dbt.datediff('f.first_month', 'r.month_start', 'month') }} as months_later,
  count(distinct r.account_id) as active_accounts,
  sum(r.mrr) as mrr
from {{ ref('int_account_first_months') }} as f
inner join {{ ref('int_account_mrr') }} as r on f.account_id = r.account_id
where r.mrr > 0
group by 1, 2
