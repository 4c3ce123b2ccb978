{#- What the MERGE reads more than once is computed once: statements in the order they need. -#}
{% macro ivm_keep(plan) -%}
  {{ return(adapter.dispatch('ivm_keep', 'dbt')(plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_keep(plan) -%}
  {%- set statements = [] -%}
  {%- for name, query in plan.merge.kept -%}
    {%- do statements.append('cache table ' ~ name ~ ' as\n' ~ query) -%}
  {%- endfor -%}
  {{ return(statements) }}
{%- endmacro %}
