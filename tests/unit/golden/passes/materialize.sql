-- view
select c.segment, o.amount
from clicks k
join customers c on c.customer_id = k.user_id
join orders o on o.customer_id = c.customer_id

-- moved
clicks

-- pass
materialize

-- before
Project c_segment as segment, o_amount as amount, __ivm_weight
  Project k_user_id, c_customer_id, c_segment, o_customer_id, o_amount, __ivm_weight
    Join c_customer_id = k_user_id and o_customer_id = c_customer_id
      Scan shop.clicks changes
      Scan shop.customers post
      Scan shop.orders post

-- after
Project c_segment as segment, o_amount as amount, __ivm_weight
  Project k_user_id, c_customer_id, c_segment, o_customer_id, o_amount, __ivm_weight
    Project k_user_id, c_customer_id, c_segment, o_customer_id, o_amount, __ivm_weight
      Join o_customer_id = c_customer_id
        Materialize
          Join c_customer_id = k_user_id
            Scan shop.clicks changes
            Scan shop.customers post
        Scan shop.orders post
