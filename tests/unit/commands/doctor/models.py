"""Models in every state of health."""

from __future__ import annotations

from dbt.adapters.ivm_spark.commands.doctor.facts import ModelFacts, SourceFacts, StateFacts

NOW = 1_800_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR

ORDERS = SourceFacts(
    name="`shop`.`orders`",
    feed_since=(0, NOW - 9 * DAY),
    version=14,
    recorded=12,
    unread=2,
    unread_since=NOW - 3 * HOUR,
    files_kept=7 * 86400.0,
    log_kept=30 * 86400.0,
    table_id="a",
    recorded_id="a",
)
STATE = StateFacts("`shop`.`revenue__ivm`", 3, 12_400, 14, NOW - 4 * HOUR)
HEALTHY = ModelFacts(
    model="revenue",
    view="`shop`.`revenue`",
    policy="auto",
    now=NOW,
    kind="incremental",
    technique="group_aggregate",
    state=STATE,
    sources=(ORDERS,),
)
