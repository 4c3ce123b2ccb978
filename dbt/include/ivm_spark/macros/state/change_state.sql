{#- Bring the state up to date: one statement, one commit; again if another run was first. -#}
{% macro ivm_change_state(state, refresh) -%}
  {%- for attempt in refresh.attempts if refresh.again -%}
    {%- for name, query in refresh.kept() -%}
      {%- do refresh.keep(name, ivm_keep(name, query)) -%}
    {%- endfor -%}
    {%- if refresh.again -%}
      {%- do refresh.commit(ivm_apply(state, refresh.plan)) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- if refresh.again -%}
    {%- do exceptions.raise_database_error('Model ' ~ model.unique_id ~ ': other runs changed '
        ~ state ~ ' each time while this one refreshed it. Run it again when they have ended.') -%}
  {%- endif -%}
{%- endmacro %}
