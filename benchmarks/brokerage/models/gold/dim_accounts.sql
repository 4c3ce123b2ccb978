select
  a.account_key,
  a.account_id,
  a.customer_id,
  a.description,
  a.tax_status,
  a.tier,
  a.country,
  b.broker_name,
  b.branch
from {{ ref('silver_accounts') }} a
left join {{ ref('bronze_brokers') }} b on b.broker_id = a.broker_id
where a.is_current
