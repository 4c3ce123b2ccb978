with numbered as (

  select
    *,
    row_number() over (partition by id order by created_at desc, characters desc) as copy_number
  from {{ source('desk', 'raw_desk_comments') }}

)

select
  cast(id as bigint) as comment_id,
  cast(ticket_id as bigint) as ticket_id,
  cast(author_id as bigint) as author_id,
  cast(is_public as boolean) as is_public,
  cast(characters as int) as characters,
  cast(created_at as {{ dbt.type_timestamp() }}) as created_at
from numbered
where copy_number = 1
