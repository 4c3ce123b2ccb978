select
  visitor_id,
  cast(account_id as bigint) as account_id,
  cast(identified_at as {{ dbt.type_timestamp() }}) as identified_at
from {{ source('web', 'raw_web_identities') }}
