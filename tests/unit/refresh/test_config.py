"""Unknown and ill-typed configs name the key, the value and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.refresh.config import ConfigError, RefreshPolicy, read_config


def test_defaults() -> None:
    config = read_config({"refresh_policy": None})
    assert config.refresh_policy is RefreshPolicy.AUTO
    assert config.emit_changes is True
    assert 0 < config.change_threshold < 1


def test_values() -> None:
    config = read_config(
        {"refresh_policy": "full", "change_threshold": 1, "primary_keys": {"shop.orders": ["id"]}}
    )
    assert config.refresh_policy is RefreshPolicy.FULL
    assert config.change_threshold == 1.0
    assert config.primary_keys == {"shop.orders": ("id",)}


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("refresh_policy", "sometimes", "auto, incremental, incremental_strict, full"),
        ("refresh_policy", 3, "auto, incremental, incremental_strict, full"),
        ("change_threshold", "high", "a number from 0 to 1"),
        ("change_threshold", 1.5, "a number from 0 to 1"),
        ("change_threshold", True, "a number from 0 to 1"),
        ("emit_changes", "yes", "true, false"),
        ("primary_keys", ["id"], "a mapping of relations to lists of columns"),
        ("primary_keys", {"t": "id"}, "a mapping of relations to lists of columns"),
    ],
)
def test_what_is_refused(key: str, value: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_config({key: value})
    assert key in str(error.value)
    assert repr(value) in str(error.value)
    assert says in str(error.value)
