{#- Alter the state's table for a changed configuration, as far as ALTER TABLE can. The rows stay
    as they are. -#}
{% macro ivm_alter_state(state, alteration) -%}
  {{ return(adapter.dispatch('ivm_alter_state', 'dbt')(state, alteration)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_alter_state(state, alteration) -%}
  {%- if alteration.dropped -%}
    {%- call statement('unset_properties') -%}
alter table {{ ivm_quoted(state) }} unset tblproperties if exists (
  {%- for key in alteration.dropped %}
  {{ adapter.ivm_literal(key) }}{{ ',' if not loop.last }}
  {%- endfor %}
)
    {%- endcall -%}
  {%- endif -%}
  {%- if alteration.properties -%}
    {%- call statement('set_properties') -%}
alter table {{ ivm_quoted(state) }} set {{ ivm_state_properties(alteration.properties) }}
    {%- endcall -%}
  {%- endif -%}
  {%- if alteration.clusters is not none -%}
    {%- call statement('cluster') -%}
alter table {{ ivm_quoted(state) }} cluster by
  {%- if alteration.clusters %} ({{ alteration.clusters | join(', ') }}) {%- else %} none {%- endif %}
    {%- endcall -%}
  {%- endif -%}
{%- endmacro %}
