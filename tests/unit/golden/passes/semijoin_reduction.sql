-- view
select k.seconds, o.total
from clicks k
left join (select customer_id, sum(amount) as total from orders group by customer_id) o
  on o.customer_id = k.user_id

-- moved
clicks

-- pass
semi-join reduction

-- before
Project k_seconds as seconds, total_2 as total_3, __ivm_weight
  Project k_user_id, k_seconds, customer_id_2, total_2, __ivm_weight
    Project k_user_id, k_seconds, customer_id_2, total_2, __ivm_weight
      OuterJoin LEFT customer_id_2 = k_user_id
        Scan shop.clicks changes
        Project customer_id as customer_id_2, total as total_2
          Aggregate by orders_customer_id as customer_id: sum(orders_amount) as total
            Scan shop.orders post

-- after
Project k_seconds as seconds, total_2 as total_3, __ivm_weight
  Project k_user_id, k_seconds, customer_id_2, total_2, __ivm_weight
    Project k_user_id, k_seconds, customer_id_2, total_2, __ivm_weight
      OuterJoin LEFT customer_id_2 = k_user_id
        Scan shop.clicks changes
        Project customer_id as customer_id_2, total as total_2
          Aggregate by orders_customer_id as customer_id: sum(orders_amount) as total
            SemiJoin orders_customer_id = __ivm_met_0
              Scan shop.orders post
              Project k_user_id as __ivm_met_0
                Scan shop.clicks changes
