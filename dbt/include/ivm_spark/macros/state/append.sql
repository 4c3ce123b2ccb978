{#- One INSERT of the grouped change; now and then it takes the place of all rows, added up. -#}
{% macro ivm_append(state, plan) -%}
  {{ return(adapter.dispatch('ivm_append', 'dbt')(state, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_append(state, plan) -%}
{%- set append = plan.merge -%}
insert {{ 'overwrite' if append.overwrite else 'into' }} {{ ivm_quoted(state) }} (
  {%- for column in append.columns %}{{ adapter.quote(column) }}{{ ', ' if not loop.last }}{% endfor -%}
)
{{ append.source }}
{%- endmacro %}
