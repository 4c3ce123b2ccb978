{#- A day at the shop: inserts, updates and deletes on all four tables. Which rows it meets depends
    on how many orders there are, so every call changes other rows, and always the same ones.

    dbt run-operation change_shop -#}
{% macro change_shop() %}
  {% set last_order = run_query('select max(order_id) from shop.orders').columns[0][0] | int %}
  {% set last_customer = run_query('select max(customer_id) from shop.customers').columns[0][0] | int %}
  {% set day = (last_order - 1000) // 20 %}

  {% for statement in [
    'insert into shop.customers ' ~ new_customers(last_customer + 1, last_customer + 2),
    'insert into shop.orders ' ~ new_orders(last_order + 1, last_order + 20),
    'insert into shop.order_lines ' ~ new_order_lines(last_order + 1, last_order + 20),

    "update shop.customers set country = if(country = 'JP', 'US', 'JP') where customer_id % 60 = "
      ~ (day + 1) % 60,
    "update shop.products set category = if(category = 'games', 'books', 'games') where product_id = "
      ~ (day % 40 + 3),
    "update shop.orders set status = 'shipped' where status = 'placed' and order_id <= "
      ~ (last_order - 20),
    'update shop.order_lines set quantity = quantity + 1 where order_id % 100 = ' ~ (day % 100),

    'delete from shop.order_lines where order_id % 200 = ' ~ (day % 200 + 1),
    'delete from shop.orders where order_id % 200 = ' ~ (day % 200 + 1),
    'delete from shop.customers where customer_id = ' ~ (day % 20 * 10 + 10),
  ] %}
    {% do run_query(statement) %}
  {% endfor %}
  {{ log('Changed shop.customers, shop.products, shop.orders and shop.order_lines.', info=true) }}
{% endmacro %}
