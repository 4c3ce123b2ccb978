"""Every shape of a query that is maintained, and how each is expected to be refreshed."""

from __future__ import annotations

from tests.functional.ivm.nested_shapes import NESTED_SHAPES
from tests.functional.ivm.shape import AFFECTED, GROUPS, PARTITIONS, ROWS, Shape, shape

SHAPES: dict[str, Shape] = {
    # rows
    "filter_and_expressions": shape(
        ROWS,
        """
        select id, upper(product) as product, amount * 2 + 1 as doubled,
          coalesce(quantity, -1) as quantity, case when price > 2 then 'dear' else 'cheap' end as p,
          year(placed) as `Placed In`
        from @orders where amount > -3 or product is null""",
    ),
    "date_spine": shape(
        GROUPS,
        """
        with two as (select 0 as n union all select 1),
        numbers as (select a.n + 2 * b.n + 4 * c.n as n
          from two as a cross join two as b cross join two as c),
        days as (select date_add(date'2023-12-27', row_number() over (order by 1)) as day
          from numbers where n < 7)
        select day, count(o.id) as n, sum(o.amount) as total
        from days left join @orders as o on o.placed = day group by day""",
    ),
    "dbt_date_macros": shape(
        ROWS,
        """
        select id, {{ dbt.dateadd('day', 3, 'placed') }} as due,
          {{ dbt.datediff('placed', "date'2024-03-01'", 'week') }} as weeks,
          {{ dbt.datediff('placed', "timestamp'2024-03-01 10:00:00'", 'hour') }} as hours
        from @orders where placed is not null""",
    ),
    "keywords_as_names": shape(
        ROWS,
        """
        select values, any, end - order as left, if(order > 2, end, values) as `if`
        from (select id as values, product as any, customer_id end, quantity as order from @orders)
        where end > 1 and any in ('ale', 'bun') or values between order and end""",
    ),
    "bitwise_operators": shape(
        ROWS,
        """
        select id | customer_id & 3 ^ 1 as bits, id << 2 >>> 1 as shifted, ~id & 7 = 3 as three
        from @orders where id & 1 = 0 or quantity | 1 between 1 and customer_id << 1""",
    ),
    "like_any_and_all": shape(
        ROWS,
        """
        select id, product like any ('a%', '%n') as either, product like all ('%o%', '%d') as both,
          product not ilike any ('A%', '%P') as neither
        from @orders where product not like all ('%e', 'b%') or product is null""",
    ),
    "time_windows": shape(
        GROUPS,
        """
        select window.start as begins, window.end as ends, product, count(*) as n,
          sum(amount) as total
        from @orders where product <> ''
        group by window(cast(placed as timestamp), '10 days', '5 days'), product""",
    ),
    "rows_in_time_windows": shape(
        ROWS,
        """
        select o.id, c.segment, window(cast(o.placed as timestamp), '2 days').start as begins
        from @orders as o join @customers as c on o.customer_id = c.customer_id""",
    ),
    "join_of_three": shape(
        ROWS,
        """
        select o.id, c.segment, p.category, o.price * p.weight as load
        from @orders as o inner join @customers as c on o.customer_id = c.customer_id
        join @products as p on p.product = o.product where c.region is not null""",
    ),
    "self_join": shape(
        ROWS,
        """
        select a.id as one, b.id as other, a.product
        from @orders as a join @orders as b
        on a.customer_id = b.customer_id and a.product = b.product and a.id < b.id""",
    ),
    "join_using": shape(
        ROWS,
        """
        select * from @orders join @customers using (customer_id)""",
    ),
    "theta_join": shape(
        ROWS,
        """
        select o.id, p.category from @orders as o, @products as p
        where o.price < p.weight or (o.price is null and p.weight > 2)""",
    ),
    "cross_join": shape(
        ROWS,
        """
        select c.segment, p.category from @customers as c cross join @products as p""",
    ),
    "union_all": shape(
        ROWS,
        """
        select product as name, price as number from @orders
        union all select category, weight from @products
        union all select product, price from @orders where id < 10""",
    ),
    "lateral_outer_posexplode": shape(
        ROWS,
        """
        select o.product, t.place, t.tag
        from @orders as o lateral view outer posexplode(o.tags) t as place, tag""",
    ),
    "generators_without_names": shape(
        ROWS,
        """
        select *, explode(map(product, quantity)) from (
          select o.id, o.product, o.quantity, t.pos, t.col, c0, g.n
          from @orders as o, lateral explode(array(o.id, o.customer_id)) as g(n)
          lateral view outer posexplode(o.tags) t
          lateral view json_tuple(concat('{"a":', o.id, '}'), 'a') j)
        where product is not null""",
    ),
    "generator_over_aggregates": shape(
        ROWS,
        """
        select product, count(*) as n, explode(array(max(quantity), min(id), 1)) as number
        from @orders group by product""",
    ),
    "rows_ordered_and_limited": shape(
        ROWS,
        """
        select id, product, amount from @orders order by id desc nulls last, product, amount
        limit 7""",
    ),
    # distinct rows
    "union_distinct": shape(
        ROWS,
        """
        select product from @orders union select product from @products""",
    ),
    # groups kept in accumulators
    "aggregates_of_a_table": shape(
        GROUPS,
        """
        select customer_id, product, count(*) as orders, count(amount) as amounts,
          sum(amount) as Amount, avg(amount) as mean, min(price) as low, max(price) as high,
          sum(quantity) as quantity, avg(id) as mean_id, min(product) as first_product,
          max(placed) as latest, sum(id) as ids
        from @orders group by customer_id, product""",
    ),
    "aggregates_of_a_join": shape(
        GROUPS,
        """
        select c.segment, p.category, count(*) as n, count(o.amount) as amounts,
          sum(o.amount) as amount, avg(o.id) as mean_id, min(o.placed) as earliest,
          max(p.weight) as heaviest
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        join @products as p on p.product = o.product group by c.segment, p.category""",
    ),
    "aggregates_of_a_self_join": shape(
        GROUPS,
        """
        select a.segment, count(*) as pairs, sum(b.customer_id) as total, max(b.region) as region
        from @customers as a join @customers as b on a.manager_id = b.customer_id
        group by a.segment""",
    ),
    "expressions_over_aggregates": shape(
        GROUPS,
        """
        select upper(product) as p, sum(amount) / count(*) as mean,
          round(avg(amount), 1) as rounded, max(quantity) - min(quantity) as spread,
          coalesce(sum(quantity), 0) + 1 as plus, count(*) > 3 as many
        from @orders group by upper(product)""",
    ),
    "count_if_and_filter": shape(
        GROUPS,
        """
        select region, count_if(customer_id > 3) as late,
          count(*) filter (where segment = 'a') as in_a,
          sum(manager_id) filter (where segment = 'b') as in_b,
          min(customer_id) filter (where segment <> 'a') as first_not_a
        from @customers group by region""",
    ),
    "global_aggregates_of_a_join": shape(
        GROUPS,
        """
        select count(o.amount) as n, sum(o.amount) as amount, max(c.region) as region
        from @orders as o join @customers as c using (customer_id) where c.segment = 'a'""",
    ),
    "group_by_all": shape(
        GROUPS,
        """
        select segment, region is null as nowhere, count(*) as n, sum(customer_id) as ids
        from @customers group by all""",
    ),
    "group_by_ordinals_and_aliases": shape(
        GROUPS,
        """
        select c.segment, year(o.placed) as y, o.amount > 5 as large, sum(o.amount) as amount
        from @orders as o join @customers as c on c.customer_id = o.customer_id group by 1, y, 3""",
    ),
    "group_by_literals": shape(
        GROUPS,
        """
        select source, segment, 'none' as kind, count(*) as n, max(customer_id) as last_id
        from (select *, cast('' as string) as source from @customers) as c
        group by 'none', source, segment, 1.5""",
    ),
    "top_groups": shape(
        GROUPS,
        """
        select customer_id, count(*) as n, sum(amount) as amount from @orders
        group by customer_id having count(*) > 1
        order by n desc, customer_id nulls first limit 4""",
    ),
    "aggregate_of_union_all": shape(
        GROUPS,
        """
        select name, count(*) as n, max(number) as number from (
          select product as name, price as number from @orders
          union all select category, weight from @products) as u group by name""",
    ),
    "aggregate_of_exploded": shape(
        GROUPS,
        """
        select tag, count(*) as n, sum(quantity) as quantity
        from @orders lateral view explode(tags) t as tag group by tag""",
    ),
    # groups computed again
    "other_aggregates": shape(
        AFFECTED,
        """
        select segment, count(distinct region) as regions, stddev(customer_id) as deviation,
          sort_array(collect_list(customer_id)) as ids, percentile(customer_id, 0.5) as middle,
          count(*) as n, sum(manager_id) as managers, max(region) as region
        from @customers group by segment""",
    ),
    "other_aggregates_of_a_join": shape(
        AFFECTED,
        """
        select c.region, count(distinct o.product) as products, sum(o.price) as price,
          avg(p.weight) as weight, sum(distinct o.quantity) as quantities,
          sort_array(collect_set(p.category)) as categories
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        join @products as p on o.product <=> p.product group by c.region""",
    ),
    "other_global_aggregates": shape(
        AFFECTED,
        """
        select count(distinct product) as products, sum(price) as price, count(*) as n
        from @orders""",
    ),
    "average_of_bigints": shape(
        AFFECTED,
        """
        select product, avg(quantity) as mean, count(*) as n from @orders group by product""",
    ),
    # rows of touched keys
    "left_join": shape(
        ROWS,
        """
        select o.id, o.product, c.segment, c.region, 1 as one
        from @orders as o left join @customers as c on o.customer_id = c.customer_id""",
    ),
    "full_join_with_residual": shape(
        ROWS,
        """
        select o.id, o.product, c.customer_id, c.segment from @orders as o
        full outer join @customers as c on o.customer_id = c.customer_id and o.price > 2""",
    ),
    "right_join_using": shape(
        ROWS,
        """
        select customer_id, o.product, c.region
        from @orders as o right join @customers as c using (customer_id)""",
    ),
    "joins_in_parentheses": shape(
        ROWS,
        """
        select o.id, c.segment, p.category, m.region
        from (@orders as o) left join (@customers as c join (@products as p left join
          @customers as m on p.weight < m.customer_id) on c.customer_id > p.weight)
        on o.customer_id = c.customer_id and o.product = p.product""",
    ),
    "full_joins_using_one_column": shape(
        ROWS,
        """
        select *, b.k as bought from (select customer_id as k, id, product from @orders) as o
        full join (select manager_id as k, segment from @customers) as b using (k)
        full join (select customer_id as k, region from @customers) as c using (k)
        where k is null or k > 1""",
    ),
    "inner_join_using_a_merged_column": shape(
        GROUPS,
        """
        select k, count(*) as n, max(segment) as segment, count(b.k) as managers
        from (select customer_id as k, id from @orders) as o
        full join (select manager_id as k, segment from @customers) as b using (k)
        join (select customer_id as k, region from @customers) as c using (k) group by k""",
    ),
    "chain_of_left_joins": shape(
        ROWS,
        """
        select o.id, c.segment, p.category
        from @orders as o left join @customers as c on o.customer_id = c.customer_id
        left join @products as p on p.product = o.product and p.weight > 1
        where o.amount is not null or c.region is null""",
    ),
    "left_join_aggregate": shape(
        GROUPS,
        """
        select c.segment, count(o.id) as orders, sum(o.amount) as amount, count(*) as n
        from @customers as c left join @orders as o using (customer_id) group by c.segment""",
    ),
    "exists": shape(
        ROWS,
        """
        select c.customer_id, c.segment from @customers as c
        where exists (select 1 from @orders as o where o.customer_id = c.customer_id
          and o.price > 1)""",
    ),
    "exists_of_aggregates": shape(
        ROWS,
        """
        select c.customer_id, c.segment,
          exists (select max(price) from @orders as o where o.customer_id = c.customer_id) as every,
          exists (select 1 from @orders as o where o.customer_id = c.customer_id
            having count(*) > 2 and min(id) < c.manager_id + 3) as busy
        from @customers as c where c.manager_id not in (select count(*) from @orders as o
          where o.customer_id = c.customer_id having count(*) <> 1)""",
    ),
    "not_exists": shape(
        ROWS,
        """
        select c.customer_id, c.region from @customers as c
        where not exists (select * from @orders as o where o.customer_id = c.customer_id)""",
    ),
    "in_and_exists": shape(
        GROUPS,
        """
        select product, count(*) as n from @orders as o
        where product in (select product from @products where weight > 0)
          and exists (select 1 from @customers as c where c.customer_id = o.customer_id)
        group by product""",
    ),
    "not_in": shape(
        ROWS,
        """
        select o.id, o.product from @orders as o
        where o.product not in (select product from @products where weight > 1)""",
    ),
    "exists_or": shape(
        ROWS,
        """
        select c.customer_id, c.region from @customers as c
        where c.segment is null
          or exists (select 1 from @orders as o where o.customer_id = c.customer_id)""",
    ),
    "scalar_subqueries": shape(
        ROWS,
        """
        select c.customer_id, c.segment,
          (select count(*) from @orders as o where o.customer_id = c.customer_id) as orders
        from @customers as c
        where c.customer_id <= (select max(customer_id) from @orders)""",
    ),
    "scalar_subquery_having": shape(
        ROWS,
        """
        select product, sum(amount) as total from @orders group by product
        having sum(amount) >= (select min(weight) from @products)""",
    ),
    "lateral": shape(
        PARTITIONS,
        """
        select c.customer_id, l.orders, l.amount, f.product
        from @customers as c left join lateral (select count(*) as orders, sum(o.amount) as amount
          from @orders as o where o.customer_id = c.customer_id) l on l.orders > 2,
        lateral (select o.product from @orders as o where o.customer_id = c.customer_id
          and o.product is not null order by o.product limit 2) f""",
    ),
    "subquery_in_on": shape(
        GROUPS,
        """
        select c.segment, count(*) as n from @orders as o join @customers as c
        on o.customer_id = c.customer_id and o.product in (select product from @products)
        group by c.segment""",
    ),
    "left_join_without_equality": shape(
        ROWS,
        """
        select o.id, p.category from @orders as o
        left join @products as p on o.amount > p.weight and p.category is not null""",
    ),
    "left_anti_join": shape(
        ROWS,
        """
        select p.product, p.category from @products as p
        left anti join @orders as o on o.product = p.product and o.amount > 0""",
    ),
    "except": shape(
        ROWS,
        """
        select product from @orders except select product from @products""",
    ),
    "intersect_all": shape(
        ROWS,
        """
        select product, price from @orders intersect all select product, weight from @products""",
    ),
    # several sets of groups, pivots, generators
    "rollup": shape(
        GROUPS,
        """
        select c.segment, o.product, count(*) as n, sum(o.amount * o.amount * o.amount) as cubes,
          grouping(o.product) as every_product
        from @orders as o join @customers as c on o.customer_id = c.customer_id
        group by c.segment, rollup (o.product)""",
    ),
    "pivot": shape(
        GROUPS,
        """
        select * from (select customer_id, product, quantity from @orders)
        pivot (sum(quantity) as total, count(quantity) as n for product in ('ale', 'bun'))""",
    ),
    "generator_in_select": shape(
        ROWS,
        """
        select product, explode_outer(tags) as tag from @orders where amount > -3""",
    ),
    **NESTED_SHAPES,
}
