{#- The tracker sends some page views twice; the first one to arrive counts. -#}
with arrivals as (

  select
    *,
    row_number() over (partition by id order by loaded_at, viewed_at) as arrival
  from {{ source('web', 'raw_web_page_views') }}

)

select
  'tracker' as source_relation,
  cast(id as bigint) as page_view_id,
  visitor_id,
  url_path,
  nullif(referrer, '') as referrer,
  {{ dbt.split_part(dbt.split_part('referrer', "'//'", 2), "'/'", 1) }} as referrer_host,
  coalesce(nullif(utm_source, ''), case when referrer is null or referrer = '' then 'direct' else 'referral' end)
    as utm_source,
  coalesce(nullif(utm_campaign, ''), '(none)') as utm_campaign,
  cast(seconds_on_page as double) as seconds_on_page,
  cast(viewed_at as {{ dbt.type_timestamp() }}) as viewed_at
from arrivals
where arrival = 1
