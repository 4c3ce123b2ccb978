-- view
select c.customer_id, c.name
from customers c
where not exists (
  select 1 from orders o where o.customer_id = c.customer_id and o.note rlike '^a'
)

-- moved
orders customers

-- pass
expensive predicates

-- before
Project c_customer_id as customer_id, c_name as name, __ivm_weight
  Project c_customer_id, c_name, __ivm_weight
    Project c_customer_id, c_name, __ivm_side_1 as __ivm_weight
      SemiJoin anti o_customer_id = c_customer_id and __ivm_side_1 = __ivm_side_2
        Project c_customer_id, c_name, __ivm_side as __ivm_side_1
          Project c_customer_id, c_name, __ivm_side
            Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
              Filter __ivm_times > 0
                Aggregate by c_customer_id, c_name, __ivm_side: SUM(__ivm_weight) as __ivm_times
                  UnionAll
                    Project c_customer_id, c_name, __ivm_side, 1 as __ivm_weight
                      Generate EXPLODE(array(1, -1))
                        Project c_customer_id, c_name
                          SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                            Project c_customer_id, c_name, c_customer_id as __ivm_key_0
                              Scan shop.customers post
                            Distinct
                              UnionAll
                                Project c_customer_id as __ivm_touched_0
                                  Scan shop.customers changes
                                Project o_customer_id as __ivm_touched_0
                                  Scan shop.orders changes
                    Project c_customer_id, c_name, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                      Scan shop.customers changes
        Filter o_note RLIKE '^a'
          Project o_customer_id, o_note, __ivm_side as __ivm_side_2
            Project o_customer_id, o_note, __ivm_side
              Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
                Filter __ivm_times > 0
                  Aggregate by o_customer_id, o_note, __ivm_side: SUM(__ivm_weight) as __ivm_times
                    UnionAll
                      Project o_customer_id, o_note, __ivm_side, 1 as __ivm_weight
                        Generate EXPLODE(array(1, -1))
                          Project o_customer_id, o_note
                            SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                              Project o_customer_id, o_note, o_customer_id as __ivm_key_0
                                Scan shop.orders post
                              Distinct
                                UnionAll
                                  Project c_customer_id as __ivm_touched_0
                                    Scan shop.customers changes
                                  Project o_customer_id as __ivm_touched_0
                                    Scan shop.orders changes
                      Project o_customer_id, o_note, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                        Scan shop.orders changes

-- after
Project c_customer_id as customer_id, c_name as name, __ivm_weight
  Project c_customer_id, c_name, __ivm_weight
    Project c_customer_id, c_name, __ivm_side_1 as __ivm_weight
      SemiJoin anti o_customer_id = c_customer_id and __ivm_side_1 = __ivm_side_2
        Project c_customer_id, c_name, __ivm_side as __ivm_side_1
          Project c_customer_id, c_name, __ivm_side
            Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
              Filter __ivm_times > 0
                Aggregate by c_customer_id, c_name, __ivm_side: SUM(__ivm_weight) as __ivm_times
                  UnionAll
                    Project c_customer_id, c_name, __ivm_side, 1 as __ivm_weight
                      Generate EXPLODE(array(1, -1))
                        Project c_customer_id, c_name
                          SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                            Project c_customer_id, c_name, c_customer_id as __ivm_key_0
                              Scan shop.customers post
                            Distinct
                              UnionAll
                                Project c_customer_id as __ivm_touched_0
                                  Scan shop.customers changes
                                Project o_customer_id as __ivm_touched_0
                                  Scan shop.orders changes
                    Project c_customer_id, c_name, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                      Scan shop.customers changes
        Filter o_note RLIKE '^a'
          Materialize
            Project o_customer_id, o_note, __ivm_side as __ivm_side_2
              Project o_customer_id, o_note, __ivm_side
                Generate EXPLODE(array_repeat(0, CAST(__ivm_times AS INT)))
                  Filter __ivm_times > 0
                    Aggregate by o_customer_id, o_note, __ivm_side: SUM(__ivm_weight) as __ivm_times
                      UnionAll
                        Project o_customer_id, o_note, __ivm_side, 1 as __ivm_weight
                          Generate EXPLODE(array(1, -1))
                            Project o_customer_id, o_note
                              SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                                Project o_customer_id, o_note, o_customer_id as __ivm_key_0
                                  Scan shop.orders post
                                Distinct
                                  UnionAll
                                    Project c_customer_id as __ivm_touched_0
                                      Scan shop.customers changes
                                    Project o_customer_id as __ivm_touched_0
                                      Scan shop.orders changes
                        Project o_customer_id, o_note, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                          Scan shop.orders changes
