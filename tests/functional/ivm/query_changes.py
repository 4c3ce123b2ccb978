"""Typical edits of a model's SQL, with what becomes of its state."""

from __future__ import annotations

from dataclasses import dataclass

ORDERS = "{{ target.schema }}.orders"
CUSTOMERS = "{{ target.schema }}.customers"
RETURNS = "{{ target.schema }}.returns"

VIEW = "the view only"
ROWS = "the rows that its new SQL moves"
REUSED = "a part of the new SQL is the old one"

ROW = f"select order_id, customer_id, amount, status from {ORDERS} where amount > 10"
JOINED = f"""select o.order_id, o.amount, c.segment
from {ORDERS} o left join {CUSTOMERS} c on c.customer_id = o.customer_id where o.amount > 10"""
SUMS = f"""select c.segment, sum(o.amount) as revenue, count(*) as orders
from {ORDERS} o join {CUSTOMERS} c on c.customer_id = o.customer_id
where o.amount > 10 group by c.segment"""
NEWEST = f"""select customer_id, min(amount) as least, max(amount) as most, avg(amount) as mean
from {ORDERS} group by customer_id"""
CTE = f"""with paid as (select customer_id, amount * 2 as doubled, status from {ORDERS}
  where status = 'paid')
select customer_id, sum(doubled) as total from paid group by customer_id"""
BOTH = f"""select order_id, amount from {ORDERS} where status = 'paid'
union all select order_id, -amount from {RETURNS}"""
DIFFERENT = f"select distinct customer_id, status from {ORDERS} where amount > 10"
PLACES = f"""select order_id, customer_id, amount,
  row_number() over (partition by customer_id order by order_id) as place
from {ORDERS} where amount > 10"""
ACTIVE = f"""select customer_id, segment from {CUSTOMERS} c
where exists (select 1 from {ORDERS} o where o.customer_id = c.customer_id)"""

ORDERED = f"""select o.order_id, o.status, q.total from {ORDERS} o join
(select customer_id, sum(cast(amount as double)) as total from {ORDERS} group by customer_id) q
on q.customer_id = o.customer_id"""


@dataclass(frozen=True)
class Edit:
    """An edit of a model.

    before, after: its SQL.
    becomes: what changes of a state that is kept, whether a rebuild reads it, or a part of the
        detail why it is rebuilt.
    """

    before: str
    after: str
    becomes: str

    @property
    def reused(self) -> bool:
        return self.becomes == REUSED

    @property
    def kept(self) -> bool:
        return self.becomes in (VIEW, ROWS)


