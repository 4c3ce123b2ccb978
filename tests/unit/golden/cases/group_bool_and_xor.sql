-- view
select user_id, bool_and(seconds > 1) as long, bool_or(seconds > 9) filter (where user_id > 1) as ever,
  bit_xor(seconds) as checksum
from clicks
group by user_id
having bool_or(seconds > 0)

-- types
long boolean
ever boolean
checksum int
bool_or boolean
__ivm_argument_long boolean
__ivm_argument_ever boolean
__ivm_argument_checksum int
__ivm_argument_bool_or boolean

-- state
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`__ivm_nonnull_long` AS `__ivm_nonnull_long`,
  `q`.`__ivm_deciding_long` AS `__ivm_deciding_long`,
  `q`.`__ivm_nonnull_ever` AS `__ivm_nonnull_ever`,
  `q`.`__ivm_deciding_ever` AS `__ivm_deciding_ever`,
  `q`.`__ivm_nonnull_checksum` AS `__ivm_nonnull_checksum`,
  `q`.`checksum` AS `checksum`,
  `q`.`__ivm_nonnull_bool_or` AS `__ivm_nonnull_bool_or`,
  `q`.`__ivm_deciding_bool_or` AS `__ivm_deciding_bool_or`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    COUNT(`clicks`.`seconds` > 1) AS `__ivm_nonnull_long`,
    COUNT(CASE WHEN NOT (
      `clicks`.`seconds` > 1
    ) THEN 1 END) AS `__ivm_deciding_long`,
    COUNT(CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END) AS `__ivm_nonnull_ever`,
    COUNT(
      CASE
        WHEN (
          CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END
        )
        THEN 1
      END
    ) AS `__ivm_deciding_ever`,
    COUNT(`clicks`.`seconds`) AS `__ivm_nonnull_checksum`,
    bit_xor(`clicks`.`seconds`) AS `checksum`,
    COUNT(`clicks`.`seconds` > 0) AS `__ivm_nonnull_bool_or`,
    COUNT(CASE WHEN (
      `clicks`.`seconds` > 0
    ) THEN 1 END) AS `__ivm_deciding_bool_or`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
  GROUP BY
    `clicks`.`user_id`
) AS `q`

-- visible
SELECT
  `state`.`user_id` AS `user_id_2`,
  CASE
    WHEN `state`.`__ivm_nonnull_long` <> 0
    THEN `state`.`__ivm_deciding_long` = 0
  END AS `long_2`,
  CASE
    WHEN `state`.`__ivm_nonnull_ever` <> 0
    THEN `state`.`__ivm_deciding_ever` <> 0
  END AS `ever_2`,
  `state`.`checksum` AS `checksum_2`
