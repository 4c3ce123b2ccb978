with once as (
  select *
  from (
    select
      *,
      row_number() over (
        partition by last_name, first_name, city order by net_worth desc, prospect_id
      ) as place
    from {{ ref('bronze_prospects') }}
  )
  where place = 1
)
select
  p.prospect_id,
  p.last_name,
  p.first_name,
  p.city,
  p.income,
  p.credit_rating,
  p.net_worth,
  p.tags,
  c.customer_id,
  c.customer_id is not null as is_customer
from once p
left join {{ ref('silver_customers') }} c
  on upper(c.last_name) = p.last_name
  and upper(c.first_name) = p.first_name
  and c.is_current
