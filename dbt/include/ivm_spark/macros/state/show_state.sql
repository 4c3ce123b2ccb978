{#- Let the model's view read the present state, or bring the table that it publishes up to it; do
    nothing if it fits already. -#}
{% macro ivm_show_state(target, existing, refresh) -%}
  {%- if refresh.publishes -%}
    {%- do ivm_publish_state(target, existing, refresh) -%}
  {%- elif refresh.plan.view -%}
    {%- if existing is not none and not existing.is_view -%}
      {%- do adapter.ivm_drop_shown(existing) -%}
    {%- endif -%}
    {%- if refresh.plan.alters -%}
      {%- do refresh.show(ivm_alter_view(target, refresh.plan)) -%}
      {%- if not refresh.again -%}
        {%- do refresh.show(ivm_mark_view(target, refresh.plan)) -%}
      {%- endif -%}
    {%- else -%}
      {%- do refresh.show(ivm_create_view(target, refresh.plan)) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}
