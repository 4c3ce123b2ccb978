{#- A SELECT of the whole numbers from 1 to `upto`, as column `number`. It reads no table: it
    cross-joins as many pairs of binary digits as `upto` has.

    {{ numbers(31) }} -#}
{% macro numbers(upto) %}
  {%- set digits = namespace(count=1) -%}
  {%- for count in range(2, 21) if 2 ** (count - 1) < upto -%}
    {%- set digits.count = count -%}
  {%- endfor -%}
  with digit as (
    select 0 as bit
    union all
    select 1 as bit
  ),
  counted as (
    select
      {% for place in range(digits.count) -%}
      d{{ place }}.bit * power(2, {{ place }}) +
      {% endfor -%}
      1 as number
    from digit as d0
    {%- for place in range(1, digits.count) %}
    cross join digit as d{{ place }}
    {%- endfor %}
  )
  select cast(number as int) as number
  from counted
  where number <= {{ upto }}
{% endmacro %}
