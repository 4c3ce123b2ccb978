{#- Return the INSERT of the grouped change. Now and then it is an INSERT OVERWRITE of all rows,
    added up. -#}
{% macro ivm_insert(state, statements) -%}
  {{ return(adapter.dispatch('ivm_insert', 'dbt')(state, statements)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_insert(state, statements) -%}
{%- set parts = statements.template -%}
insert {{ 'overwrite' if parts.overwrite else 'into' }} {{ ivm_quoted(state) }} (
  {%- for column in parts.columns %}{{ adapter.quote(column) }}{{ ', ' if not loop.last }}{% endfor -%}
)
{{ parts.source }}
{%- endmacro %}
