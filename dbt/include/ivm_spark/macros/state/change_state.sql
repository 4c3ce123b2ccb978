{#- Bring the state up to date by one statement and one commit; repeat that if another run commits
    first. A rebuild may collect the state's new contents part by part before. -#}
{% macro ivm_change_state(state, refresh) -%}
  {%- for attempt in refresh.attempts() -%}
    {%- for part in refresh.parts() -%}
      {%- do refresh.build(part, ivm_build_part(ivm_parts_relation(state), refresh.plan, part)) -%}
    {%- endfor -%}
    {%- for name, query in refresh.materializations() -%}
      {%- do refresh.keep(name, ivm_keep(name, query)) -%}
    {%- endfor -%}
    {%- if refresh.is_ready -%}
      {%- do ivm_alter_state(state, refresh.alteration()) -%}
      {%- do refresh.commit(ivm_apply(state, refresh.plan)) -%}
    {%- endif -%}
  {%- endfor -%}
{%- endmacro %}
