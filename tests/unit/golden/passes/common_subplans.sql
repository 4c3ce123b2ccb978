-- view
select user_id, max(seconds) as most
from clicks
group by user_id

-- moved
clicks

-- pass
common subplans

-- before
Project user_id as user_id_2, most as most_2, __ivm_weight
  Project user_id, most, __ivm_side as __ivm_weight
    Aggregate by clicks_user_id as user_id, __ivm_side: max(clicks_seconds) as most
      Project clicks_user_id, clicks_seconds, __ivm_side
        Filter __ivm_times > 0
          Aggregate by clicks_user_id, clicks_seconds, __ivm_side: SUM(__ivm_weight) as __ivm_times
            UnionAll
              Project clicks_user_id, clicks_seconds, __ivm_side, 1 as __ivm_weight
                Generate EXPLODE(array(1, -1))
                  Project clicks_user_id, clicks_seconds
                    SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                      Project clicks_user_id, clicks_seconds, clicks_user_id as __ivm_key_0
                        Scan shop.clicks post
                      Distinct
                        Project clicks_user_id as __ivm_touched_0
                          Scan shop.clicks changes
              Project clicks_user_id, clicks_seconds, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                Scan shop.clicks changes

-- after
ivm_materialized_1:
Scan shop.clicks changes
then:
Project user_id as user_id_2, most as most_2, __ivm_weight
  Project user_id, most, __ivm_side as __ivm_weight
    Aggregate by clicks_user_id as user_id, __ivm_side: max(clicks_seconds) as most
      Project clicks_user_id, clicks_seconds, __ivm_side
        Filter __ivm_times > 0
          Aggregate by clicks_user_id, clicks_seconds, __ivm_side: SUM(__ivm_weight) as __ivm_times
            UnionAll
              Project clicks_user_id, clicks_seconds, __ivm_side, 1 as __ivm_weight
                Generate EXPLODE(array(1, -1))
                  Project clicks_user_id, clicks_seconds
                    SemiJoin __ivm_key_0 IS NOT DISTINCT FROM __ivm_touched_0
                      Project clicks_user_id, clicks_seconds, clicks_user_id as __ivm_key_0
                        Scan shop.clicks post
                      Distinct
                        Project clicks_user_id as __ivm_touched_0
                          Scan ivm_materialized_1 temporary
              Project clicks_user_id, clicks_seconds, -1 as __ivm_side, -__ivm_weight as __ivm_weight
                Scan ivm_materialized_1 temporary
