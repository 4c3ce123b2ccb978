"""Every shape of a query that is maintained, and how each is expected to be refreshed.

The sources are `orders`, `customers` and `products` of `changes.py`; their columns hold NULLs and
duplicates, and no column is a key.
"""

from __future__ import annotations

from dataclasses import dataclass

ROWS, GROUPS, AFFECTED = "row_based", "group_aggregate", "affected_groups"
PARTITIONS = "affected_partitions"
ORDERS, CUSTOMERS, PRODUCTS = "orders", "customers", "products"


@dataclass(frozen=True)
class Shape:
    """A query, the technique that keeps it up to date, the sources whose changes must reach it.

    on_models: it reads other ivm models, which may not change when the sources do.
    """

    sql: str
    technique: str
    sources: frozenset[str]
    on_models: bool = False


def _shape(technique: str, sql: str) -> Shape:
    text = sql
    sources = set()
    for name in (ORDERS, CUSTOMERS, PRODUCTS):
        text = text.replace(f"@{name}", f"{{{{ source('shop', '{name}') }}}}")
        if f"@{name}" in sql:
            sources.add(name)
    if "ref('some_orders')" in sql or "ref('plain_orders')" in sql:
        sources.add(ORDERS)
    if "ref('plain_customers')" in sql:
        sources.add(CUSTOMERS)
    on_models = any(f"ref('{n}')" in sql for n in ("sales", "sales_by_region", "by_product"))
    return Shape(text, technique, frozenset(sources), on_models)


