"""TPC-H's queries whose inner aggregates are ivm models of their own, written by hand.

They tell what it would gain if the adapter kept such aggregates by itself.
"""

from __future__ import annotations

from benchmarks.models import Model

_CUSTOMER = "{{ source('tpch', 'customer') }}"
_ORDERS = "{{ source('tpch', 'orders') }}"
_COUNTRIES = "('13', '31', '23', '29', '30', '18', '17')"
_COUNTRY = "substring(c_phone, 1, 2)"

_Q13_ORDERS = Model(
    "q13_orders",
    f"""
select o_custkey, count(o_orderkey) as orders from {_ORDERS}
where o_comment not like '%special%requests%' group by o_custkey""",
)
_Q15_REVENUE = Model(
    "q15_revenue",
    """
select l_suppkey as supplier_no, sum(l_extendedprice * (1 - l_discount)) as total_revenue
from {{ source('tpch', 'lineitem') }}
where l_shipdate >= date'1996-01-01' and l_shipdate < date'1996-01-01' + interval 3 months
group by l_suppkey""",
)
_Q22_ORDERS = Model(
    "q22_orders", f"select o_custkey, count(*) as orders from {_ORDERS} group by o_custkey"
)
_Q22_CUSTOMERS = Model(
    "q22_customers",
    f"""
select c_custkey, {_COUNTRY} as cntrycode, c_acctbal from {_CUSTOMER}
where {_COUNTRY} in {_COUNTRIES} and c_acctbal > 0.00
  and not exists (select * from {{{{ below('q22_orders') }}}} where o_custkey = c_custkey)""",
    below=_Q22_ORDERS,
)

_CHAINED = (
    Model(
        "q13_chained",
        f"""
select c_count, count(*) as custdist
from (
  select coalesce(orders, 0) as c_count
  from {_CUSTOMER} left outer join {{{{ below('q13_orders') }}}} on c_custkey = o_custkey
) as c_orders
group by c_count""",
        below=_Q13_ORDERS,
    ),
    Model(
        "q15_chained",
        """
select s_suppkey, s_name, s_address, s_phone, total_revenue
from {{ source('tpch', 'supplier') }}, {{ below('q15_revenue') }}
where s_suppkey = supplier_no
  and total_revenue = (select max(total_revenue) from {{ below('q15_revenue') }})""",
        below=_Q15_REVENUE,
    ),
    Model(
        "q22_chained",
        f"""
select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal
from {{{{ below('q22_customers') }}}}
where c_acctbal > (
  select avg(c_acctbal) from {_CUSTOMER} where c_acctbal > 0.00 and {_COUNTRY} in {_COUNTRIES}
)
group by cntrycode""",
        below=_Q22_CUSTOMERS,
    ),
)

CHAINED = {model.name: model for model in _CHAINED}
