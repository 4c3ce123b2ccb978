{#- Return the Delta table that holds the state of a view. -#}
{% macro ivm_state_relation(relation) -%}
  {{ return(adapter.dispatch('ivm_state_relation', 'dbt')(relation)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_state_relation(relation) -%}
  {{ return(api.Relation.create(
      database=relation.database, schema=relation.schema,
      identifier=relation.identifier ~ '__ivm', type='table'
  )) }}
{%- endmacro %}

{#- Return the Delta table in which a build in parts collects the new contents of a state. -#}
{% macro ivm_parts_relation(state) -%}
  {{ return(adapter.dispatch('ivm_parts_relation', 'dbt')(state)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_parts_relation(state) -%}
  {{ return(api.Relation.create(
      database=state.database, schema=state.schema,
      identifier=state.identifier ~ '_parts', type='table'
  )) }}
{%- endmacro %}
