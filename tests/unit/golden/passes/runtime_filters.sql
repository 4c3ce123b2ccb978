-- view
select k.seconds, o.amount
from clicks k join orders o on o.customer_id = k.user_id

-- moved
clicks

-- pass
runtime filters

-- before
Project k_seconds as seconds, o_amount as amount, __ivm_weight
  Project k_user_id, k_seconds, o_customer_id, o_amount, __ivm_weight
    Join o_customer_id = k_user_id
      Scan shop.clicks changes
      Scan shop.orders post

-- after
Project k_seconds as seconds, o_amount as amount, __ivm_weight
  Project k_user_id, k_seconds, o_customer_id, o_amount, __ivm_weight
    Join o_customer_id = k_user_id
      Scan shop.clicks changes
      RuntimeFilter o_customer_id among k_user_id
        Scan shop.orders post
        Scan shop.clicks changes
