{#- Return the statement of a full build. Readers see the old contents until it commits. -#}
{% macro ivm_create_state(state, plan) -%}
  {{ return(adapter.dispatch('ivm_create_state', 'dbt')(state, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_create_state(state, plan) -%}
create or replace table {{ ivm_quoted(state) }}
using delta
{{ ivm_state_partitions(plan) }}
{{ ivm_state_properties(plan.table.properties) }}
{{ ivm_state_location(state, plan) }}
as
{{ plan.fill }}
{%- endmacro %}

{#- Return the clause for partition_by or liquid_clustered_by, if the state has the columns. -#}
{% macro ivm_state_partitions(plan) -%}
  {%- if plan.table.partitions -%}
    partitioned by ({{ plan.table.partitions | join(', ') }})
  {%- elif plan.table.clusters -%}
    cluster by ({{ plan.table.clusters | join(', ') }})
  {%- endif -%}
{%- endmacro %}

{% macro ivm_state_properties(properties) -%}
tblproperties (
  {%- for key, value in properties.items() %}
  {{ adapter.ivm_literal(key) }} = {{ adapter.ivm_literal(value) }}{{ ',' if not loop.last }}
  {%- endfor %}
)
{%- endmacro %}

{% macro ivm_state_location(state, plan) -%}
  {%- if plan.table.location -%}
location {{ adapter.ivm_literal(plan.table.location ~ '/' ~ state.identifier) }}
  {%- endif -%}
{%- endmacro %}
