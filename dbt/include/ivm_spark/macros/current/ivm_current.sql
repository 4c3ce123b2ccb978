{#- Return an ivm model's view as a refresh would leave it now, as a subquery for a FROM clause.

    The subquery reads the state and the changes of its sources since the last refresh, at the
    versions that they have when it is made. It writes nothing. -#}
{% macro ivm_current(relation) -%}
  {%- if not execute -%}
    {{ return('(select 1 as parsing)') }}
  {%- endif -%}
  {%- set reader = adapter.ivm_current() -%}
  {{ return('(\n' ~ reader.sql(ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation))) ~ '\n)') }}
{%- endmacro %}
