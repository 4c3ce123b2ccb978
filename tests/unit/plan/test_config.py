"""Unknown and ill-typed configs name the key, the value and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan.config import ConfigError, RefreshPolicy, read_config


def test_defaults() -> None:
    config = read_config({"refresh_policy": None})
    assert config.refresh_policy is RefreshPolicy.AUTO
    assert config.emit_changes is True
    assert 0 < config.change_threshold < 1


def test_given_values_are_read() -> None:
    config = read_config(
        {"refresh_policy": "full", "change_threshold": 1, "primary_keys": {"shop.orders": ["id"]}}
    )
    assert config.refresh_policy is RefreshPolicy.FULL
    assert config.change_threshold == 1.0
    assert config.primary_keys == {"shop.orders": ("id",)}


def test_a_foreign_key_refers_to_a_primary_key() -> None:
    refers = {"lines": {"orders": ["order", "day"]}}
    config = read_config({"primary_keys": {"Orders": ["id", "day"]}, "foreign_keys": refers})
    assert config.foreign_keys == {"lines": {"orders": ("order", "day")}}
    read_config({"primary_keys": {"shop.orders": ["id", "day"]}, "foreign_keys": refers})
    for keys, message in (
        ({}, "Add orders to primary_keys"),
        ({"others": ["id", "day"]}, "Add orders to primary_keys"),
        ({"orders": ["id"]}, "the key of orders in primary_keys is id. Name as many columns"),
        ({"a.orders": ["id", "day"], "b.orders": ["id", "day"]}, "a.orders, b.orders"),
    ):
        with pytest.raises(ConfigError, match=message):
            read_config({"primary_keys": keys, "foreign_keys": refers})
    with pytest.raises(ConfigError, match="foreign_keys of lines is"):
        read_config({"foreign_keys": {"lines": ["order"]}})


@pytest.mark.parametrize(
    ("value", "names"), [("f", ("f",)), (["f", "`s`.g"], ("f", "s.g")), (None, ()), ([], ())]
)
def test_function_names_are_read_from_a_text_or_a_list(
    value: object, names: tuple[str, ...]
) -> None:
    assert read_config({"deterministic_functions": value}).deterministic_functions == names


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("refresh_policy", "sometimes", "auto, incremental, incremental_strict, full"),
        ("refresh_policy", 3, "auto, incremental, incremental_strict, full"),
        ("change_threshold", "high", "a number from 0 to 1"),
        ("change_threshold", 1.5, "a number from 0 to 1"),
        ("change_threshold", True, "a number from 0 to 1"),
        ("emit_changes", "yes", "true or false"),
        ("primary_keys", ["id"], "a mapping of relations to lists of columns"),
        ("foreign_keys", ["id"], "a mapping of relations to the relations that they refer to"),
        ("primary_keys", {"t": "id"}, "a mapping of relations to lists of columns"),
        ("primary_keys", {"t": [1]}, "a mapping of relations to lists of columns"),
        ("primary_keys", "id", "a mapping of relations to lists of columns"),
        ("deterministic_functions", {"f": True}, "a function or a list of functions"),
        ("deterministic_functions", ["f", 1], "a function or a list of functions"),
        ("refresh_policy", "", "auto, incremental, incremental_strict, full"),
        ("refresh_policy", ["full"], "auto, incremental, incremental_strict, full"),
        ("refresh_policy", "FULL", "auto, incremental, incremental_strict, full"),
        ("change_threshold", -0.1, "a number from 0 to 1"),
        ("change_threshold", float("nan"), "a number from 0 to 1"),
        ("change_threshold", "0.3", "a number from 0 to 1"),
        ("change_threshold", [0.3], "a number from 0 to 1"),
        ("emit_changes", 1, "true or false"),
        ("emit_changes", "false", "true or false"),
        ("partition_by", {"k": "int"}, "a column or a list of columns"),
        ("partition_by", ["k", 1], "a column or a list of columns"),
        ("liquid_clustered_by", 7, "a column or a list of columns"),
        ("location_root", ["/tmp"], "the path of a folder"),
        ("tblproperties", ["a"], "a mapping of names to text"),
        ("tblproperties", "a=b", "a mapping of names to text"),
        ("tblproperties", {"a": ["b"]}, "a mapping of names to text"),
        ("file_format", "parquet", "delta"),
        ("backfill_check", "some", "all, sample, none"),
        ("build_by", ["day"], "a column of the view"),
        ("build_parts", 1, "a number from 2 to 1000"),
        ("build_parts", 1001, "a number from 2 to 1000"),
        ("build_parts", True, "a number from 2 to 1000"),
        ("build_parts", 2.5, "a number from 2 to 1000"),
        ("build_parts", 7, "build_by is not set"),
    ],
)
def test_an_invalid_value_is_refused(key: str, value: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config({key: value})
    assert key in str(error.value)
    assert repr(value) in str(error.value)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("refresh_polcy", "Did you mean 'refresh_policy'?"),
        ("Refresh_Policy", "Did you mean 'refresh_policy'?"),
        ("refresh_policies", "Did you mean 'refresh_policy'?"),
        ("ivm_refresh_policy", "Did you mean 'refresh_policy'?"),
        ("change_treshold", "Did you mean 'change_threshold'?"),
        ("emits_changes", "Did you mean 'emit_changes'?"),
        (
            "ivm_keys",
            "change_threshold, state_writes, emit_changes, publish, on_query_change, frozen_where, "
            "backfill_from, backfill_check, build_by, build_parts, primary_keys, foreign_keys",
        ),
        (
            "IVM_strict",
            "change_threshold, state_writes, emit_changes, publish, on_query_change, frozen_where, "
            "backfill_from, backfill_check, build_by, build_parts, primary_keys, foreign_keys",
        ),
    ],
)
def test_a_mistyped_key(key: str, meant: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config({key: "full"})
    assert f"Unknown config '{key}'" in str(error.value)
    assert meant in str(error.value)


@pytest.mark.parametrize(
    "key", ["primary_key", "unique_key", "full_refresh", "policy", "x", "tags"]
)
def test_keys_of_others_are_ignored(key: str) -> None:
    assert read_config({key: ["anything"]}) == read_config({})


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"partition_by": "a", "liquid_clustered_by": ["b"]}, ("partition_by is 'a'", "['b']")),
        (
            {"emit_changes": False, "tblproperties": {"delta.enableChangeDataFeed": "true"}},
            ("emit_changes is false", "delta.enableChangeDataFeed: true"),
        ),
        (
            {"emit_changes": True, "tblproperties": {"DELTA.enablechangedatafeed": False}},
            ("emit_changes is true", "delta.enableChangeDataFeed: False"),
        ),
    ],
)
def test_configs_that_contradict_each_other(values: dict[str, Any], says: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError) as error:
        read_config(values)
    assert all(part in str(error.value) for part in says)


def test_a_property_that_agrees_with_its_config_is_accepted() -> None:
    feed = {"tblproperties": {"delta.enableChangeDataFeed": True}}
    assert read_config({"emit_changes": True, **feed}).emit_changes
    assert read_config(feed).emit_changes
