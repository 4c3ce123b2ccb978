select
  c.customer_key,
  c.customer_id,
  c.first_name,
  c.last_name,
  c.gender,
  c.tier,
  c.city,
  c.country,
  c.status,
  c.national_rate + coalesce(c.local_rate, 0) as tax_rate,
  p.income,
  p.credit_rating,
  p.tags,
  c.valid_from as since
from {{ ref('silver_customers') }} c
left join {{ ref('silver_prospects') }} p on p.customer_id = c.customer_id
where c.is_current