FROM `shop`.`v__ivm` AS `state`
WHERE
  CASE
    WHEN `state`.`__ivm_nonnull_bool_or` <> 0
    THEN `state`.`__ivm_deciding_bool_or` <> 0
  END

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `clicks`.`user_id` AS `user_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT (
          `clicks`.`seconds` > 1
        ) IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_long`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN NOT (
          `clicks`.`seconds` > 1
        ) THEN 1 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_long`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_ever`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE
          WHEN (
            CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END
          )
          THEN 1
        END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_ever`,
  COALESCE(
    SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_checksum`,
  bit_xor(`clicks`.`seconds`) AS `checksum`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT (
          `clicks`.`seconds` > 0
        ) IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_bool_or`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN (
          `clicks`.`seconds` > 0
        ) THEN 1 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_bool_or`,
  COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `user_id`,
    `seconds`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`clicks`', 8, 9)
) AS `clicks`
GROUP BY
  `clicks`.`user_id`
) as s
on `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_long` <> 0 OR `s`.`__ivm_deciding_long` <> 0 OR `s`.`__ivm_nonnull_ever` <> 0 OR `s`.`__ivm_deciding_ever` <> 0 OR `s`.`__ivm_nonnull_checksum` <> 0 OR NOT (`t`.`checksum` IS NOT DISTINCT FROM CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(COALESCE(`t`.`checksum`, 0) ^ COALESCE(`s`.`checksum`, 0) AS INT) END) OR `s`.`__ivm_nonnull_bool_or` <> 0 OR `s`.`__ivm_deciding_bool_or` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_long` = CASE WHEN `t`.`__ivm_nonnull_long` + `s`.`__ivm_nonnull_long` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_long` + `s`.`__ivm_nonnull_long` END,
  `__ivm_deciding_long` = CASE WHEN `t`.`__ivm_deciding_long` + `s`.`__ivm_deciding_long` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_long` + `s`.`__ivm_deciding_long` END,
  `__ivm_nonnull_ever` = CASE WHEN `t`.`__ivm_nonnull_ever` + `s`.`__ivm_nonnull_ever` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_ever` + `s`.`__ivm_nonnull_ever` END,
  `__ivm_deciding_ever` = CASE WHEN `t`.`__ivm_deciding_ever` + `s`.`__ivm_deciding_ever` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_ever` + `s`.`__ivm_deciding_ever` END,
  `__ivm_nonnull_checksum` = CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` END,
  `checksum` = CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(COALESCE(`t`.`checksum`, 0) ^ COALESCE(`s`.`checksum`, 0) AS INT) END,
  `__ivm_nonnull_bool_or` = CASE WHEN `t`.`__ivm_nonnull_bool_or` + `s`.`__ivm_nonnull_bool_or` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_bool_or` + `s`.`__ivm_nonnull_bool_or` END,
  `__ivm_deciding_bool_or` = CASE WHEN `t`.`__ivm_deciding_bool_or` + `s`.`__ivm_deciding_bool_or` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_bool_or` + `s`.`__ivm_deciding_bool_or` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_long`, `__ivm_deciding_long`, `__ivm_nonnull_ever`, `__ivm_deciding_ever`, `__ivm_nonnull_checksum`, `checksum`, `__ivm_nonnull_bool_or`, `__ivm_deciding_bool_or`, `user_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_long`,
  `s`.`__ivm_deciding_long`,
  `s`.`__ivm_nonnull_ever`,
  `s`.`__ivm_deciding_ever`,
  `s`.`__ivm_nonnull_checksum`,
  CASE WHEN `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(`s`.`checksum` AS INT) END,
  `s`.`__ivm_nonnull_bool_or`,
  `s`.`__ivm_deciding_bool_or`,
  `s`.`user_id`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `clicks`.`user_id` AS `user_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT (
          `clicks`.`seconds` > 1
        ) IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_long`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN NOT (
          `clicks`.`seconds` > 1
        ) THEN 1 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_long`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_ever`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE
          WHEN (
            CASE WHEN `clicks`.`user_id` > 1 THEN `clicks`.`seconds` > 9 END
          )
          THEN 1
        END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_ever`,
  COALESCE(
    SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_checksum`,
  bit_xor(`clicks`.`seconds`) AS `checksum`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT (
          `clicks`.`seconds` > 0
        ) IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_bool_or`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN (
          `clicks`.`seconds` > 0
        ) THEN 1 END IS NULL
        THEN `clicks`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_deciding_bool_or`,
  COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `user_id`,
    `seconds`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`clicks`', 8, 9)
) AS `clicks`
GROUP BY
  `clicks`.`user_id`
) as s
on `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_long` <> 0 OR `s`.`__ivm_deciding_long` <> 0 OR `s`.`__ivm_nonnull_ever` <> 0 OR `s`.`__ivm_deciding_ever` <> 0 OR `s`.`__ivm_nonnull_checksum` <> 0 OR NOT (`t`.`checksum` IS NOT DISTINCT FROM CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(COALESCE(`t`.`checksum`, 0) ^ COALESCE(`s`.`checksum`, 0) AS INT) END) OR `s`.`__ivm_nonnull_bool_or` <> 0 OR `s`.`__ivm_deciding_bool_or` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_long` = CASE WHEN `t`.`__ivm_nonnull_long` + `s`.`__ivm_nonnull_long` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_long` + `s`.`__ivm_nonnull_long` END,
  `__ivm_deciding_long` = CASE WHEN `t`.`__ivm_deciding_long` + `s`.`__ivm_deciding_long` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_long` + `s`.`__ivm_deciding_long` END,
  `__ivm_nonnull_ever` = CASE WHEN `t`.`__ivm_nonnull_ever` + `s`.`__ivm_nonnull_ever` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_ever` + `s`.`__ivm_nonnull_ever` END,
  `__ivm_deciding_ever` = CASE WHEN `t`.`__ivm_deciding_ever` + `s`.`__ivm_deciding_ever` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_ever` + `s`.`__ivm_deciding_ever` END,
  `__ivm_nonnull_checksum` = CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` END,
  `checksum` = CASE WHEN `t`.`__ivm_nonnull_checksum` + `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(COALESCE(`t`.`checksum`, 0) ^ COALESCE(`s`.`checksum`, 0) AS INT) END,
  `__ivm_nonnull_bool_or` = CASE WHEN `t`.`__ivm_nonnull_bool_or` + `s`.`__ivm_nonnull_bool_or` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_bool_or` + `s`.`__ivm_nonnull_bool_or` END,
  `__ivm_deciding_bool_or` = CASE WHEN `t`.`__ivm_deciding_bool_or` + `s`.`__ivm_deciding_bool_or` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_deciding_bool_or` + `s`.`__ivm_deciding_bool_or` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_long`, `__ivm_deciding_long`, `__ivm_nonnull_ever`, `__ivm_deciding_ever`, `__ivm_nonnull_checksum`, `checksum`, `__ivm_nonnull_bool_or`, `__ivm_deciding_bool_or`, `user_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_long`,
  `s`.`__ivm_deciding_long`,
  `s`.`__ivm_nonnull_ever`,
  `s`.`__ivm_deciding_ever`,
  `s`.`__ivm_nonnull_checksum`,
  CASE WHEN `s`.`__ivm_nonnull_checksum` <> 0 THEN CAST(`s`.`checksum` AS INT) END,
  `s`.`__ivm_nonnull_bool_or`,
  `s`.`__ivm_deciding_bool_or`,
  `s`.`user_id`
)