EDITS = {
    "renamed": Edit(SUMS, SUMS.replace("as revenue", "as turnover"), VIEW),
    "key_renamed": Edit(SUMS, SUMS.replace("select c.segment", "select c.segment as s"), VIEW),
    "reordered": Edit(NEWEST, NEWEST.replace(
        "customer_id, min(amount) as least, max(amount) as most",
        "max(amount) as most, customer_id, min(amount) as least"), VIEW),
    "dropped": Edit(NEWEST, NEWEST.replace("max(amount) as most, ", ""), VIEW),
    "rounded": Edit(SUMS, SUMS.replace("sum(o.amount)", "round(sum(o.amount), 0)"), VIEW),
    "cast": Edit(SUMS, SUMS.replace("count(*)", "cast(count(*) as int)"), VIEW),
    "quotient": Edit(SUMS, SUMS.replace("as orders", "as orders, sum(o.amount) / count(*) as mean"),
                     VIEW),
    "mean_of_sum": Edit(
        f"select customer_id, sum(amount) as a, avg(amount) as b from {ORDERS} group by 1",
        f"select customer_id, avg(amount) as b, count(amount) as n from {ORDERS} group by 1", VIEW),
    "having": Edit(SUMS, SUMS + " having count(*) > 1", VIEW),
    "having_gone": Edit(SUMS + " having count(*) > 1", SUMS, VIEW),
    "ordered": Edit(SUMS, SUMS + " order by revenue desc limit 2", VIEW),
    "row_renamed": Edit(ROW, ROW.replace("amount, status", "amount as price, status"), VIEW),
    "row_dropped": Edit(ROW, ROW.replace(", status", ""), VIEW),
    "row_reordered": Edit(ROW, ROW.replace("order_id, customer_id", "customer_id, order_id"), VIEW),
    "row_computed": Edit(ROW, ROW.replace("amount,", "amount, amount * 0.2 as tax,"), VIEW),
    "row_case": Edit(ROW, ROW.replace(
        "status from", "case when amount > 50 then 'big' else status end as status from"), VIEW),
    "cte_inlined": Edit(CTE, f"""select customer_id, sum(amount * 2) as total from {ORDERS}
        where status = 'paid' group by customer_id""", VIEW),
    "filter_moved_into_cte": Edit(SUMS, f"""with big as (select * from {ORDERS} where amount > 10)
        select c.segment, sum(o.amount) as revenue, count(*) as orders
        from big o join {CUSTOMERS} c on c.customer_id = o.customer_id group by c.segment""", VIEW),
    "bound": Edit(SUMS, SUMS.replace("> 10", "> 20"), ROWS),
    "filter_added": Edit(SUMS, SUMS.replace("> 10", "> 10 and o.status <> 'open'"), ROWS),
    "filter_gone": Edit(DIFFERENT, DIFFERENT.replace(" where amount > 10", ""), ROWS),
    "filter_of_partner": Edit(JOINED, JOINED + " and c.segment = 'a'", ROWS),
    "filter_with_null": Edit(ROW, ROW + " and status <> 'paid'", ROWS),
    "filter_below_window": Edit(PLACES, PLACES.replace("> 10", "> 20"), ROWS),
    "filter_and_rename": Edit(
        SUMS, SUMS.replace("> 10", "> 5").replace("as revenue", "as r"), ROWS),
    "filter_in_cte": Edit(CTE, CTE.replace("= 'paid'", "in ('paid', 'open')"), ROWS),
    "filter_in_exists": Edit(ACTIVE, ACTIVE.replace("c.customer_id)", "c.customer_id "
                                                    "and o.amount > 20)"), ROWS),
    "extrema_filtered": Edit(NEWEST, NEWEST.replace(" group", " where amount < 90 group"), ROWS),
    "branch_added": Edit(BOTH, f"{BOTH} union all select 0, 1.00", ROWS),
    "branch_gone": Edit(BOTH, BOTH[: BOTH.index("union")], ROWS),
    "branch_filtered": Edit(BOTH, BOTH + " where order_id > 1", ROWS),
    "value_of_some": Edit(CTE, CTE.replace(
        "amount * 2", "case when amount > 90 then 0.00 else amount * 2 end"), ROWS),
    "constant_of_row": Edit(JOINED, JOINED.replace("c.segment\n", "coalesce(c.segment, 'none') "
                                                   "as segment\n"), VIEW),
    "ordered_below_join": Edit(ORDERED, ORDERED.replace("o.status, ", ""), VIEW),
    "filter_above_ordered": Edit(ORDERED, ORDERED + " where o.amount > 10", ROWS),
    "two_names": Edit(
        f"select status, sum(x) as s, avg(y) as m from (select status, amount as x, amount as y "
        f"from {ORDERS}) group by 1",
        f"select status, sum(amount) as s, avg(amount) as m from {ORDERS} group by 1", VIEW),
    "one_name_twice": Edit(
        f"select status, sum(amount) as s, avg(amount) as m from {ORDERS} group by 1",
        f"select status, sum(x) as s, avg(y) as m from (select status, amount as x, amount as y "
        f"from {ORDERS}) group by 1", VIEW),
    "joined_further": Edit(NEWEST, f"""select t.*, c.segment from ({NEWEST}) t
        left join {CUSTOMERS} c on c.customer_id = t.customer_id where t.most > 5""", REUSED),
    "joined_twice": Edit(SUMS, f"""with sums as ({SUMS}) select s.segment, s.revenue, r.amount,
        b.amount as other from sums s left join {RETURNS} r on r.order_id = s.orders
        left join {RETURNS} b on b.order_id = s.orders + 1""", REUSED),
    "ranked": Edit(SUMS, f"""select *, rank() over (partition by orders order by revenue) as place
        from ({SUMS})""", REUSED),
    "grouped_again": Edit(
        f"select customer_id, count(*) as n from {ORDERS} group by 1",
        f"""select n, count(*) as customers from
        (select customer_id, count(*) as n from {ORDERS} group by 1) group by n""", REUSED),
    "among": Edit(DIFFERENT, f"""select status, customer_id from ({DIFFERENT}) d
        where exists (select 1 from {CUSTOMERS} c where c.customer_id = d.customer_id)""", REUSED),
    "only_once": Edit(ROW, f"select distinct customer_id from ({ROW})", REUSED),
    "joined_with_floats": Edit(
        f"select customer_id, max(cast(amount as double)) as most from {ORDERS} group by 1",
        f"""select t.*, c.segment from (select customer_id, max(cast(amount as double)) as most
        from {ORDERS} group by 1) t left join {CUSTOMERS} c on c.customer_id = t.customer_id""",
        "grouped in another way"),
    "group_added": Edit(SUMS, SUMS.replace("group by c.segment", "group by c.segment, o.status"),
                        "another GROUP BY"),
    "grouped": Edit(ROW, f"select status, count(*) as n from {ORDERS} group by 1",
                    "grouped in another way"),
    "left_joined": Edit(SUMS, SUMS.replace("o join", "o left join"), "in place of a join"),
    "other_source": Edit(ROW, ROW.replace("orders", "returns").replace(
        "customer_id, amount, status", "order_id as customer_id, amount, 'x' as status"),
        "in place of"),
}  # fmt: skip
