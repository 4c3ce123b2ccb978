{#- Return the statement that materializes a relation that the MERGE reads more than once. -#}
{% macro ivm_keep(name, query) -%}
  {{ return(adapter.dispatch('ivm_keep', 'dbt')(name, query)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_keep(name, query) -%}
cache table {{ name }} as
{{ query }}
{%- endmacro %}
