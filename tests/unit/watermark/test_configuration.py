"""How a state's table is brought in line with the model's configs."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan.config import ConfigError, read_config
from dbt.adapters.ivm_spark.plan.large_state import for_large
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration, alteration

DETAIL: dict[str, Any] = {
    "partitionColumns": [],
    "clusteringColumns": [],
    "properties": {"delta.enableChangeDataFeed": "true", "theirs": "kept"},
    "tableFeatures": ["changeDataFeed", "columnMapping"],
}
PARTITIONED = {**DETAIL, "partitionColumns": ["K"]}
CLUSTERED = {**DETAIL, "clusteringColumns": ["k"]}


def _needed(
    detail: dict[str, Any], before: Configuration | None = None, **config: Any
) -> Alteration:
    return alteration(read_config(config).table, before, detail)


@pytest.mark.parametrize(
    ("detail", "config"),
    [
        (DETAIL, {}),
        (DETAIL, {"emit_changes": True}),
        (DETAIL, {"tblproperties": {"delta.EnableChangeDataFeed": "TRUE", "theirs": "kept"}}),
        (DETAIL, {"tblproperties": {"delta.feature.columnMapping": "supported"}}),
        (DETAIL, {"tblproperties": {"delta.minReaderVersion": 2}}),
        (PARTITIONED, {"partition_by": "k"}),
        (CLUSTERED, {"liquid_clustered_by": ["`k`"]}),
        (
            {
                "partitionColumns": "[]",
                "clusteringColumns": '["k"]',
                "properties": '{"delta.enableChangeDataFeed":"true"}',
            },
            {"liquid_clustered_by": "k"},
        ),
    ],
)
def test_a_table_that_fits_needs_no_change(detail: dict[str, Any], config: dict[str, Any]) -> None:
    assert not _needed(detail, **config).needed


@pytest.mark.parametrize(
    ("detail", "config", "steps"),
    [
        (DETAIL, {"emit_changes": False}, ["delta.enableChangeDataFeed = false"]),
        (DETAIL, {"tblproperties": {"a": 1, "theirs": "ours"}}, ["a = 1", "theirs = ours"]),
        (DETAIL, {"liquid_clustered_by": ["k", "v"]}, ["clustered by (k, v)"]),
        (CLUSTERED, {}, ["clustered by ()"]),
    ],
)
def test_changes_that_alter_table_makes_need_no_rebuild(
    detail: dict[str, Any], config: dict[str, Any], steps: list[str]
) -> None:
    needed = _needed(detail, **config)
    assert needed.steps == steps
    assert not needed.rebuild
    assert not needed.impossible


@pytest.mark.parametrize(
    ("detail", "config", "rebuild"),
    [
        (DETAIL, {"partition_by": ["k"]}, "partitioned by (k)"),
        (PARTITIONED, {}, "partitioned by ()"),
        (PARTITIONED, {"partition_by": ["k", "v"]}, "partitioned by (k, v)"),
    ],
)
def test_another_partitioning_needs_a_rebuild(
    detail: dict[str, Any], config: dict[str, Any], rebuild: str
) -> None:
    assert _needed(detail, **config).rebuild == rebuild


def test_a_change_that_delta_cannot_make_is_impossible() -> None:
    assert "instead of clustered" in _needed(CLUSTERED, partition_by="k").impossible
    here, there = (read_config({"location_root": root}).table for root in ("/here", "/there"))
    assert "/there" in alteration(there, here, DETAIL).impossible
    assert not alteration(there, None, DETAIL).needed, "it is not known where it was"


def test_a_property_that_the_model_no_longer_says_goes() -> None:
    before = read_config({"tblproperties": {"a": "b", "gone": "x"}}).table
    detail = {**DETAIL, "properties": {**DETAIL["properties"], "a": "b"}}
    needed = _needed(detail, before)
    assert needed.dropped == ("a",)
    assert str(needed) == "no a"


@pytest.mark.parametrize(
    ("key", "value"),
    [("partition_by", 7), ("liquid_clustered_by", [7]), ("tblproperties", ["delta.x"])],
)
def test_an_ill_typed_config_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=key):
        read_config({key: value})


def test_properties_that_the_model_sets_for_a_large_state_stay() -> None:
    said = Configuration(properties={"delta.EnableDeletionVectors": "false"})
    assert for_large(said) == said
    assert for_large(Configuration()).properties["delta.enableDeletionVectors"] == "true"
