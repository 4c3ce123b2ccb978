select
  company_id,
  posted_at,
  trim(company_name) as company_name,
  industry_code,
  rating,
  ceo,
  country,
  cast(founded as date) as founded
from {{ source('brokerage', 'company_records') }}
