select
  prospect_id,
  upper(trim(last_name)) as last_name,
  upper(trim(first_name)) as first_name,
  city,
  income,
  cars,
  credit_rating,
  net_worth,
  concat_ws('+',
    if(net_worth > 1000000 or income > 200000, 'HighValue', null),
    if(cars > 3, 'Cars', null),
    if(credit_rating < 600 or income < 50000, 'MoneyAlert', null)
  ) as tags
from {{ source('brokerage', 'prospects') }}
where income > 0
