with versions as (
  select
    *,
    lead(posted_at) over (partition by symbol order by posted_at) as next_posted_at
  from {{ ref('bronze_securities') }}
)
select
  md5(concat_ws('|', v.symbol, v.posted_at)) as security_key,
  v.symbol,
  v.security_name,
  v.issue_type,
  v.exchange,
  v.shares,
  v.dividend,
  c.company_id,
  c.company_name,
  c.industry,
  c.sector,
  v.posted_at as valid_from,
  coalesce(v.next_posted_at, timestamp'9999-12-31') as valid_to,
  v.next_posted_at is null as is_current
from versions v
join {{ ref('silver_companies') }} c
  on c.company_id = v.company_id
  and v.posted_at >= c.valid_from
  and v.posted_at < c.valid_to
