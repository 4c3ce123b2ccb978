{#- Starts Spark and makes the schema. -#}
{% macro start() %}
  {%- do run_query('create schema if not exists ' ~ target.schema) -%}
{% endmacro %}
