"""Which settings of a session count, and what a rejected statement is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind
from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.plan.reading import read
from dbt.adapters.ivm_spark.plan.refusals import rejection
from dbt.adapters.ivm_spark.plan.result_settings import (
    DEFAULTS,
    HARMLESS,
    differing,
    result_settings,
)
from dbt.adapters.ivm_spark.session.settings import EXTENSIONS, spark_settings
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.sql.fingerprint import fingerprint_text, made_under

ZONE = "spark.sql.session.timeZone"
ANSI = "spark.sql.ansi.enabled"


def test_a_setting_counts_unless_it_is_known_to_change_no_row() -> None:
    counted = {
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.legacy.timeParserPolicy": "LEGACY",
        "spark.sql.that.nobody.knows": "1",
        ZONE: "UTC",
    }
    left_out = {
        "spark.sql.timestampType.not": "x",
        "spark.sql.shuffle.partitions": "7",
        "spark.sql.adaptive.enabled": "false",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.app.name": "dbt",
    }
    assert result_settings(counted | left_out) == counted | {"spark.sql.timestampType.not": "x"}


def test_a_setting_at_its_default_counts_as_unset() -> None:
    assert result_settings({k: v.lower() for k, v in DEFAULTS.items()}) == {}


def test_no_setting_that_a_spark_of_ours_starts_with_counts() -> None:
    """Otherwise each view would be rebuilt once after an upgrade that adds one."""
    assert set(result_settings(spark_settings({}, "a:b:1", Path("/logs")))) == {EXTENSIONS}


def test_each_harmless_setting_says_why() -> None:
    assert all(HARMLESS.values())
    assert not [key for key in DEFAULTS if key.startswith(tuple(HARMLESS))]


@pytest.mark.parametrize(
    ("view", "found"),
    [
        ({ANSI: "false", ZONE: "UTC"}, []),
        ({ANSI: "true", ZONE: "UTC"}, [ANSI]),
        ({ANSI: "false", ZONE: "Asia/Tokyo"}, [ZONE]),
        (
            {ANSI: "false", ZONE: "UTC", "spark.sql.caseSensitive": "true"},
            ["spark.sql.caseSensitive"],
        ),
        ({ANSI: "false", ZONE: "UTC", "spark.sql.caseSensitive": "false"}, []),
        ({ANSI: "false", ZONE: "UTC", "spark.sql.shuffle.partitions": "9"}, []),
        ({ZONE: "UTC"}, []),
    ],
)
def test_settings_that_a_view_was_created_under(view: dict[str, str], found: list[str]) -> None:
    session = {ANSI: "false", ZONE: "UTC", "spark.sql.extensions": "x"}
    assert differing(view, session) == found


def test_defaults_of_the_machine_are_asked_for_once_a_run() -> None:
    sent: list[str] = []

    def query(sql: str) -> list[dict[str, str]]:
        sent.append(sql)
        asked = {f"set {ZONE}": (ZONE, "UTC"), f"set {ANSI}": (ANSI, "true")}
        key, value = asked.get(sql, ("spark.sql.caseSensitive", "true"))
        return [{"key": key, "value": value}]

    pins = Pins()
    for _ in range(2):
        found = pins.settings(SourceReader(query))
        assert found == {"spark.sql.caseSensitive": "true", ZONE: "UTC", ANSI: "true"}
    assert sent == ["set", f"set {ZONE}", f"set {ANSI}", "set"]


@pytest.mark.parametrize(
    ("state", "rejected"),
    [
        ("42703", True), ("42K09", True), ("0A000", True), ("XX000", True), ("21S01", True),
        ("22012", False), ("42501", False), ("XXKDA", False), ("HY008", False), ("P0001", False),
    ],
)  # fmt: skip
def test_a_rejection_is_told_from_other_errors(state: str, rejected: bool) -> None:
    reason = rejection(f"[SOME_CONDITION] Something. SQLSTATE: {state}; line 1 pos 7")
    assert (reason is not None) is rejected
    assert rejection("the connection was lost") is None


def test_how_binary_values_are_printed_counts_only_where_they_are() -> None:
    style = {"spark.sql.binaryOutputStyle": "UTF-8"}

    def found(sql: str, settings: dict[str, str]) -> str:
        return fingerprint_text(sql, settings)

    plain = "select cast(b as string) as t from s.facts"
    printed = "select to_csv(struct(b)) as t from s.facts"
    assert found(plain, style) == found(plain, {})
    assert found(printed, style) != found(printed, {})
    assert made_under(found(plain, style), style)
    assert made_under(found(printed, style), style)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("select concat(b, b) as t from s.facts", None),
        ("select to_csv(struct(b)) as t from s.facts", ReasonCode.VIEW_SETTINGS_DIFFER),
    ],
)
def test_a_view_feels_how_binary_values_are_printed_only_where_they_are(
    text: str, reason: ReasonCode | None
) -> None:
    facts = Relation("`s`.`facts`", RelationKind.DELTA, (("b", "binary"),))
    made = (("spark.sql.binaryOutputStyle", "UTF-8"),)
    view = Relation(
        "`s`.`v`", RelationKind.VIEW, (("t", "string"),), text, ("s",), ("t",), settings=made
    )
    found = read("select t from s.v", Catalog().with_relations((facts, view)), {})
    code = None if found.unsupported_reason is None else found.unsupported_reason.code
    assert code is reason
