{#- Return the history of an ivm model with GROUP BY, as a subquery for a FROM clause: each row that
    its view has had, with the time from which and until which it was there.

    since   the refresh to begin with, as for ivm_changes; without it, the first one that the
            state's log still has since the model's SQL last changed

    The columns are the view's and these: `valid_from`, `valid_to` (NULL for a row that is there
    now) and `is_current`. -#}
{% macro ivm_history(relation, since=none) -%}
  {%- if not execute -%}
    {{ return('(select 1 as parsing)') }}
  {%- endif -%}
  {%- set feeds = adapter.ivm_feed().history(
      ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation)), since) -%}
  {{ return(ivm_history_sql(feeds[0], feeds[1])) }}
{%- endmacro %}

{#- Return the SELECT of a view's history, from its contents at a refresh and its changes since. -#}
{% macro ivm_history_sql(contents, changes) -%}
  {{ return(adapter.dispatch('ivm_history_sql', 'dbt')(contents, changes)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_history_sql(contents, changes) -%}
(
with ivm_rows as (
  {{ ivm_feed_rows(contents) | indent(2) }}
  union all
  {{ ivm_feed_rows(changes) | indent(2) }}
),
ivm_net as (
  select ivm_keys, ivm_version, ivm_row, sum(ivm_weight) as ivm_weight, max(ivm_time) as ivm_time
  from ivm_rows
  group by ivm_keys, ivm_version, ivm_row
  having sum(ivm_weight) <> 0
),
ivm_events as (
  select ivm_keys, ivm_version, max(ivm_time) as ivm_time,
    any_value(if(ivm_weight > 0, ivm_row, null), true) as ivm_row
  from ivm_net
  group by ivm_keys, ivm_version
),
ivm_spans as (
  select ivm_row, ivm_time as valid_from,
    lead(ivm_time) over (partition by ivm_keys order by ivm_version) as valid_to
  from ivm_events
)
select ivm_row.*, valid_from, valid_to, valid_to is null as is_current
from ivm_spans
where ivm_row is not null
)
{%- endmacro %}
