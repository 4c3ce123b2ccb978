{#- Return the Delta table that holds the state of a view. -#}
{% macro ivm_state_relation(relation) -%}
  {{ return(adapter.dispatch('ivm_state_relation', 'dbt')(relation)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_state_relation(relation) -%}
  {{ return(api.Relation.create(
      schema=relation.schema, identifier=relation.identifier ~ '__ivm', type='table'
  )) }}
{%- endmacro %}
