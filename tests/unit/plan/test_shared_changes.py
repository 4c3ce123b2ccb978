"""What the models of a run share of a source's change, and when they do not."""

from __future__ import annotations

from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.plan import shared_changes
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.version_range import VersionRange

COLUMNS = (("k", "int"), ("v", "string"))


class Spark:
    """Takes statements and notes them; fails at those that have a text."""

    def __init__(self, fails_at: str = "no such text", says: str = "[NO_ROOM] full") -> None:
        self.sent: list[str] = []
        self._fails_at, self._says = fails_at, says

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        self.sent.append(sql)
        if self._fails_at in sql:
            raise DbtDatabaseError(self._says)
        return [{"value": "false"}]


def changed(rows: int, pinned: int = 7) -> VersionRange:
    return VersionRange(5, pinned, Effect.GENERAL, rows, first=6)


def test_a_feed_is_stored_once_for_each_range() -> None:
    spark, changes = Spark(), SharedChanges()
    first = changes.feed(spark, "`s`.`t`", changed(10), COLUMNS)
    assert first == changes.feed(spark, "`s`.`t`", changed(10), COLUMNS)
    assert first != changes.feed(spark, "`s`.`t`", changed(10, pinned=8), COLUMNS)
    assert first != changes.feed(spark, "`s`.`t`", changed(10), COLUMNS[:1])
    assert sum("cache table" in sql for sql in spark.sent) == 3
    changes.drop(spark)
    assert spark.sent[-3:] == [f"drop view if exists {name}" for name in _stored(spark)]
    assert not changes.any_materialized


def test_the_driver_keeps_few_rows_and_not_too_many_of_them() -> None:
    kept: list[str] = []
    spark = Spark()
    changes = SharedChanges(lambda name, _: kept.append(name) is None)
    for place in range(12):
        changes.feed(spark, f"`s`.`t{place}`", changed(shared_changes.FEW_ROWS), COLUMNS)
    changes.feed(spark, "`s`.`big`", changed(shared_changes.FEW_ROWS + 1), COLUMNS)
    assert len(kept) == 10
    assert len(_stored(spark)) == 3
    changes.drop(spark)
    assert sum("drop view" in sql for sql in spark.sent) == 13


@pytest.mark.parametrize("fails_at", ("create global", "cache table"))
def test_a_feed_that_cannot_be_stored_is_not_shared(fails_at: str) -> None:
    spark, changes = Spark(fails_at), SharedChanges()
    for _ in range(2):
        assert changes.feed(spark, "`s`.`t`", changed(10), COLUMNS) is None
    assert sum("create global" in sql for sql in spark.sent) == 1
    assert not changes.any_materialized


@pytest.mark.parametrize("what", ("feed", "net"))
def test_a_cancelled_run_ends(what: str) -> None:
    spark = Spark("cache table", "[OPERATION_CANCELED] no SQLSTATE: XXKDA")
    with pytest.raises(DbtDatabaseError):
        getattr(SharedChanges(), what)(spark, "`s`.`t`", changed(10), COLUMNS)
    assert "drop view" in spark.sent[-1]


def _stored(spark: Spark) -> list[str]:
    return [sql.removeprefix("cache table ") for sql in spark.sent if "cache table" in sql]
