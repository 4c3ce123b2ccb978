select
  w.customer_id,
  c.customer_key,
  c.country,
  w.symbol,
  s.security_key,
  s.sector,
  cast(w.placed_at as date) as placed_on,
  cast(w.removed_at as date) as removed_on,
  w.removed_at is null as is_active
from {{ ref('silver_watches') }} w
join {{ ref('dim_customers') }} c on c.customer_id = w.customer_id
left join {{ ref('silver_securities') }} s
  on s.symbol = w.symbol
  and w.placed_at >= s.valid_from
  and w.placed_at < s.valid_to
