select
  h.symbol,
  h.price_date,
  s.security_key,
  s.company_id,
  h.close_price,
  h.volume,
  h.high_52_weeks,
  h.low_52_weeks,
  a.close_50_days,
  a.volume_10_days,
  cast(h.close_price / nullif(f.earnings_4_quarters, 0) as decimal(20, 8)) as price_to_earnings,
  cast(100 * s.dividend / h.close_price as decimal(12, 4)) as yield_percent
from {{ ref('silver_market_highs') }} h
join {{ ref('silver_market_averages') }} a on a.symbol = h.symbol and a.price_date = h.price_date
join {{ ref('silver_securities') }} s
  on s.symbol = h.symbol
  and h.price_date >= cast(s.valid_from as date)
  and h.price_date < cast(s.valid_to as date)
left join {{ ref('silver_financials') }} f
  on f.company_id = s.company_id
  and h.price_date >= f.quarter_start
  and h.price_date < f.next_quarter_start
