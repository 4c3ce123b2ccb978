-- a change names only what it changes: each column keeps its last known value
select
  change_id,
  customer_id,
  action,
  changed_at,
  last_value(tax_id, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as tax_id,
  last_value(gender, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as gender,
  last_value(tier, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as tier,
  last_value(birth_date, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as birth_date,
  last_value(last_name, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as last_name,
  last_value(first_name, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as first_name,
  last_value(middle_initial, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as middle_initial,
  last_value(address_1, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as address_1,
  last_value(address_2, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as address_2,
  last_value(postal_code, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as postal_code,
  last_value(city, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as city,
  last_value(state, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as state,
  last_value(country, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as country,
  last_value(phone_1, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as phone_1,
  last_value(phone_2, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as phone_2,
  last_value(phone_3, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as phone_3,
  last_value(email_1, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as email_1,
  last_value(email_2, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as email_2,
  last_value(local_tax, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as local_tax,
  last_value(national_tax, true) over (
    partition by customer_id order by changed_at, change_id
    rows between unbounded preceding and current row
  ) as national_tax
from {{ ref('bronze_customer_changes') }}
