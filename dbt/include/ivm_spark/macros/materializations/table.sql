{#- dbt-spark's table. If an ivm model's view or table was here before, its state is dropped. -#}
{% materialization table, adapter='ivm_spark', supported_languages=['sql', 'python'] -%}
  {%- set state = adapter.ivm_state_of(this) -%}
  {%- set built = materialization_table_spark() -%}
  {%- do drop_relation_if_exists(state) -%}
  {{ return(built) }}
{%- endmaterialization %}
