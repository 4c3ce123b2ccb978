with versions as (
  select
    *,
    lag(tier) over (partition by customer_id order by changed_at, change_id) as tier_before,
    lead(changed_at) over (partition by customer_id order by changed_at, change_id) as next_at,
    row_number() over (partition by customer_id order by changed_at desc, change_id desc) as newest
  from {{ ref('silver_customer_versions') }}
)
select
  md5(concat_ws('|', v.customer_id, v.changed_at)) as customer_key,
  v.customer_id,
  v.tax_id,
  case when v.gender in ('M', 'F') then v.gender else 'U' end as gender,
  v.tier,
  v.tier_before,
  v.birth_date,
  v.last_name,
  v.first_name,
  v.address_1,
  v.postal_code,
  v.city,
  v.state,
  v.country,
  coalesce(v.phone_1, v.phone_2, v.phone_3) as phone,
  v.email_1,
  n.rate as national_rate,
  l.rate as local_rate,
  if(v.action = 'INACT', 'Inactive', 'Active') as status,
  v.changed_at as valid_from,
  coalesce(v.next_at, timestamp'9999-12-31') as valid_to,
  v.newest = 1 as is_current
from versions v
left join {{ source('brokerage', 'tax_rates') }} n on n.tax_code = v.national_tax
left join {{ source('brokerage', 'tax_rates') }} l on l.tax_code = v.local_tax
