{#- The same as a change of the view that is there, of which readers see all or nothing; CREATE OR
    REPLACE VIEW drops it first. -#}
{% macro ivm_alter_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_alter_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_alter_view(target, plan) -%}
alter view {{ ivm_quoted(target) }} as
{{ plan.altered }}
{%- endmacro %}

{#- The view's mark, after its text, so that a run that ends between the two leaves a view that the
    next run alters again. -#}
{% macro ivm_mark_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_mark_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_mark_view(target, plan) -%}
alter view {{ ivm_quoted(target) }}
set tblproperties ('ivm_spark.fingerprint' = '{{ plan.shown }}', 'ivm_spark.row' = '{{ plan.row }}')
{%- endmacro %}
