select
  s.security_key,
  s.symbol,
  s.security_name,
  s.exchange,
  s.company_name,
  s.industry,
  s.sector,
  s.shares,
  p.close_price,
  p.change_percent,
  s.shares * p.close_price as market_value
from {{ ref('silver_securities') }} s
left join {{ ref('silver_latest_prices') }} p on p.symbol = s.symbol
where s.is_current
