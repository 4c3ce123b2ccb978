{#- What everybody reads: the query's columns, names, types and order over the state. -#}
{% macro ivm_create_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_create_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_create_view(target, plan) -%}
{%- set documented = model.columns if config.persist_column_docs() else {} -%}
create or replace view {{ ivm_quoted(target) }} (
{%- for name, type in plan.outputs %}
  {{ get_column_comment_sql(name, documented) | trim }}{{ ',' if not loop.last }}
{%- endfor %}
)
{{ comment_clause() }}
tblproperties ('ivm_spark.fingerprint' = '{{ plan.shown }}', 'ivm_spark.row' = '{{ plan.row }}')
as
{{ plan.view }}
{%- endmacro %}
