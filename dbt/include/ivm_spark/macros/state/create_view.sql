{#- Return the CREATE VIEW of what everybody reads: the query's columns over the state, with their
    names, types and order. -#}
{% macro ivm_create_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_create_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_create_view(target, plan) -%}
{%- set documented = model.columns if config.persist_column_docs() else {} -%}
create or replace view {{ ivm_quoted(target) }} (
{%- for name, type in plan.outputs %}
  {{ adapter.quote(name) }}
  {%- if name in documented and documented[name].description %} comment {{
    adapter.ivm_literal(documented[name].description) }}{% endif -%}
  {{ ',' if not loop.last }}
{%- endfor %}
)
{{ comment_clause() }}
tblproperties ('ivm_spark.fingerprint' = '{{ plan.shown }}', 'ivm_spark.row' = '{{ plan.row }}')
as
{{ plan.view }}
{%- endmacro %}
