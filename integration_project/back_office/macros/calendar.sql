{#- A SELECT with one row for each `part` (day, week or month) from `first` to `last`, as column
    `period_start`. Both are dates as text, yyyy-mm-dd.

    {{ calendar('month', '2025-01-01', '2025-12-31') }} -#}
{% macro calendar(part, first, last) %}
  {%- set start = modules.datetime.date.fromisoformat(first) -%}
  {%- set end = modules.datetime.date.fromisoformat(last) -%}
  {%- if part == 'month' -%}
    {%- set periods = (end.year - start.year) * 12 + end.month - start.month + 1 -%}
  {%- else -%}
    {%- set periods = (end - start).days // {'day': 1, 'week': 7}[part] + 1 -%}
  {%- endif -%}
  with series as (
    {{ numbers(periods) }}
  ),
  periods as (
    select row_number() over (order by number) - 1 as ahead
    from series
  )
  select cast({{ dbt.dateadd(part, 'ahead', "cast('" ~ first ~ "' as date)") }} as date) as period_start
  from periods
{% endmacro %}
