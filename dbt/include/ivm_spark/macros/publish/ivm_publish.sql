{#- Bring the table that the model publishes up to its state, in one commit. What else is under the
    model's name is dropped first: a view, or a table that is not Delta's. -#}
{% macro ivm_publish_state(target, existing, refresh) -%}
  {%- set fits = existing is not none and existing.is_delta and not existing.is_view -%}
  {%- if existing is not none and not fits -%}
    {%- do adapter.ivm_drop_shown(existing) -%}
  {%- endif -%}
  {%- for publication in refresh.publications(fits) -%}
    {%- do refresh.publish(publication, ivm_publish(target, publication)) -%}
    {%- if publication.way.value == 'create' and not refresh.again -%}
      {%- do persist_docs(target, model, for_relation=false) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro %}

{#- Return the statement that writes a published table. -#}
{% macro ivm_publish(target, publication) -%}
  {%- if publication.changes is not none -%}
    {{ return(ivm_publish_changes(target, publication)) }}
  {%- endif -%}
  {{ return(ivm_publish_rows(target, publication)) }}
{%- endmacro %}

{#- Return the statement that writes all rows: an INSERT OVERWRITE, or a CREATE OR REPLACE TABLE if
    the columns or the layout are others. -#}
{% macro ivm_publish_rows(target, publication) -%}
  {{ return(adapter.dispatch('ivm_publish_rows', 'dbt')(target, publication)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_publish_rows(target, publication) -%}
{%- if publication.way.value == 'overwrite' -%}
insert overwrite {{ ivm_quoted(target) }}
{%- else -%}
create or replace table {{ ivm_quoted(target) }}
using delta
{{ ivm_state_partitions(publication) }}
{{ ivm_state_properties(publication.table.properties) }}
{{ ivm_state_location(target, publication) }}
{{ comment_clause() }}
as
{%- endif %}
{{ publication.select }}
{%- endmacro %}

{#- Return the MERGE that applies the changes of the state to the published table. Rows with a key
    are matched by it. Of any other row that was taken away, all copies are deleted, and those that
    are left are inserted again. -#}
{% macro ivm_publish_changes(target, publication) -%}
  {{ return(adapter.dispatch('ivm_publish_changes', 'dbt')(target, publication)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_publish_changes(target, publication) -%}
{%- set keyed = publication['keys'] | length > 0 -%}
merge into {{ ivm_quoted(target) }} as t
using (
with ivm_rows as (
  {{ ivm_feed_rows(publication.changes) | indent(2) }}
),
ivm_net as (
  select ivm_keys, ivm_row, sum(ivm_weight) as ivm_weight
  from ivm_rows
  group by ivm_keys, ivm_row
  having sum(ivm_weight) <> 0
),
{%- if keyed %}
ivm_found as (
  select
    any_value(if(ivm_weight > 0, ivm_row, null), true) as ivm_new,
    any_value(if(ivm_weight < 0, ivm_row, null), true) as ivm_old
  from ivm_net
  group by ivm_keys
)
select coalesce(ivm_new, ivm_old) as ivm_row, ivm_new is null as ivm_gone from ivm_found
{%- else %}
ivm_lost as (
  select ivm_row from ivm_net where ivm_weight < 0
),
ivm_contents as (
  {{ ivm_feed_rows(publication.contents) | indent(2) }}
),
ivm_left as (
  select ivm_contents.ivm_row, sum(ivm_weight) as ivm_weight
  from ivm_contents
  left semi join ivm_lost on ivm_contents.ivm_row <=> ivm_lost.ivm_row
  group by ivm_contents.ivm_row
),
ivm_copies as (
  select ivm_row, ivm_weight from ivm_net where ivm_weight > 0
  union all
  select ivm_row, ivm_weight from ivm_left
)
select ivm_row, true as ivm_gone from ivm_lost
union all
select ivm_row, false as ivm_gone from ivm_copies
lateral view explode(array_repeat(0, cast(ivm_weight as int))) ivm_each as ivm_copy
{%- endif %}
) as s
on {{ 'true' if keyed else 's.ivm_gone' }}
{%- for name in (publication['keys'] or publication.columns) %}
  and t.{{ adapter.quote(name) }} <=> s.ivm_row.{{ adapter.quote(name) }}
{%- endfor %}
when matched {{ 'and s.ivm_gone' if keyed }} then delete
{%- if keyed and publication['keys'] | length < publication.columns | length %}
when matched then update set
  {%- for name in publication.columns if name not in publication['keys'] %}
  {{ adapter.quote(name) }} = s.ivm_row.{{ adapter.quote(name) }}{{ ',' if not loop.last }}
  {%- endfor %}
{%- endif %}
when not matched and not s.ivm_gone then insert (
  {%- for name in publication.columns %}{{ adapter.quote(name) }}{{ ', ' if not loop.last }}{% endfor -%}
) values (
  {%- for name in publication.columns %}
  s.ivm_row.{{ adapter.quote(name) }}{{ ',' if not loop.last }}
  {%- endfor %}
)
{%- endmacro %}
