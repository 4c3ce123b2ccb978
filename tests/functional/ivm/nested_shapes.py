"""Windows, operators over GROUP BY and DISTINCT, and models on models."""

from __future__ import annotations

from tests.functional.ivm.shape import GROUPS, PARTITIONS, ROWS, Shape, shape

NESTED_SHAPES: dict[str, Shape] = {
    "float_sums_below_a_join": shape(
        PARTITIONS,
        """
        select c.segment, p.total, p.mean, p.spread from @customers as c left join (
          select customer_id, sum(price * 0.1d) as total, avg(quantity / 3) as mean,
            stddev_pop(price) filter (where id > 3) as spread
          from @orders group by customer_id) as p on p.customer_id = c.customer_id""",
    ),
    "float_averages_below_a_group": shape(
        GROUPS,
        """
        select product, total > 1 as big, count(*) as n, count(total) as known from (
          select customer_id, product, sum(price * 0.5d) as total
          from @orders group by customer_id, product) group by 1, 2""",
    ),
    "lists_below_a_join": shape(
        PARTITIONS,
        """
        select c.segment, array_join(sort_array(p.products), ',') as products, size(p.ids) as n,
          p.different, length(p.listed) as long, p.firsts is null as none, p.best
          from @customers as c left join (
            select customer_id, collect_set(product) as products, collect_list(id) as ids,
              size(collect_list(distinct product)) as different,
              listagg(product, ',') as listed, first(customer_id) as firsts,
              max_by(amount, amount) as best
            from @orders group by customer_id) as p on p.customer_id <=> c.customer_id""",
    ),
    # windows; where ORDER BY leaves rows equal, what they differ in is not selected
    "newest_of_each": shape(
        PARTITIONS,
        """
        select customer_id, placed, product from (
          select customer_id, placed, product,
            row_number() over (partition by customer_id order by placed desc, product) as n
          from @orders
        ) where n <= 2""",
    ),
    "windows_over_two_keys": shape(
        PARTITIONS,
        """
        select id, amount, rank() over (partition by product order by amount desc nulls last) as r,
          sum(amount) over (partition by customer_id order by placed) as so_far,
          count(*) over (partition by product) as n
        from @orders""",
    ),
    "window_over_aggregate": shape(
        PARTITIONS,
        """
        select customer_id, product, sum(amount) as amount,
          dense_rank() over (partition by customer_id order by sum(amount) desc) as place,
          sum(count(*)) over (partition by customer_id) as orders
        from @orders group by customer_id, product""",
    ),
    "windows_over_join": shape(
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
    "aggregate_of_windows": shape(
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
    "aggregate_of_aggregate": shape(
        GROUPS,
        """
        select orders, count(*) as customers, max(amount) as best from (
          select customer_id, count(*) as orders, sum(amount) as amount
          from @orders group by customer_id) as t group by orders""",
    ),
    "join_of_aggregates": shape(
        ROWS,
        """
        select c.customer_id, c.segment, t.orders from @customers as c
        join (select customer_id, count(*) as orders from @orders group by 1) as t
        on t.customer_id = c.customer_id where t.orders > 1""",
    ),
    "aggregate_of_distinct": shape(
        GROUPS,
        """
        select segment, count(*) as regions
        from (select distinct segment, region from @customers) as d group by segment""",
    ),
    # on other models
    "join_of_plain_views": shape(
        ROWS,
        """
        select v.*, c.`Market Segment` as segment from {{ ref('plain_orders') }} as v
        join {{ ref('plain_customers') }} as c on c.id = v.customer_id""",
    ),
    "over_ephemeral": shape(
        GROUPS,
        """
        select customer_id, max(amount) as amount, count(*) as n
        from {{ ref('some_orders') }} group by customer_id""",
    ),
    "sales": shape(
        ROWS,
        """
        select o.id, o.product, o.amount, c.region, c.segment
        from @orders as o join @customers as c on o.customer_id = c.customer_id""",
    ),
    "sales_by_region": shape(
        GROUPS,
        """
        select region, segment, sum(amount) as amount, count(*) as n
        from {{ ref('sales') }} group by region, segment""",
    ),
    "regions": shape(
        GROUPS,
        """
        select region, max(amount) as best, sum(n) as n, count(*) as segments
        from {{ ref('sales_by_region') }} group by region""",
    ),
    "by_product": shape(
        GROUPS,
        """
        select product, count(*) as n, sum(amount) as amount from @orders group by product
        having count(*) > 1""",
    ),
    "models_joined": shape(
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
