"""Models over TPC-H's tables that isolate one shape each."""

from __future__ import annotations

LINEITEM = "{{ source('tpch', 'lineitem') }}"
ORDERS = "{{ source('tpch', 'orders') }}"
CUSTOMER = "{{ source('tpch', 'customer') }}"

SHAPES: dict[str, str] = {
    "filter": f"select l_orderkey, l_linenumber, l_quantity from {LINEITEM} where l_quantity > 45",
    "aggregate_few_groups": f"""
select l_shipmode, count(*) as n, sum(l_extendedprice) as price, avg(l_discount) as discount
from {LINEITEM} group by l_shipmode""",
    "aggregate_many_groups": f"""
select l_partkey, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} group by l_partkey""",
    "min_max": f"""
select l_suppkey, min(l_shipdate) as first, max(l_extendedprice) as dearest
from {LINEITEM} group by l_suppkey""",
    "join_aggregate": f"""
select o_custkey, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey group by o_custkey""",
    "three_way_join_aggregate": f"""
select c_nationkey, c_mktsegment, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey join {CUSTOMER} on c_custkey = o_custkey
group by c_nationkey, c_mktsegment""",
    "keyless_join": f"""
select o_orderdate, l_shipmode, l_quantity
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey where l_quantity > 45""",
    "distinct": f"select distinct l_partkey, l_suppkey from {LINEITEM}",
    "left_join_aggregate": f"""
select c_mktsegment, count(o_orderkey) as orders, sum(o_totalprice) as price
from {CUSTOMER} left join {ORDERS} on o_custkey = c_custkey group by c_mktsegment""",
    "semi_join": f"""
select o_orderkey, o_totalprice from {ORDERS}
where exists (select 1 from {LINEITEM} where l_orderkey = o_orderkey and l_quantity > 49)""",
    "anti_join": f"""
select c_custkey, c_acctbal from {CUSTOMER}
where not exists (select 1 from {ORDERS} where o_custkey = c_custkey)""",
    "newest_of_each": f"""
select o_custkey, o_orderkey, o_orderdate from (
  select o_custkey, o_orderkey, o_orderdate,
    row_number() over (partition by o_custkey order by o_orderdate desc, o_orderkey) as place
  from {ORDERS}) where place = 1""",
}
