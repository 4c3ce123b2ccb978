"""Models over TPC-H's tables that isolate one shape each."""

from __future__ import annotations

from benchmarks.models import Model

LINEITEM = "{{ source('tpch', 'lineitem') }}"
ORDERS = "{{ source('tpch', 'orders') }}"
CUSTOMER = "{{ source('tpch', 'customer') }}"
LINE = ("l_orderkey", "l_linenumber")
KEYS = {"lineitem": list(LINE), "orders": ["o_orderkey"], "customer": ["c_custkey"]}

_ORDER_REVENUE = Model(
    "order_revenue",
    f"""
select l_orderkey, o_custkey, sum(l_extendedprice) as price
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey group by l_orderkey, o_custkey""",
)
_CUSTOMER_REVENUE = Model(
    "customer_revenue",
    """
select o_custkey, count(*) as orders, sum(price) as price
from {{ below('order_revenue') }} group by o_custkey""",
    below=_ORDER_REVENUE,
)

_SHAPES = (
    Model(
        "filter",
        f"select l_orderkey, l_linenumber, l_quantity from {LINEITEM} where l_quantity > 45",
        key=LINE,
    ),
    Model(
        "aggregate_few_groups",
        f"""
select l_shipmode, count(*) as n, sum(l_extendedprice) as price, avg(l_discount) as discount
from {LINEITEM} group by l_shipmode""",
        key=("l_shipmode",),
    ),
    Model(
        "aggregate_many_groups",
        f"""
select l_partkey, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} group by l_partkey""",
        key=("l_partkey",),
    ),
    Model(
        "min_max",
        f"""
select l_suppkey, min(l_shipdate) as first, max(l_extendedprice) as dearest
from {LINEITEM} group by l_suppkey""",
        key=("l_suppkey",),
    ),
    Model(
        "join_aggregate",
        f"""
select o_custkey, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey group by o_custkey""",
        key=("o_custkey",),
    ),
    Model(
        "three_way_join_aggregate",
        f"""
select c_nationkey, c_mktsegment, count(*) as n, sum(l_extendedprice) as price
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey join {CUSTOMER} on c_custkey = o_custkey
group by c_nationkey, c_mktsegment""",
        key=("c_nationkey", "c_mktsegment"),
    ),
    Model(
        "keyless_join",
        f"""
select o_orderdate, l_shipmode, l_quantity
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey where l_quantity > 45""",
    ),
    Model(
        "keyed_join",
        f"""
select l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_custkey, o_orderdate
from {LINEITEM} join {ORDERS} on o_orderkey = l_orderkey where l_quantity > 25""",
        key=LINE,
        config={"primary_keys": {f"bench.{table}": key for table, key in KEYS.items()}},
    ),
    Model(
        "distinct",
        f"select distinct l_partkey, l_suppkey from {LINEITEM}",
        key=("l_partkey", "l_suppkey"),
    ),
    Model(
        "left_join_aggregate",
        f"""
select c_mktsegment, count(o_orderkey) as orders, sum(o_totalprice) as price
from {CUSTOMER} left join {ORDERS} on o_custkey = c_custkey group by c_mktsegment""",
        key=("c_mktsegment",),
    ),
    Model(
        "semi_join",
        f"""
select o_orderkey, o_totalprice from {ORDERS}
where exists (select 1 from {LINEITEM} where l_orderkey = o_orderkey and l_quantity > 49)""",
        key=("o_orderkey",),
    ),
    Model(
        "anti_join",
        f"""
select c_custkey, c_acctbal from {CUSTOMER}
where not exists (select 1 from {ORDERS} where o_custkey = c_custkey)""",
        key=("c_custkey",),
    ),
    Model(
        "newest_of_each",
        f"""
select o_custkey, o_orderkey, o_orderdate from (
  select o_custkey, o_orderkey, o_orderdate,
    row_number() over (partition by o_custkey order by o_orderdate desc, o_orderkey) as place
  from {ORDERS}) where place = 1""",
        key=("o_custkey",),
    ),
    Model(
        "ivm_on_ivm_on_ivm",
        """
select orders, count(*) as customers, max(price) as most
from {{ below('customer_revenue') }} group by orders""",
        key=("orders",),
        below=_CUSTOMER_REVENUE,
    ),
)

SHAPES = {model.name: model for model in _SHAPES}
