{#- Changes of a state of many rows are written beside its files, which are not written anew. -#}
{% macro ivm_write_apart(state) -%}
  {{ return(adapter.dispatch('ivm_write_apart', 'dbt')(state)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_write_apart(state) -%}
alter table {{ ivm_quoted(state) }} set tblproperties ('delta.enableDeletionVectors' = 'true')
{%- endmacro %}
