{#- Four Delta tables that Spark makes from numbers alone: orders with four lines each, customers and
    products. The variable `orders` says how many.

    dbt run-operation create_lake -#}
{% macro create_lake() %}
  {% set orders = var('orders') | int %}
  {% do run_query('create schema if not exists lake') %}
  {% for table, query in {
    'customers': customers(0, 100000),
    'products': products(0, 2000),
    'orders': orders_of(0, orders),
    'lines': lines_of(0, orders),
  }.items() %}
    {% do run_query(
      'create or replace table lake.' ~ table ~ ' using delta'
      ~ ' tblproperties (delta.enableChangeDataFeed = true) as ' ~ query
    ) %}
  {% endfor %}
  {{ log('Created lake.orders (' ~ '{:,}'.format(orders) ~ ' rows) and lake.lines ('
    ~ '{:,}'.format(4 * orders) ~ ' rows).', info=true) }}
{% endmacro %}


{#- A day: 2,000 new orders with their lines, 1,000 orders shipped, and 100 cancelled.

    dbt run-operation trade -#}
{% macro trade() %}
  {% set last = run_query('select max(order_id) from lake.orders').columns[0][0] | int + 1 %}
  {% for statement in [
    'insert into lake.orders ' ~ orders_of(last, last + 2000),
    'insert into lake.lines ' ~ lines_of(last, last + 2000),
    "update lake.orders set status = 'shipped' where order_id between " ~ (last - 3000) ~ ' and '
      ~ (last - 2001),
    'delete from lake.lines where order_id between ' ~ (last - 5100) ~ ' and ' ~ (last - 5001),
    'delete from lake.orders where order_id between ' ~ (last - 5100) ~ ' and ' ~ (last - 5001),
  ] %}
    {% do run_query(statement) %}
  {% endfor %}
  {{ log('2,000 orders with 8,000 lines came in, 1,000 were shipped and 100 cancelled.', info=true) }}
{% endmacro %}


{#- Each of these is the rows with the ids from `first` up to `end`. Whatever looks random is
    arithmetic on the ids. A file has a hundred thousand orders, or their lines. -#}
{% macro customers(first, end) %}
  select
    id as customer_id,
    concat('Customer ', id) as name,
    element_at(array('DE', 'FR', 'IN', 'JP', 'US'), cast(id * 7 % 5 + 1 as int)) as country
  from range({{ first }}, {{ end }})
{% endmacro %}

{% macro products(first, end) %}
  select
    id as product_id,
    element_at(array('books', 'games', 'garden', 'kitchen'), cast(id % 4 + 1 as int)) as category
  from range({{ first }}, {{ end }})
{% endmacro %}

{% macro orders_of(first, end) %}
  select
    id as order_id,
    id * 7919 % 100000 as customer_id,
    date_add(date '2020-01-01', cast(id div 1300 as int)) as ordered_on,
    if(id < {{ end }} - 20000, 'shipped', 'open') as status
  from range({{ first }}, {{ end }}, 1, {{ [(end - first) // 100000, 1] | max }})
{% endmacro %}

{% macro lines_of(first, end) %}
  select
    id as line_id,
    id div 4 as order_id,
    id * 31 % 2000 as product_id,
    cast(id * 17 % 9 + 1 as int) as quantity,
    cast(id * 13 % 9900 / 100 + 1 as decimal(10, 2)) as price
  from range({{ first * 4 }}, {{ end * 4 }}, 1, {{ [(end - first) // 100000, 1] | max }})
{% endmacro %}
