select
  cast(id as bigint) as conversion_id,
  cast(account_id as bigint) as account_id,
  kind,
  cast(amount as {{ dbt.type_numeric() }}) as amount,
  cast(converted_at as {{ dbt.type_timestamp() }}) as converted_at
from {{ source('web', 'raw_web_conversions') }}
