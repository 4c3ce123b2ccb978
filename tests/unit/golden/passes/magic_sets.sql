-- view
select c.name, o.total
from (select customer_id, sum(amount) as total from orders group by customer_id) o
join customers c on o.customer_id = c.customer_id
where c.segment = 'x'

-- moved
orders

-- pass
magic sets

-- before
Project c_name as name, total_2 as total_3, __ivm_weight
  Project customer_id_2, total_2, c_customer_id, c_segment, c_name, __ivm_weight
    Join customer_id_2 = c_customer_id and c_segment = 'x'
      Project customer_id as customer_id_2, total as total_2, __ivm_weight
        Project customer_id, total, __ivm_side as __ivm_weight
          Aggregate by orders_customer_id as customer_id, __ivm_side: sum(orders_amount) as total
            Project orders_customer_id, orders_amount, __ivm_side
              Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
                Filter __ivm_times > 0
                  Aggregate by orders_customer_id, orders_amount, __ivm_side: SUM(__ivm_weight) as __ivm_times
                    UnionAll
                      Project orders_customer_id, orders_amount, __ivm_side, 1 as __ivm_weight
                        Generate EXPLODE(array(1, -1))
                          Project orders_customer_id, orders_amount
                            SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                              Project orders_customer_id, orders_amount, orders_customer_id as __ivm_key_0
                                Scan shop.orders post
                              Distinct
                                Project orders_customer_id as __ivm_touched_0
                                  Scan shop.orders changes
                      Project orders_customer_id, orders_amount, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                        Scan shop.orders changes
      Scan shop.customers post

-- after
Project c_name as name, total_2 as total_3, __ivm_weight
  Project customer_id_2, total_2, c_customer_id, c_segment, c_name, __ivm_weight
    Join customer_id_2 = c_customer_id and c_segment = 'x'
      Project customer_id as customer_id_2, total as total_2, __ivm_weight
        Project customer_id, total, __ivm_side as __ivm_weight
          Aggregate by orders_customer_id as customer_id, __ivm_side: sum(orders_amount) as total
            Project orders_customer_id, orders_amount, __ivm_side
              Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
                Filter __ivm_times > 0
                  Aggregate by orders_customer_id, orders_amount, __ivm_side: SUM(__ivm_weight) as __ivm_times
                    UnionAll
                      Project orders_customer_id, orders_amount, __ivm_side, 1 as __ivm_weight
                        Generate EXPLODE(array(1, -1))
                          Project orders_customer_id, orders_amount
                            SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                              Project orders_customer_id, orders_amount, orders_customer_id as __ivm_key_0
                                Scan shop.orders post
                              Distinct
                                Project orders_customer_id as __ivm_touched_0
                                  SemiJoin orders_customer_id = __ivm_let_through
                                    Scan shop.orders changes
                                    Project c_customer_id as __ivm_let_through
                                      Filter c_segment = 'x'
                                        Scan shop.customers post
                      Project orders_customer_id, orders_amount, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                        SemiJoin orders_customer_id = __ivm_let_through
                          Scan shop.orders changes
                          Project c_customer_id as __ivm_let_through
                            Filter c_segment = 'x'
                              Scan shop.customers post
      Scan shop.customers post
