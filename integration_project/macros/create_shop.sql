{#- A small shop, the same one every time: 200 customers, 40 products, 1000 orders with up to four
    lines each. Whatever looks random is arithmetic on the ids.

    dbt run-operation create_shop -#}
{% macro create_shop() %}
  {% do run_query('create schema if not exists shop') %}
  {% for table, query in {
    'customers': new_customers(1, 200),
    'products': new_products(1, 40),
    'orders': new_orders(1, 1000),
    'order_lines': new_order_lines(1, 1000),
  }.items() %}
    {% do run_query(
      'create or replace table shop.' ~ table ~ ' using delta'
      ~ ' tblproperties (delta.enableChangeDataFeed = true) as ' ~ query
    ) %}
  {% endfor %}
  {{ log('Created shop.customers, shop.products, shop.orders and shop.order_lines.', info=true) }}
{% endmacro %}


{#- Each of these is the rows with the ids from `first` to `last`. -#}
{% macro new_customers(first, last) %}
  select
    id as customer_id,
    concat('Customer ', id) as name,
    element_at(array('DE', 'FR', 'IN', 'JP', 'US'), cast(id * 7 % 5 + 1 as int)) as country,
    if(id % 4 = 0, 'business', 'consumer') as segment
  from range({{ first }}, {{ last + 1 }})
{% endmacro %}

{% macro new_products(first, last) %}
  select
    id as product_id,
    concat('Product ', id) as name,
    element_at(array('books', 'games', 'garden', 'kitchen'), cast(id % 4 + 1 as int)) as category,
    cast(id * 37 % 90 + 9.95 as decimal(10, 2)) as price
  from range({{ first }}, {{ last + 1 }})
{% endmacro %}

{#- Every tenth customer never buys anything. -#}
{% macro new_orders(first, last) %}
  select
    id as order_id,
    id * 17 % 180 div 9 * 10 + id * 17 % 9 + 1 as customer_id,
    date_add(date '2026-01-01', cast(id div 12 as int)) as ordered_on,
    if(id % 13 = 0, 'cancelled', if(id > {{ last }} - 60, 'placed', 'shipped')) as status
  from range({{ first }}, {{ last + 1 }})
{% endmacro %}

{#- At the price of the day: a product sells cheaper on every third order. -#}
{% macro new_order_lines(first, last) %}
  select
    id as order_id,
    line_number,
    (id * 11 + line_number * 7) % 40 + 1 as product_id,
    cast((id + line_number) % 5 + 1 as int) as quantity,
    cast(
      (((id * 11 + line_number * 7) % 40 + 1) * 37 % 90 + 9.95) * if(id % 3 = 0, 0.9, 1)
      as decimal(10, 2)
    ) as unit_price
  from range({{ first }}, {{ last + 1 }})
  lateral view explode(sequence(1, cast(id % 4 + 1 as int))) as line_number
{% endmacro %}
