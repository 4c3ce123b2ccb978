"""Each finding comes from its facts, with what mends it, and from no others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.facts import (
    KeyFacts,
    MetFacts,
    ModelFacts,
    ReferenceFacts,
)
from dbt.adapters.ivm_spark.commands.doctor.rules import RULES, examined
from tests.unit.commands.doctor.models import DAY, HEALTHY, HOUR, NOW, ORDERS, STATE

FEED = "delta.enableChangeDataFeed"
LASTING = Reason(ReasonCode.WINDOW_WITHOUT_PARTITION_BY, "row_number")
KEY = KeyFacts(("id",), "a constraint")
MET = MetFacts("`shop`.`orders`", "customer", 24, 23.6)
REFERENCE = ReferenceFacts(("customer",), "`shop`.`customers`", ("id",), "customer = 7")


def of_source(**changed: Any) -> ModelFacts:
    return replace(HEALTHY, sources=(replace(ORDERS, **changed),))


ILL = {
    "NOT_BUILT": (
        replace(HEALTHY, kind="initial", state=None),
        "info",
        "dbt run --select revenue",
    ),
    "RUN_WOULD_FAIL": (replace(HEALTHY, refused="no table x"), "error", "see the message"),
    "NEVER_INCREMENTAL": (
        replace(HEALTHY, kind="full", reason=LASTING, unsupported_reason=LASTING),
        "warning",
        "Give the window a PARTITION BY.",
    ),
    "NEXT_REFRESH_FULL": (
        replace(HEALTHY, kind="full", reason=Reason(ReasonCode.STATE_MODIFIED, "DELETE at 3")),
        "warning",
        "dbt run --select revenue",
    ),
    "FEED_OFF": (
        replace(of_source(feed_since=None), kind="full", reason=Reason(ReasonCode.CDF_UNAVAILABLE)),
        "warning",
        f"ALTER TABLE `shop`.`orders` SET TBLPROPERTIES ('{FEED}' = 'true');",
    ),
    "SOURCE_OF_FILES": (
        of_source(feed_since=None, files_kept=0.0, log_kept=0.0, replaced=True, files=True),
        "info",
        "if it changes often, store it as a Delta table",
    ),
    "CHANGES_UNREADABLE": (
        of_source(feed_since=None, snapshots=True, unreadable="delete files"),
        "warning",
        "ALTER TABLE `shop`.`orders` SET TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', "
        "'write.update.mode' = 'copy-on-write', 'write.merge.mode' = 'copy-on-write'); then "
        "rewrite its data files, so that no delete file is left",
    ),
    "STORE_CAN_LOSE_COMMITS": (
        replace(HEALTHY, state=replace(STATE, unsafe="s3a")),
        "warning",
        "write each table from one Spark driver at a time, or set spark.delta.logStore.s3a.impl "
        "to io.delta.storage.S3DynamoDBLogStore for all drivers",
    ),
    "PROPERTIES_WILL_BE_DROPPED": (
        of_source(drops=((FEED, "true"),), parent="orders", parent_kind="table"),
        "warning",
        f"set in the config of orders: tblproperties: {{'{FEED}': 'true'}}",
    ),
    "SOURCE_REPLACED": (
        replace(
            of_source(replaced=True, table_id="b"),
            kind="full",
            reason=Reason(ReasonCode.SOURCE_REPLACED),
        ),
        "warning",
        "dbt run --select revenue; then load shop.orders with CREATE OR REPLACE TABLE or "
        "INSERT OVERWRITE, which keep its history",
    ),
    "CHANGES_EXPIRE_SOON": (
        of_source(unread_since=NOW - 5 * DAY),
        "warning",
        "dbt run --select revenue; ALTER TABLE `shop`.`orders` SET TBLPROPERTIES "
        "('delta.deletedFileRetentionDuration' = 'interval 10 days');",
    ),
    "CHANGES_LOST": (
        of_source(unread_since=NOW - 8 * DAY),
        "error",
        "dbt run --select revenue; ALTER TABLE `shop`.`orders` SET TBLPROPERTIES "
        "('delta.deletedFileRetentionDuration' = 'interval 16 days');",
    ),
    "SHORT_RETENTION": (
        of_source(files_kept=8 * 3600.0),
        "warning",
        "ALTER TABLE `shop`.`orders` SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = "
        "'interval 7 days');",
    ),
    "KEY_NOT_UNIQUE": (
        of_source(keys=(replace(KEY, duplicate="id = 7"),)),
        "warning",
        "SELECT id, count(*) FROM `shop`.`orders` GROUP BY id HAVING count(*) > 1;",
    ),
    "FOREIGN_KEY_BROKEN": (
        of_source(references=(REFERENCE,)),
        "error",
        "remove shop.customers from foreign_keys, or these rows from shop.orders; then dbt run "
        "--select revenue --full-refresh",
    ),
    "NOT_CLUSTERED_BY_KEY": (
        replace(HEALTHY, met=(MET,)),
        "info",
        "ALTER TABLE `shop`.`orders` CLUSTER BY (`customer`); OPTIMIZE `shop`.`orders` FULL; "
        "unless other queries need the layout that it has",
    ),
    "MANY_SMALL_FILES": (
        replace(HEALTHY, state=replace(STATE, files=201, size=201_000)),
        "warning",
        "OPTIMIZE `shop`.`revenue__ivm`;",
    ),
    "VIEW_HELD": (
        replace(HEALTHY, state=replace(STATE, held=True)),
        "warning",
        "dbt run --select revenue",
    ),
    "DRIFT": (replace(HEALTHY, drift=3), "error", "dbt run --select revenue --full-refresh"),
    "DRIFT_UNCHECKED": (replace(HEALTHY, unchecked="rand()"), "info", "see the message"),
}


@pytest.mark.parametrize("code", ILL)
def test_each_problem_gives_one_finding(code: str) -> None:
    facts, severity, remedy = ILL[code]
    (found,) = examined(facts)
    assert (found.code, found.severity.value, found.remedy) == (code, severity, remedy)


def test_a_key_that_refreshes_trust_must_hold() -> None:
    (found,) = examined(of_source(keys=(replace(KEY, duplicate="id = 7", trusted=True),)))
    assert (found.code, found.severity.value) == ("KEY_NOT_UNIQUE", "error")


def test_every_rule_has_a_case() -> None:
    silent = [rule for rule in RULES if not any(list(rule(facts)) for facts, _, _ in ILL.values())]
    assert not silent


@pytest.mark.parametrize(
    "facts",
    [
        HEALTHY,
        replace(HEALTHY, drift=0),
        of_source(keys=(KEY, replace(KEY, duplicate=""))),
        of_source(references=(replace(REFERENCE, orphan=None), replace(REFERENCE, orphan=""))),
        replace(HEALTHY, met=(replace(MET, read=1.2), replace(MET, files=2, read=2.0))),
        of_source(unread_since=None, unread=0, files_kept=86400.0),
        of_source(feed_since=None, tracked=True),
        of_source(feed_since=None, snapshots=True),
        replace(HEALTHY, state=replace(STATE, files=900, size=900 * 100_000_000)),
        replace(
            HEALTHY,
            kind="full",
            policy="full",
            reason=Reason(ReasonCode.FULL_REFRESH_REQUESTED, "refresh_policy: full"),
        ),
        replace(HEALTHY, kind="full", policy="full", reason=LASTING, unsupported_reason=LASTING),
    ],
)
def test_a_healthy_model_has_no_findings(facts: ModelFacts) -> None:
    assert examined(facts) == ()


def test_a_never_incremental_model_needs_no_feed() -> None:
    facts = replace(of_source(feed_since=None, files_kept=3600.0), unsupported_reason=LASTING)
    assert [f.code for f in examined(facts)] == ["NEVER_INCREMENTAL"]


def test_a_forbidden_full_refresh_has_full_refresh_as_remedy() -> None:
    full = replace(HEALTHY, kind="full", policy="incremental_strict", refused="a full refresh")
    facts = replace(full, reason=Reason(ReasonCode.STATE_MODIFIED))
    remedy = "dbt run --select revenue --full-refresh"
    assert [f.remedy for f in examined(facts)] == [remedy, remedy]
    dear = Reason(ReasonCode.COST_MODEL, "9 of 10 rows changed")
    (found,) = examined(replace(HEALTHY, kind="full", reason=dear))
    assert found.remedy == ReasonCode.COST_MODEL.remedy


def test_the_most_severe_finding_comes_first() -> None:
    facts = replace(of_source(feed_since=None, unread_since=NOW - 8 * DAY), unchecked="x")
    assert [f.severity.value for f in examined(facts)] == ["error", "warning", "info"]


def test_changes_warn_after_half_a_retention() -> None:
    limit = 7 * DAY // 2
    assert examined(of_source(unread_since=NOW - limit + HOUR)) == ()
    assert [f.code for f in examined(of_source(unread_since=NOW - limit))] == [
        "CHANGES_EXPIRE_SOON"
    ]
