from typing import Any

import pytest

from dbt.adapters.ivm_spark.session.file_stats import Column, known_columns

KNOWN = "byte short integer long float double boolean binary date string timestamp timestamp_ntz"


def fields(*types: Any) -> list[dict[str, Any]]:
    return [{"name": f"c{n}", "type": one} for n, one in enumerate(types)]


@pytest.mark.parametrize("type_name", [*KNOWN.split(), "decimal(9,2)", "decimal(38,0)"])
def test_types_that_a_footer_tells(type_name: str) -> None:
    found = known_columns(fields("long", type_name), [], [])
    assert found == (Column("c0", "long"), Column("c1", type_name))


@pytest.mark.parametrize(
    "type_name",
    ["void", "variant", "interval day to second", "char(3)", {"type": "array"}, {"type": "struct"}],
)
def test_one_other_type_leaves_all_to_delta(type_name: Any) -> None:
    assert known_columns(fields("long", type_name), [], []) is None


@pytest.mark.parametrize(
    "key",
    [
        "spark.databricks.delta.stats.collect",
        "spark.sql.parquet.outputTimestampType",
        "spark.sql.parquet.datetimeRebaseModeInWrite",
        "spark.sql.legacy.parquet.datetimeRebaseModeInWrite",
        "spark.sql.parquet.writeLegacyFormat",
        "spark.sql.parquet.a.later.one",
        "spark.hadoop.parquet.column.statistics.enabled",
        "parquet.encryption.footer.key",
    ],
)
def test_settings_that_ask_for_others(key: str) -> None:
    assert known_columns(fields("long"), [], ["spark.sql.ansi.enabled", key]) is None


@pytest.mark.parametrize(
    "key",
    [
        "delta.dataSkippingNumIndexedCols",
        "delta.dataSkippingStatsColumns",
        "delta.dataSkippingStringPrefixLength",
        "delta.columnMapping.mode",
        "delta.universalFormat.enabledFormats",
        "delta.parquet.format.version",
        "parquet.column.statistics.enabled",
    ],
)
def test_properties_that_ask_for_others(key: str) -> None:
    assert known_columns(fields("long"), ["delta.enableChangeDataFeed", key], []) is None


def test_other_settings_and_properties() -> None:
    settings = [
        "spark.sql.parquet.compression.codec",
        "spark.sql.parquet.fieldId.read.enabled",
        "spark.sql.ansi.enabled",
    ]
    assert known_columns(fields("long"), ["delta.enableChangeDataFeed"], settings) is not None
