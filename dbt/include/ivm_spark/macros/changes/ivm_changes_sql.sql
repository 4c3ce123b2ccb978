{#- Return the SELECT of a view's changes. It reads each row of the state's feed as the view shows
    it, cancels what was added and removed, and pairs the old and the new row of a key. -#}
{% macro ivm_changes_sql(reader, view_name, feed) -%}
  {{ return(adapter.dispatch('ivm_changes_sql', 'dbt')(reader, view_name, feed)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_changes_sql(reader, view_name, feed) -%}
(
with ivm_rows as (
{%- if feed.row is none %}
  {{ ivm_whole_rows(reader, view_name, feed) | indent(2) }}
{%- else %}
  {{ ivm_feed_rows(feed) | indent(2) }}
{%- endif %}
),
ivm_net as (
  select ivm_keys, ivm_row, ivm_part, sum(ivm_weight) as ivm_weight, max(ivm_version) as ivm_version,
    max(ivm_time) as ivm_time
  from ivm_rows
  group by ivm_keys, ivm_row, ivm_part
  having sum(ivm_weight) <> 0
),
ivm_found as (
{%- if feed.paired %}
  select
    any_value(if(ivm_weight > 0, ivm_row, null), true) as ivm_new,
    any_value(if(ivm_weight < 0, ivm_row, null), true) as ivm_old,
    max(ivm_version) as ivm_version, max(ivm_time) as ivm_time
  from ivm_net
  group by ivm_keys, ivm_part
{%- else %}
  select if(ivm_weight > 0, ivm_row, null) as ivm_new, if(ivm_weight < 0, ivm_row, null) as ivm_old,
    ivm_version, ivm_time
  from ivm_net
  lateral view explode(array_repeat(0, cast(abs(ivm_weight) as int))) ivm_copies as ivm_copy
{%- endif %}
),
ivm_told as (
  select coalesce(ivm_new, ivm_old) as ivm_row,
    case when ivm_old is null then 'I' when ivm_new is null then 'D' else 'U' end as `__ivm_change`,
    if(ivm_new is not null, ivm_old, null) as `__ivm_old`,
    element_at(map(
      {%- for version, refresh in feed.refreshes -%}
        {{ version }}L, {{ refresh }}{{ ', ' if not loop.last }}
      {%- endfor -%}
    ), ivm_version) as `__ivm_refresh`,
    ivm_version as `__ivm_version`, ivm_time as `__ivm_time`
  from ivm_found
)
select ivm_row.*, `__ivm_change`, `__ivm_old`, `__ivm_refresh`, `__ivm_version`, `__ivm_time`
from ivm_told
)
{%- endmacro %}

{#- Return each row of the state's feed as the view shows it, with its weight. -#}
{% macro ivm_feed_rows(feed) -%}
{%- set row = feed.row -%}
select
  named_struct(
    {%- for name, value in row.columns -%}
      {{ adapter.ivm_literal(name) }}, {{ value }}{{ ', ' if not loop.last }}
    {%- endfor -%}
  ) as ivm_row,
  {% if feed.paired -%}
  struct({%- for key in row['keys'] -%}{{ adapter.quote(key) }}{{ ', ' if not loop.last }}{%- endfor -%})
  {%- else -%} 0 {%- endif %} as ivm_keys,
  {{ 'ivm_version' if feed.form == 'transactional' else 0 }} as ivm_part,
  ivm_sign {%- if row.copies %} * {{ adapter.quote(row.copies) }}{% endif %} as ivm_weight,
  ivm_version,
  ivm_time
from (
{%- if feed.since is none %}
  select *, 1 as ivm_sign, {{ feed.last }}L as ivm_version,
    timestamp_millis({{ feed.committed }}L) as ivm_time
  from {{ feed.state }} version as of {{ feed.last }}
{%- else %}
  select *, if(_change_type in ('insert', 'update_postimage'), 1, -1) as ivm_sign,
    _commit_version as ivm_version, _commit_timestamp as ivm_time
  from table_changes_by_path({{ adapter.ivm_literal(feed.location) }}, {{ feed.first }}, {{ feed.last }})
{%- endif %}
) as state
where {{ 'false' if feed.empty else 'true' }}
{%- for condition in row.conditions %} and ({{ condition }}){% endfor %}
{%- endmacro %}

{#- Return all rows of the view after the changes and before them. For views whose rows depend on
    one another. -#}
{% macro ivm_whole_rows(reader, view_name, feed) -%}
{%- set texts = reader.whole(view_name, feed) -%}
{%- for text in (texts[:1] if feed.since is none else texts) %}
{{ 'union all' if not loop.first }}
select struct(*) as ivm_row, 0 as ivm_keys, 0 as ivm_part, {{ 1 if loop.first else -1 }} as ivm_weight,
  {{ feed.last }}L as ivm_version,
    timestamp_millis({{ feed.committed }}L) as ivm_time
from ({{ text }}) as ivm_view ({{ reader.names(view_name) }})
{%- endfor %}
{%- endmacro %}
