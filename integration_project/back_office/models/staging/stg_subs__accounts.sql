select
  'billing' as source_relation,
  cast(id as bigint) as account_id,
  name as account_name,
  country,
  industry,
  cast(signed_up_on as date) as signed_up_on
from {{ source('subs', 'raw_subs_accounts') }}
