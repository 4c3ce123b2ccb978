{#- dbt-spark's macros that know one catalog only, for any catalog. -#}

{#- A node's `database`, or the profile's, is its catalog, as in dbt-databricks. -#}
{% macro ivm_spark__generate_database_name(custom_database_name=none, node=none) -%}
  {{ return(default__generate_database_name(custom_database_name, node) or none) }}
{%- endmacro %}

{% macro ivm_spark__list_relations_without_caching(relation) %}
  {% call statement('list_relations_without_caching', fetch_result=True) -%}
    show table extended in {{ ivm_schema(relation) }} like '*'
  {% endcall %}
  {{ return(load_result('list_relations_without_caching').table) }}
{% endmacro %}

{% macro ivm_spark__list_schemas(database) -%}
  {%- set catalog = api.Relation.create(database=database).other_catalog -%}
  {% call statement('list_schemas', fetch_result=True, auto_begin=False) %}
    show databases {%- if catalog %} in {{ adapter.quote(catalog) }}{% endif %}
  {% endcall %}
  {{ return(load_result('list_schemas').table) }}
{% endmacro %}

{% macro ivm_schema(relation) -%}
  {%- if relation.other_catalog -%} {{ adapter.quote(relation.other_catalog) }}. {%- endif -%}
  {{ relation.schema }}
{%- endmacro %}

{#- Delta clones tables of its own format without their files; of another format, rows are copied. -#}
{% macro ivm_spark__create_or_replace_clone(this_relation, defer_relation) %}
  {%- set cloned = ivm_found(defer_relation) -%}
  {%- if cloned is not none and cloned.is_iceberg %}
    create or replace table {{ this_relation }} using delta as select * from {{ defer_relation }}
  {%- else %}
    {{ spark__create_or_replace_clone(this_relation, defer_relation) }}
  {%- endif %}
{% endmacro %}
