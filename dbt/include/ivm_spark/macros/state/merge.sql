{#- Return the MERGE for every kind of change. Its source has one row for each changed key. -#}
{% macro ivm_merge(state, statements) -%}
  {{ return(adapter.dispatch('ivm_merge', 'dbt')(state, statements)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_merge(state, statements) -%}
{%- set merge = statements.template -%}
merge into {{ ivm_quoted(state) }} as t
using (
{{ merge.source }}
) as s
on {{ merge.on }}
{%- if merge.delete_when %}
when matched and {{ merge.delete_when }} then delete
{%- endif %}
{%- if merge.update_when %}
when matched and ({{ merge.update_when }}) then update set
{%- for column, value in merge.updates %}
  {{ adapter.quote(column) }} = {{ value }}{{ ',' if not loop.last }}
{%- endfor %}
{%- endif %}
when not matched and {{ merge.insert_when }} then insert (
{%- for column, value in merge.inserts %}{{ adapter.quote(column) }}{{ ', ' if not loop.last }}{% endfor -%}
) values (
{%- for column, value in merge.inserts %}
  {{ value }}{{ ',' if not loop.last }}
{%- endfor %}
)
{%- endmacro %}
