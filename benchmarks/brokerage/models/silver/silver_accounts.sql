with versions as (
  select
    *,
    lead(changed_at) over (partition by account_id order by changed_at, change_id) as next_at
  from {{ ref('silver_account_versions') }}
)
select
  md5(concat_ws('|', v.account_id, v.changed_at)) as account_key,
  v.account_id,
  v.broker_id,
  v.description,
  v.tax_status,
  c.customer_key,
  c.customer_id,
  c.tier,
  c.country,
  v.changed_at as valid_from,
  coalesce(v.next_at, timestamp'9999-12-31') as valid_to,
  v.next_at is null as is_current
from versions v
join {{ ref('silver_customers') }} c
  on c.customer_id = v.customer_id
  and v.changed_at >= c.valid_from
  and v.changed_at < c.valid_to
