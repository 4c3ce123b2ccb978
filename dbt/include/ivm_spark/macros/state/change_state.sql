{#- Bring the state up to date by one statement and one commit; repeat that if another run commits
    first. -#}
{% macro ivm_change_state(state, refresh) -%}
  {%- for attempt in refresh.attempts() -%}
    {%- for name, query in refresh.materializations() -%}
      {%- do refresh.keep(name, ivm_keep(name, query)) -%}
    {%- endfor -%}
    {%- if refresh.again -%}
      {%- do refresh.commit(ivm_apply(state, refresh.plan)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro %}
