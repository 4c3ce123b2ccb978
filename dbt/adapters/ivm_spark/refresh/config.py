"""The configs of an ivm model that are ours, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class RefreshPolicy(str, Enum):
    """When a refresh is incremental (DESIGN section 2)."""

    AUTO = "auto"
    INCREMENTAL = "incremental"
    INCREMENTAL_STRICT = "incremental_strict"
    FULL = "full"


class ConfigError(ValueError):
    """A config of a model has a value that it can't have; the message names key and values."""


@dataclass(frozen=True)
class IvmConfig:
    """change_threshold: fraction (0 to 1) of changed rows above which `auto` rebuilds;
    primary_keys: trusted keys of sources, columns by relation."""

    refresh_policy: RefreshPolicy = RefreshPolicy.AUTO
    change_threshold: float = 0.3
    emit_changes: bool = True
    primary_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_config(values: Mapping[str, Any]) -> IvmConfig:
    """The checked configs; a key that is missing or None has its default.

    Raises ConfigError, which names the key, the value and what is allowed.
    """
    given = {key: value for key, value in values.items() if value is not None}
    return IvmConfig(
        refresh_policy=_policy(given.get("refresh_policy", RefreshPolicy.AUTO.value)),
        change_threshold=_threshold(given.get("change_threshold", IvmConfig.change_threshold)),
        emit_changes=_flag("emit_changes", given.get("emit_changes", True)),
        primary_keys=_keys(given.get("primary_keys", {})),
    )


def _policy(value: Any) -> RefreshPolicy:
    try:
        return RefreshPolicy(value)
    except ValueError:
        allowed = ", ".join(policy.value for policy in RefreshPolicy)
        raise ConfigError(f"refresh_policy is {value!r}; allowed are: {allowed}") from None


def _threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigError(f"change_threshold is {value!r}; allowed is a number from 0 to 1")
    return float(value)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} is {value!r}; allowed are: true, false")
    return value


def _keys(value: Any) -> dict[str, tuple[str, ...]]:
    message = f"primary_keys is {value!r}; allowed is a mapping of relations to lists of columns"
    if not isinstance(value, Mapping):
        raise ConfigError(message)
    keys: dict[str, tuple[str, ...]] = {}
    for relation, columns in value.items():
        if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
            raise ConfigError(message)
        keys[str(relation)] = tuple(columns)
    return keys
