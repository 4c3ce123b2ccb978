{{ config(materialized='incremental', incremental_strategy='merge', unique_key='c_custkey') }}
{%- set orders = newest('orders') %}
{%- set customers = newest('customer') %}
{%- if is_incremental() %}
with touched as (
  select c_custkey as custkey from {{ changes('customer', customers) }}
  union
  select o_custkey from {{ changes('orders', orders) }}
),
qualified as (
  select c_custkey, c_acctbal from {{ at('customer', customers) }}
  where not exists (select 1 from {{ at('orders', orders) }} where o_custkey = c_custkey)
)
select custkey as c_custkey, c_acctbal, c_custkey is null as is_deleted,
  {{ versions(orders=orders, customer=customers) }}
from touched left join qualified on c_custkey = custkey
{%- else %}
select c_custkey, c_acctbal, false as is_deleted,
  {{ versions(orders=orders, customer=customers) }}
from {{ at('customer', customers) }}
where not exists (select 1 from {{ at('orders', orders) }} where o_custkey = c_custkey)
{%- endif %}
