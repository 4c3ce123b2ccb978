{#- Return the statement that adds a part to the new contents of a state. -#}
{% macro ivm_build_part(parts, plan, part) -%}
  {{ return(adapter.dispatch('ivm_build_part', 'dbt')(parts, plan, part)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_build_part(parts, plan, part) -%}
{%- if part.is_first -%}
create or replace table {{ ivm_quoted(parts) }}
using delta
{{ ivm_state_properties(plan.table.properties) }}
as
{%- else -%}
insert into {{ ivm_quoted(parts) }}
{%- endif %}
{{ part.select }}
{%- endmacro %}
