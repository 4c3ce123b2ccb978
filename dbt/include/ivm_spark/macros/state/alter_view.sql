{#- Return the ALTER VIEW of an existing view. Readers see all of the change or nothing of it.
    CREATE OR REPLACE VIEW would drop the view first. -#}
{% macro ivm_alter_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_alter_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_alter_view(target, plan) -%}
alter view {{ ivm_quoted(target) }} as
{{ plan.altered }}
{%- endmacro %}

{#- Return the statement that sets the view's properties after its text. If a run ends between the
    two, the next run alters the view again. -#}
{% macro ivm_mark_view(target, plan) -%}
  {{ return(adapter.dispatch('ivm_mark_view', 'dbt')(target, plan)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_mark_view(target, plan) -%}
alter view {{ ivm_quoted(target) }}
set tblproperties ('ivm_spark.fingerprint' = '{{ plan.shown }}', 'ivm_spark.row' = '{{ plan.row }}')
{%- endmacro %}
