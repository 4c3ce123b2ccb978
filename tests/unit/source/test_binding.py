"""How a scan of a source is written for Spark."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import At, Scan
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.version_range import ChangeSource, Head, VersionRange

NAME = "`s`.`t`"


def _sql(head: Head, at: At, source: ChangeSource = ChangeSource.FEED) -> str:
    first = 7 if source is ChangeSource.SNAPSHOTS else 8
    moved = VersionRange(7, 9, Effect.GENERAL, 3, first=first, source=source)
    versions = Versions.of({NAME: moved}, {NAME: head})
    bound = versions.bind(Scan(NAME, "t", (("k", "k"),), at))
    return to_sql(exp.select("*").from_(bound.table))


def test_a_delta_table_is_read_at_its_version() -> None:
    assert _sql(Head(9, True), At.POST) == "SELECT * FROM `s`.`t` VERSION AS OF 9 AS `t`"


def test_a_table_of_files_is_read_as_it_is() -> None:
    assert _sql(Head(0, False, kind=RelationKind.FILES), At.POST) == "SELECT * FROM `s`.`t` AS `t`"


def test_a_change_is_read_from_the_feed_or_found_by_the_ids_of_rows() -> None:
    assert "FROM table_changes('`s`.`t`', 8, 9)) AS `t`" in _sql(Head(9, True), At.CHANGES)
    tracked = _sql(Head(9, False, tracked=True), At.CHANGES, ChangeSource.TRACKING)
    assert "FROM `s`.`t` CHANGES FROM VERSION 8 TO VERSION 9) AS `t`" in tracked


def test_an_iceberg_table_is_read_at_a_snapshot_and_by_its_change_log() -> None:
    head = Head(9, False, kind=RelationKind.ICEBERG)
    assert _sql(head, At.POST) == "SELECT * FROM `s`.`t` VERSION AS OF 9 AS `t`"
    assert _sql(head, At.CHANGES, ChangeSource.SNAPSHOTS) == (
        "SELECT * FROM (SELECT `k`, "
        "IF(`_change_type` IN ('INSERT'), 1, -1) AS `__ivm_weight` FROM `s`.`t`.`changes` "
        "WITH (`start-snapshot-id` = '7', `end-snapshot-id` = '9')) AS `t`"
    )
