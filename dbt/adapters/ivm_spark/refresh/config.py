"""The configs of an ivm model that are ours, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from dbt.adapters.ivm_spark.refresh.configuration import Configuration
from dbt.adapters.ivm_spark.source.commit import FEED

_Choice = TypeVar("_Choice", bound=Enum)


class RefreshPolicy(str, Enum):
    """When a refresh is incremental (DESIGN section 2)."""

    AUTO = "auto"
    INCREMENTAL = "incremental"
    INCREMENTAL_STRICT = "incremental_strict"
    FULL = "full"


class OnChange(str, Enum):
    """dbt's on_configuration_change: what to do where the state is not as configured."""

    APPLY = "apply"
    CONTINUE = "continue"
    FAIL = "fail"


class ConfigError(ValueError):
    """A config of a model has a value that it can't have; the message names key and values."""


@dataclass(frozen=True)
class IvmConfig:
    """change_threshold: fraction (0 to 1) of changed rows above which `auto` rebuilds;
    primary_keys: trusted keys of sources, columns by relation; table: how the state is laid out."""

    refresh_policy: RefreshPolicy = RefreshPolicy.AUTO
    change_threshold: float = 0.3
    emit_changes: bool = True
    primary_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    on_change: OnChange = OnChange.APPLY
    table: Configuration = field(default_factory=Configuration)


def read_config(values: Mapping[str, Any]) -> IvmConfig:
    """The checked configs; a key that is missing or None has its default.

    Raises ConfigError, which names the key, the value and what is allowed.
    """
    given = {key: value for key, value in values.items() if value is not None}
    emit_changes = _flag("emit_changes", given.get("emit_changes", True))
    return IvmConfig(
        refresh_policy=_one_of("refresh_policy", RefreshPolicy, given.get("refresh_policy")),
        change_threshold=_threshold(given.get("change_threshold", IvmConfig.change_threshold)),
        emit_changes=emit_changes,
        primary_keys=_keys(given.get("primary_keys", {})),
        on_change=_one_of(
            "on_configuration_change", OnChange, given.get("on_configuration_change")
        ),
        table=_table(given, emit_changes),
    )


def _one_of(key: str, kind: type[_Choice], value: Any) -> _Choice:
    """The choice of that value, the first of all without one."""
    try:
        return next(iter(kind)) if value is None else kind(value)
    except ValueError:
        allowed = ", ".join(str(choice.value) for choice in kind)
        raise ConfigError(f"{key} is {value!r}; allowed are: {allowed}") from None


def _table(given: Mapping[str, Any], emit_changes: bool) -> Configuration:
    partitions = _columns("partition_by", given.get("partition_by", ()))
    clusters = _columns("liquid_clustered_by", given.get("liquid_clustered_by", ()))
    properties = given.get("tblproperties", {})
    if not isinstance(properties, Mapping):
        raise ConfigError(
            f"tblproperties is {properties!r}; allowed is a mapping of names to values"
        )
    texts = {str(key): _text(value) for key, value in properties.items()}
    return Configuration(
        partitions,
        () if partitions else clusters,
        {FEED: _text(emit_changes), **texts},
        str(given.get("location_root", "")),
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _columns(key: str, value: Any) -> tuple[str, ...]:
    columns = [value] if isinstance(value, str) else value
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise ConfigError(f"{key} is {value!r}; allowed is a column or a list of columns")
    return tuple(columns)


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
