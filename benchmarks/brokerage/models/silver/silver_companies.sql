select
  md5(concat_ws('|', c.company_id, c.posted_at)) as company_key,
  c.company_id,
  c.company_name,
  i.industry,
  i.sector,
  c.rating,
  c.rating in ('BB', 'B', 'CCC') as is_low_grade,
  c.ceo,
  c.country,
  c.founded,
  c.posted_at as valid_from,
  coalesce(
    lead(c.posted_at) over (partition by c.company_id order by c.posted_at),
    timestamp'9999-12-31'
  ) as valid_to
from {{ ref('bronze_companies') }} c
left join {{ source('brokerage', 'industries') }} i on i.industry_code = c.industry_code
