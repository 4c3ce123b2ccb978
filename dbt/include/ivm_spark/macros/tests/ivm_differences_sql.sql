{#- Return the SELECT of the rows that a view and its query have in different numbers of copies. It
    reads each side once. The first step compares floats in twelve digits. The second step pairs the
    rows that are left over on both sides, and drops the pairs that differ by rounding alone. -#}
{% macro ivm_differences_sql(comparison, where=none) -%}
  {{ return(adapter.dispatch('ivm_differences_sql', 'dbt')(comparison, where)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_differences_sql(comparison, where) -%}
{%- set exact = [] -%}
{%- set floats = [] -%}
{%- for column in comparison.columns -%}
  {%- do (floats if column.inexact else exact).append(loop.index) -%}
{%- endfor -%}
with ivm_rows as (
  {{ ivm_side(comparison, comparison.shown, 1, where) | indent(2) }}
  union all
  {{ ivm_side(comparison, comparison.wanted, -1, where) | indent(2) }}
),
ivm_found as (
  select
    {%- for column in comparison.columns %}
    any_value(ivm_c{{ loop.index }}) as ivm_v{{ loop.index }}, ivm_k{{ loop.index }},
    {%- endfor %}
    sum(ivm_weight) as ivm_weight
  from ivm_rows
  group by {% for column in comparison.columns -%}
    ivm_k{{ loop.index }}{{ ', ' if not loop.last }}{% endfor %}
  having sum(ivm_weight) <> 0
)
{%- if floats %},
ivm_placed as (
  select *, row_number() over (
    partition by {% for n in exact %}ivm_k{{ n }}, {% endfor %}ivm_weight
    order by {% for n in floats %}ivm_v{{ n }}{{ ', ' if not loop.last }}{% endfor %}
  ) as ivm_place
  from ivm_found
),
ivm_paired as (
  select *, count(*) over ivm_pair = 2
    {%- for n in floats %}
    and {{ ivm_close('ivm_v' ~ n) | indent(4) }}
    {%- endfor %} as ivm_close
  from ivm_placed
  window ivm_pair as (
    partition by {% for n in exact %}ivm_k{{ n }}, {% endfor %}abs(ivm_weight), ivm_place)
)
{%- endif %}
select
  {%- for column in comparison.columns %}
  ivm_v{{ loop.index }} as {{ column.name }},
  {%- endfor %}
  if(ivm_weight > 0, 'surplus', 'missing') as ivm_difference, abs(ivm_weight) as ivm_copies
from {{ 'ivm_paired where not ivm_close' if floats else 'ivm_found' }}
{%- endmacro %}

{#- Return the compared rows of one side. -#}
{% macro ivm_side(comparison, query, weight, where) -%}
select
  {%- for column in comparison.columns %}
  {{ column.name }} as ivm_c{{ loop.index }}, {{ column.compared }} as ivm_k{{ loop.index }},
  {%- endfor %}
  {{ weight }} as ivm_weight
from (
{{ query }}
) as ivm_side ({{ comparison.names | join(', ') }})
where {{ '(' ~ where ~ ')' if where else 'true' }}
{%- if comparison.sampled %} and {{ comparison.sampled }}{% endif %}
{%- if comparison.live %} and {{ comparison.live }}{% endif %}
{%- endmacro %}

{#- Return whether the two values of a pair agree in eleven digits, or are both NULL. -#}
{% macro ivm_close(value) -%}
(count({{ value }}) over ivm_pair = 0
  or (count({{ value }}) over ivm_pair = 2
    and (max({{ value }}) over ivm_pair = min({{ value }}) over ivm_pair
      or max({{ value }}) over ivm_pair - min({{ value }}) over ivm_pair < 1e-11
        * greatest(abs(max({{ value }}) over ivm_pair), abs(min({{ value }}) over ivm_pair)))))
{%- endmacro %}
