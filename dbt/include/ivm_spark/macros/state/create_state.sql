{#- A full build: readers see the old contents until it commits. -#}
{% macro ivm_create_state(state, plan) -%}
  {{ return(adapter.dispatch('ivm_create_state', 'dbt')(state, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_create_state(state, plan) -%}
create or replace table {{ ivm_quoted(state) }}
using delta
{{ ivm_state_partitions(plan) }}
{{ ivm_state_properties() }}
{{ ivm_state_location(state) }}
as
{{ plan.fill }}
{%- endmacro %}

{#- partition_by and liquid_clustered_by, where the state has the columns. -#}
{% macro ivm_state_partitions(plan) -%}
  {%- set clustered = config.get('liquid_clustered_by') -%}
  {%- if config.get('partition_by') -%}
    {{ partition_cols(label='partitioned by') }}
  {%- elif clustered -%}
    cluster by ({{ (([clustered] if clustered is string else clustered)) | join(', ') }})
  {%- endif -%}
{%- endmacro %}

{% macro ivm_state_properties() -%}
  {%- set properties = {
      'delta.enableChangeDataFeed': (config.get('emit_changes', true) is not sameas false) | lower
  } -%}
  {%- do properties.update(config.get('tblproperties') or {}) -%}
tblproperties (
  {%- for key, value in properties.items() %}
  {{ adapter.ivm_literal(key) }} = {{ adapter.ivm_literal(value) }}{{ ',' if not loop.last }}
  {%- endfor %}
)
{%- endmacro %}

{% macro ivm_state_location(state) -%}
  {%- if config.get('location_root') -%}
location {{ adapter.ivm_literal(config.get('location_root') ~ '/' ~ state.identifier) }}
  {%- endif -%}
{%- endmacro %}
