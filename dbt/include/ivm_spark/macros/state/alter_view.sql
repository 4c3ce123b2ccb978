{#- The same as a change of the view that is there, of which readers see all or nothing; CREATE OR
    REPLACE VIEW drops it first. Its mark comes after, so that a run that ends between the two
    leaves a view that the next run alters again. -#}
{% macro ivm_alter_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_alter_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_alter_view(target, plan) -%}
  {%- call statement('view') -%}
alter view {{ ivm_quoted(target) }} as
{{ plan.altered }}
  {%- endcall -%}
  {%- call statement('mark') -%}
alter view {{ ivm_quoted(target) }}
set tblproperties ('ivm_spark.fingerprint' = '{{ plan.shown }}', 'ivm_spark.row' = '{{ plan.row }}')
  {%- endcall -%}
{%- endmacro %}