SHAPES: dict[str, Shape] = {
    # rows
    "filter_and_expressions": _shape(
        ROWS,
        """
        select id, upper(product) as product, amount * 2 + 1 as doubled,
          coalesce(quantity, -1) as quantity, case when price > 2 then 'dear' else 'cheap' end as p,
          year(placed) as `Placed In`
        from @orders where amount > -3 or product is null""",
    ),
    "join_of_three": _shape(
        ROWS,
        """
        select o.id, c.segment, p.category, o.price * p.weight as load
        from @orders as o inner join @customers as c on o.customer_id = c.customer_id
        join @products as p on p.product = o.product where c.region is not null""",
    ),
    "self_join": _shape(
        ROWS,
        """
        select a.id as one, b.id as other, a.product
        from @orders as a join @orders as b
        on a.customer_id = b.customer_id and a.product = b.product and a.id < b.id""",
    ),
    "join_using": _shape(
        ROWS,
        """
        select * from @orders join @customers using (customer_id)""",
    ),
    "theta_join": _shape(
        ROWS,
        """
        select o.id, p.category from @orders as o, @products as p
        where o.price < p.weight or (o.price is null and p.weight > 2)""",
    ),
    "cross_join": _shape(
        ROWS,
        """
        select c.segment, p.category from @customers as c cross join @products as p""",
    ),
    "union_all": _shape(
        ROWS,
        """
        select product as name, price as number from @orders
        union all select category, weight from @products
        union all select product, price from @orders where id < 10""",
    ),
    "lateral_outer_posexplode": _shape(
        ROWS,
        """
        select o.product, t.place, t.tag
        from @orders as o lateral view outer posexplode(o.tags) t as place, tag""",
    ),
    "rows_ordered_and_limited": _shape(
        ROWS,
        """
        select id, product, amount from @orders order by id desc nulls last, product, amount
        limit 7""",
    ),
    # distinct rows
    "union_distinct": _shape(
        ROWS,
        """
        select product from @orders union select product from @products""",
    ),
    # groups kept in accumulators
    "aggregates_of_a_table": _shape(
        GROUPS,
        """
        select customer_id, product, count(*) as orders, count(amount) as amounts,
          sum(amount) as Amount, avg(amount) as mean, min(price) as low, max(price) as high,
          sum(quantity) as quantity, avg(id) as mean_id, min(product) as first_product,
          max(placed) as latest, sum(id) as ids
        from @orders group by customer_id, product""",
    ),
    "aggregates_of_a_join": _shape(
        GROUPS,
        """
        select c.segment, p.category, count(*) as n, count(o.amount) as amounts,
          sum(o.amount) as amount, avg(o.id) as mean_id, min(o.placed) as earliest,
          max(p.weight) as heaviest
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        join @products as p on p.product = o.product group by c.segment, p.category""",
    ),
    "aggregates_of_a_self_join": _shape(
        GROUPS,
        """
        select a.segment, count(*) as pairs, sum(b.customer_id) as total, max(b.region) as region
        from @customers as a join @customers as b on a.manager_id = b.customer_id
        group by a.segment""",
    ),
    "expressions_over_aggregates": _shape(
        GROUPS,
        """
        select upper(product) as p, sum(amount) / count(*) as mean,
          round(avg(amount), 1) as rounded, max(quantity) - min(quantity) as spread,
          coalesce(sum(quantity), 0) + 1 as plus, count(*) > 3 as many
        from @orders group by upper(product)""",
    ),
    "count_if_and_filter": _shape(
        GROUPS,
        """
        select region, count_if(customer_id > 3) as late,
          count(*) filter (where segment = 'a') as in_a,
          sum(manager_id) filter (where segment = 'b') as in_b,
          min(customer_id) filter (where segment <> 'a') as first_not_a
        from @customers group by region""",
    ),
    "global_aggregates_of_a_join": _shape(
        GROUPS,
        """
        select count(o.amount) as n, sum(o.amount) as amount, max(c.region) as region
        from @orders as o join @customers as c using (customer_id) where c.segment = 'a'""",
    ),
    "group_by_all": _shape(
        GROUPS,
        """
        select segment, region is null as nowhere, count(*) as n, sum(customer_id) as ids
        from @customers group by all""",
    ),
    "group_by_ordinals_and_aliases": _shape(
        GROUPS,
        """
        select c.segment, year(o.placed) as y, o.amount > 5 as large, sum(o.amount) as amount
        from @orders as o join @customers as c on c.customer_id = o.customer_id group by 1, y, 3""",
    ),
    "top_groups": _shape(
        GROUPS,
        """
        select customer_id, count(*) as n, sum(amount) as amount from @orders
        group by customer_id having count(*) > 1
        order by n desc, customer_id nulls first limit 4""",
    ),
    "aggregate_of_union_all": _shape(
        GROUPS,
        """
        select name, count(*) as n, max(number) as number from (
          select product as name, price as number from @orders
          union all select category, weight from @products) as u group by name""",
    ),
    "aggregate_of_exploded": _shape(
        GROUPS,
        """
        select tag, count(*) as n, sum(quantity) as quantity
        from @orders lateral view explode(tags) t as tag group by tag""",
    ),
    # groups computed again
    "other_aggregates": _shape(
        AFFECTED,
        """
        select segment, count(distinct region) as regions, stddev(customer_id) as deviation,
          sort_array(collect_list(customer_id)) as ids, percentile(customer_id, 0.5) as middle,
          count(*) as n, sum(manager_id) as managers, max(region) as region
        from @customers group by segment""",
    ),
    "other_aggregates_of_a_join": _shape(
        AFFECTED,
        """
        select c.region, count(distinct o.product) as products, sum(o.price) as price,
          avg(p.weight) as weight, sum(distinct o.quantity) as quantities,
          sort_array(collect_set(p.category)) as categories
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        join @products as p on o.product <=> p.product group by c.region""",
    ),
    "other_global_aggregates": _shape(
        AFFECTED,
        """
        select count(distinct product) as products, sum(price) as price, count(*) as n
        from @orders""",
    ),
    "average_of_bigints": _shape(
        AFFECTED,
        """
        select product, avg(quantity) as mean, count(*) as n from @orders group by product""",
    ),
    # rows of touched keys
    "left_join": _shape(
        ROWS,
        """
        select o.id, o.product, c.segment, c.region, 1 as one
        from @orders as o left join @customers as c on o.customer_id = c.customer_id""",
    ),
    "full_join_with_residual": _shape(
        ROWS,
        """
        select o.id, o.product, c.customer_id, c.segment from @orders as o
        full outer join @customers as c on o.customer_id = c.customer_id and o.price > 2""",
    ),
    "right_join_using": _shape(
        ROWS,
        """
        select customer_id, o.product, c.region
        from @orders as o right join @customers as c using (customer_id)""",
    ),
    "chain_of_left_joins": _shape(
        ROWS,
        """
        select o.id, c.segment, p.category
        from @orders as o left join @customers as c on o.customer_id = c.customer_id
        left join @products as p on p.product = o.product and p.weight > 1
        where o.amount is not null or c.region is null""",
    ),
    "left_join_aggregate": _shape(
        GROUPS,
        """
        select c.segment, count(o.id) as orders, sum(o.amount) as amount, count(*) as n
        from @customers as c left join @orders as o using (customer_id) group by c.segment""",
    ),
    "exists": _shape(
        ROWS,
        """
        select c.customer_id, c.segment from @customers as c
        where exists (select 1 from @orders as o where o.customer_id = c.customer_id
          and o.price > 1)""",
    ),
    "not_exists": _shape(
        ROWS,
        """
        select c.customer_id, c.region from @customers as c
        where not exists (select * from @orders as o where o.customer_id = c.customer_id)""",
    ),
    "in_and_exists": _shape(
        GROUPS,
        """
        select product, count(*) as n from @orders as o
        where product in (select product from @products where weight > 0)
          and exists (select 1 from @customers as c where c.customer_id = o.customer_id)
        group by product""",
    ),
    "not_in": _shape(
        ROWS,
        """
        select o.id, o.product from @orders as o
        where o.product not in (select product from @products where weight > 1)""",
    ),
    "exists_or": _shape(
        ROWS,
        """
        select c.customer_id, c.region from @customers as c
        where c.segment is null
          or exists (select 1 from @orders as o where o.customer_id = c.customer_id)""",
    ),
    "scalar_subqueries": _shape(
        ROWS,
        """
        select c.customer_id, c.segment,
          (select count(*) from @orders as o where o.customer_id = c.customer_id) as orders
        from @customers as c
        where c.customer_id <= (select max(customer_id) from @orders)""",
    ),
    "scalar_subquery_having": _shape(
        ROWS,
        """
        select product, sum(amount) as total from @orders group by product
        having sum(amount) >= (select min(weight) from @products)""",
    ),
    "left_join_without_equality": _shape(
        ROWS,
        """
        select o.id, p.category from @orders as o
        left join @products as p on o.amount > p.weight and p.category is not null""",
    ),
    "left_anti_join": _shape(
        ROWS,
        """
        select p.product, p.category from @products as p
        left anti join @orders as o on o.product = p.product and o.amount > 0""",
    ),
    "except": _shape(
        ROWS,
        """
        select product from @orders except select product from @products""",
    ),
    "intersect_all": _shape(
        ROWS,
        """
        select product, price from @orders intersect all select product, weight from @products""",
    ),
    # several sets of groups, pivots, generators
    "rollup": _shape(
        GROUPS,
        """
        select c.segment, o.product, count(*) as n, sum(o.amount * o.amount * o.amount) as cubes,
          grouping(o.product) as every_product
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        group by c.segment, rollup (o.product)""",
    ),
    "pivot": _shape(
        GROUPS,
        """
        select * from (select customer_id, product, quantity from @orders)
        pivot (sum(quantity) as total, count(quantity) as n for product in ('ale', 'bun'))""",
    ),
    "generator_in_select": _shape(
        ROWS,
        """
        select product, explode_outer(tags) as tag from @orders where amount > -3""",
    ),
    # windows; where ORDER BY leaves rows equal, what they differ in is not selected
    "newest_of_each": _shape(
        PARTITIONS,
        """
        select customer_id, placed, product from (
          select customer_id, placed, product,
            row_number() over (partition by customer_id order by placed desc, product) as n
          from @orders
        ) where n <= 2""",
    ),
    "windows_over_two_keys": _shape(
        PARTITIONS,
        """
        select id, amount, rank() over (partition by product order by amount desc nulls last) as r,
          sum(amount) over (partition by customer_id order by placed) as so_far,
          count(*) over (partition by product) as n
        from @orders""",
    ),
    "window_over_aggregate": _shape(
        PARTITIONS,
        """
        select customer_id, product, sum(amount) as amount,
          dense_rank() over (partition by customer_id order by sum(amount) desc) as place,
          sum(count(*)) over (partition by customer_id) as orders
        from @orders group by customer_id, product""",
    ),
    "windows_over_join": _shape(
        PARTITIONS,
        """
        select c.segment, p.category, o.amount,
          max(o.quantity) over (partition by c.segment) as most,
          sum(o.amount) over (
            partition by p.category order by o.placed range between interval 2 days preceding
            and current row
          ) as lately
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        join @products as p on p.product = o.product""",
    ),
    "aggregate_of_windows": _shape(
        GROUPS,
        """
        select customer_id, run, count(*) as orders, min(placed) as since from (
          select customer_id, placed,
            sum(fresh) over (partition by customer_id order by placed) as run
          from (
            select customer_id, placed, case when datediff(
              placed, lag(placed) over (partition by customer_id order by placed)
            ) > 1 then 1 else 0 end as fresh from @orders
          )
        ) group by customer_id, run""",
    ),
    "aggregate_of_aggregate": _shape(
        GROUPS,
        """
        select orders, count(*) as customers, max(amount) as best from (
          select customer_id, count(*) as orders, sum(amount) as amount
          from @orders group by customer_id) as t group by orders""",
    ),
    "join_of_aggregates": _shape(
        ROWS,
        """
        select c.customer_id, c.segment, t.orders from @customers as c
        join (select customer_id, count(*) as orders from @orders group by 1) as t
        on t.customer_id = c.customer_id where t.orders > 1""",
    ),
    "aggregate_of_distinct": _shape(
        GROUPS,
        """
        select segment, count(*) as regions
        from (select distinct segment, region from @customers) as d group by segment""",
    ),
    # on other models
    "join_of_plain_views": _shape(
        ROWS,
        """
        select v.*, c.`Market Segment` as segment from {{ ref('plain_orders') }} as v
        join {{ ref('plain_customers') }} as c on c.id = v.customer_id""",
    ),
    "over_ephemeral": _shape(
        GROUPS,
        """
        select customer_id, max(amount) as amount, count(*) as n
        from {{ ref('some_orders') }} group by customer_id""",
    ),
    "sales": _shape(
        ROWS,
        """
        select o.id, o.product, o.amount, c.region, c.segment
        from @orders as o join @customers as c on o.customer_id = c.customer_id""",
    ),
    "sales_by_region": _shape(
        GROUPS,
        """
        select region, segment, sum(amount) as amount, count(*) as n
        from {{ ref('sales') }} group by region, segment""",
    ),
    "regions": _shape(
        GROUPS,
        """
        select region, max(amount) as best, sum(n) as n, count(*) as segments
        from {{ ref('sales_by_region') }} group by region""",
    ),
    "by_product": _shape(
        GROUPS,
        """
        select product, count(*) as n, sum(amount) as amount from @orders group by product
        having count(*) > 1""",
    ),
    "models_joined": _shape(
        GROUPS,
        """
        select s.segment, sum(b.n) as n from {{ ref('sales') }} as s
        join {{ ref('by_product') }} as b on b.product = s.product group by s.segment""",
    ),
}

OTHER_MODELS = {
    "plain_orders.sql": """{{ config(materialized='view') }}
        select customer_id, product as product_name, amount as spent
        from {{ source('shop', 'orders') }} where quantity is not null""",
    "plain_customers.sql": """{{ config(materialized='view') }}
        select customer_id as id, segment as `Market Segment` from {{ source('shop', 'customers') }}
        where region is not null""",
    "some_orders.sql": """{{ config(materialized='ephemeral') }}
        select customer_id, amount from {{ source('shop', 'orders') }} where amount <> 2""",
}
