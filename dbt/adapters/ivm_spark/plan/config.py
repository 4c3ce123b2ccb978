"""The checked configs of an ivm model, and the dbt configs that they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, TypeVar

from dbt.adapters.ivm_spark.algebra.catalog import is_named
from dbt.adapters.ivm_spark.source.commit import FEED
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError, Configuration

_Choice = TypeVar("_Choice", bound=Enum)

PREFIX = "ivm_"
"""No config begins with it, so a key that does is taken for a mistake."""
_ALIKE = 0.85
"""How similar to one of our configs a key must be to be taken for a mistake (difflib's ratio).
`primary_key` may be a project's own."""
MOST_PARTS = 1000
"""The largest `build_parts`. Each part is a statement that reads the sources."""
_A_CONDITION = (
    "a condition on the view's columns, for example frozen_where=\"order_date < '2024-01-01'\""
)
_A_TABLE = "a table, for example backfill_from='finance.revenue_old', or 'this' for the model's own"
_A_COLUMN = "a column of the view, for example build_by='order_date'"
_SPELLED = {True: "true", False: "false"}


class RefreshPolicy(str, Enum):
    """When a refresh is incremental (DESIGN section 2)."""

    AUTO = "auto"
    INCREMENTAL = "incremental"
    INCREMENTAL_STRICT = "incremental_strict"
    FULL = "full"


class StateWrites(str, Enum):
    """How a refresh changes the state.

    It merges changes into the state, or appends them. Appended changes are added up by whoever
    reads the view.
    """

    MERGE = "merge"
    APPEND = "append"


class OnQueryChange(str, Enum):
    """What to do with the state if the model's SQL has changed.

    Keep what fits the new query and rebuild otherwise, rebuild always, or fail.
    """

    KEEP = "keep"
    REBUILD = "rebuild"
    FAIL = "fail"


class BackfillCheck(str, Enum):
    """How much of a table is compared with the query before it becomes the first state."""

    ALL = "all"
    SAMPLE = "sample"
    NONE = "none"


class Publish(str, Enum):
    """What people read under the model's name: a view over the state, or a table beside it."""

    VIEW = "view"
    TABLE = "table"


class OnChange(str, Enum):
    """dbt's on_configuration_change: what to do if the state is not as configured."""

    APPLY = "apply"
    CONTINUE = "continue"
    FAIL = "fail"


@dataclass(frozen=True)
class IvmConfig:
    """The configs of an ivm model.

    Attributes:
        refresh_policy: when a refresh is incremental.
        change_threshold: the fraction (0 to 1) of changed rows above which `auto` rebuilds.
        state_writes: how a refresh changes the state.
        emit_changes: the state has a change feed of its view's rows. If the model publishes a
            table, the table has the feed, and the state has one in any case.
        publish: what people read under the model's name.
        primary_keys: keys of sources, as columns by relation. A refresh trusts those that a foreign
            key refers to.
        foreign_keys: the columns of a relation that refer to the primary key of another one, by the
            names of both.
        deterministic_functions: functions of the user's own that depend only on their arguments.
        on_query_change: what to do if the model's SQL has changed.
        frozen_where: the condition of the view's rows that no refresh touches; empty for none.
        backfill_from: the table that has these rows at the first build, or all rows if none are
            frozen: `schema.table`, or `this` for the model's own relation; empty if the query gives
            them.
        backfill_check: how much of that table is compared with the query, unless rows are frozen.
        build_by: the column of the view by whose ranges the state is built part by part; empty if
            it is built at once.
        build_parts: the number of parts, 0 if it depends on the rows of the sources.
        on_change: what to do if the state is not as configured.
        table: how the state is laid out and written.
    """

    refresh_policy: RefreshPolicy = RefreshPolicy.AUTO
    change_threshold: float = 0.3
    state_writes: StateWrites = StateWrites.MERGE
    emit_changes: bool = True
    publish: Publish = Publish.VIEW
    primary_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    foreign_keys: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    deterministic_functions: tuple[str, ...] = ()
    on_query_change: OnQueryChange = OnQueryChange.KEEP
    frozen_where: str = ""
    backfill_from: str = ""
    backfill_check: BackfillCheck = BackfillCheck.ALL
    build_by: str = ""
    build_parts: int = 0
    on_change: OnChange = OnChange.APPLY
    table: Configuration = field(default_factory=Configuration)

    def key_of(self, relation: str) -> tuple[str, tuple[str, ...]]:
        """Return the primary key that a foreign key's name of a relation means, with its name.

        Either name may leave out the schema. Raises ConfigError unless it means one.
        """
        found = [
            (name, columns)
            for name, columns in self.primary_keys.items()
            if is_named(name, relation) or is_named(relation, name)
        ]
        if len(found) == 1:
            return found[0]
        if not found:
            raise ConfigError(
                f"foreign_keys refers to {relation}, but primary_keys has no key of it. Add "
                f"{relation} to primary_keys"
            )
        raise ConfigError(
            f"foreign_keys refers to {relation}, but primary_keys has several tables of that "
            f"name: {', '.join(name for name, _ in found)}. Name it with its schema"
        )

    @property
    def publishes(self) -> bool:
        """Return whether people read a table instead of a view."""
        return self.publish is Publish.TABLE

    @property
    def published(self) -> Configuration:
        """Return how the table that the model publishes is laid out."""
        return replace(
            self.table, properties={**self.table.properties, FEED: _text(self.emit_changes)}
        )


KEYS = (
    "refresh_policy",
    "change_threshold",
    "state_writes",
    "emit_changes",
    "publish",
    "on_query_change",
    "frozen_where",
    "backfill_from",
    "backfill_check",
    "build_by",
    "build_parts",
    "primary_keys",
    "foreign_keys",
    "deterministic_functions",
)
_DEFAULTED = KEYS[:-3]


def read_config(values: Mapping[str, Any]) -> IvmConfig:
    """Return the checked configs of a model; one that is None has its default.

    `values` holds all configs of the model. Raises ConfigError, also if two configs contradict each
    other. The message names the key, the value and what is allowed.
    """
    given = {key: value for key, value in values.items() if value is not None}
    if "partition_by" in given:
        given["partition_by"] = _partition_field(given["partition_by"])
    _check_names(given)
    _check_layout(given)
    writes = _one_of("state_writes", StateWrites, given.get("state_writes"))
    appends = writes is StateWrites.APPEND
    emit_changes = _flag("emit_changes", given.get("emit_changes", not appends))
    if appends and emit_changes:
        raise ConfigError(
            "state_writes is append and emit_changes is true; an appended state has no change "
            "feed of the view's rows. Set emit_changes: false, or state_writes: merge"
        )
    publish = _one_of("publish", Publish, given.get("publish"))
    if appends and publish is Publish.TABLE:
        raise ConfigError(
            "state_writes is append and publish is table; a table is published by the changes of "
            "its state, and an appended state has no feed of them. Set state_writes: merge, or "
            "publish: view"
        )
    config = IvmConfig(
        refresh_policy=_one_of("refresh_policy", RefreshPolicy, given.get("refresh_policy")),
        change_threshold=_threshold(given.get("change_threshold", IvmConfig.change_threshold)),
        state_writes=writes,
        emit_changes=emit_changes,
        publish=publish,
        primary_keys=_keys("primary_keys", given.get("primary_keys", {})),
        foreign_keys=_foreign_keys(given.get("foreign_keys", {})),
        deterministic_functions=_functions(given.get("deterministic_functions", ())),
        on_query_change=_one_of("on_query_change", OnQueryChange, given.get("on_query_change")),
        frozen_where=_stripped(given, "frozen_where", _A_CONDITION),
        backfill_from=_stripped(given, "backfill_from", _A_TABLE),
        backfill_check=_one_of("backfill_check", BackfillCheck, given.get("backfill_check")),
        build_by=_stripped(given, "build_by", _A_COLUMN),
        build_parts=_build_parts(given),
        on_change=_one_of(
            "on_configuration_change", OnChange, given.get("on_configuration_change")
        ),
        table=_table(given, emit_changes or publish is Publish.TABLE, appends),
    )
    _check_feed(given, emit_changes)
    _check_references(config)
    return config


def _check_references(config: IvmConfig) -> None:
    """Raise ConfigError for a foreign key that refers to no primary key of as many columns."""
    for relation, referenced in config.foreign_keys.items():
        for other, columns in referenced.items():
            _, keys = config.key_of(other)
            if len(keys) != len(columns):
                raise ConfigError(
                    f"foreign_keys lets {relation} refer to {other} by {', '.join(columns)}, but "
                    f"the key of {other} in primary_keys is {', '.join(keys)}. Name as many "
                    "columns, in the same order"
                )


def _check_names(given: Mapping[str, Any]) -> None:
    """Raise ConfigError for a mistyped key.

    dbt would ignore it, and the model would be refreshed in a way that nobody wants.
    """
    for key in given.keys() - set(KEYS):
        bare = key.lower().removeprefix(PREFIX)
        meant = get_close_matches(bare, _DEFAULTED, 1, _ALIKE)
        if meant:
            raise ConfigError(f"Unknown config '{key}'. Did you mean '{meant[0]}'?")
        if bare != key.lower():
            raise ConfigError(
                f"Unknown config '{key}'. The configs of an ivm model are: {', '.join(KEYS)}."
            )


def _check_layout(given: Mapping[str, Any]) -> None:
    for key in ("partition_by", "liquid_clustered_by"):
        value = given.get(key, "")
        parts = value if isinstance(value, (list, tuple)) else [value]
        if not all(isinstance(part, str) for part in parts):
            meant = _columns_meant(parts)
            example = f", for example {key}={meant!r}" if meant else ""
            raise ConfigError(
                f"{key} is {value!r}; it must be a column or a list of columns{example}"
            )
    if given.get("partition_by") and given.get("liquid_clustered_by"):
        raise ConfigError(
            f"partition_by is {given['partition_by']!r} and liquid_clustered_by is "
            f"{given['liquid_clustered_by']!r}; Delta allows only one of them"
        )
    location = given.get("location_root", "")
    if not isinstance(location, str):
        raise ConfigError(f"location_root is {location!r}; it must be the path of a folder")
    properties = given.get("tblproperties", {})
    plain = isinstance(properties, Mapping) and all(
        isinstance(value, (str, int, float)) for value in properties.values()
    )
    if not plain:
        raise ConfigError(f"tblproperties is {properties!r}; it must be a mapping of names to text")
    format_ = given.get("file_format", "delta")
    if str(format_).lower() != "delta":
        raise ConfigError(f"file_format is {format_!r}; it must be delta for an ivm model")


def _partition_field(value: Any) -> Any:
    """Return the column of a partition_by in the form of BigQuery's adapter.

    The column's values must be the partitions. Any other value is returned as it is.

    Source: dbt's documentation, "BigQuery configurations", "Partition clause".
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("field"), str):
        return value
    by_value = value.get("data_type", "date") == "date" and "range" not in value
    by_day = str(value.get("granularity", "day")).lower() == "day"
    return value["field"] if by_value and by_day else value


def _columns_meant(parts: Sequence[Any]) -> list[str]:
    """Return the columns that a list of mappings names, for a message."""
    return [str(p["field"]) for p in parts if isinstance(p, Mapping) and "field" in p]


def _check_feed(given: Mapping[str, Any], emit_changes: bool) -> None:
    """Raise ConfigError if the table's property contradicts our own configs."""
    said = {k.lower(): v for k, v in given.get("tblproperties", {}).items()}.get(FEED.lower())
    configured = {"emit_changes", "state_writes"} & given.keys()
    if said is not None and configured and str(said).lower() != _SPELLED[emit_changes]:
        raise ConfigError(
            f"emit_changes is {_SPELLED[emit_changes]} and tblproperties has {FEED}: {said}; set "
            "only emit_changes"
        )


def _one_of(key: str, kind: type[_Choice], value: Any) -> _Choice:
    """Return the choice with that value, the first choice if there is no value."""
    try:
        return next(iter(kind)) if value is None else kind(value)
    except ValueError:
        allowed = ", ".join(str(choice.value) for choice in kind)
        raise ConfigError(f"{key} is {value!r}; it must be one of: {allowed}") from None


def _table(given: Mapping[str, Any], emit_changes: bool, appends: bool) -> Configuration:
    properties = {str(key): _text(v) for key, v in given.get("tblproperties", {}).items()}
    return Configuration(
        _columns(given.get("partition_by", ())),
        _columns(given.get("liquid_clustered_by", ())),
        {FEED: _text(emit_changes), **properties},
        str(given.get("location_root", "")),
        appends,
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _columns(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _threshold(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigError(f"change_threshold is {value!r}; it must be a number from 0 to 1")
    return float(value)


def _stripped(given: Mapping[str, Any], key: str, must_be: str) -> str:
    """Return a text without blanks around it. Raises ConfigError for another value."""
    value = given.get(key, "")
    if not isinstance(value, str):
        raise ConfigError(f"{key} is {value!r}; it must be {must_be}")
    return value.strip()


def _build_parts(given: Mapping[str, Any]) -> int:
    value = given.get("build_parts", 0)
    number = isinstance(value, int) and not isinstance(value, bool)
    if not number or not (value == 0 or 2 <= value <= MOST_PARTS):
        raise ConfigError(
            f"build_parts is {value!r}; it must be a number from 2 to {MOST_PARTS}, or 0 for one "
            "that fits the rows of the sources"
        )
    if value and not given.get("build_by"):
        raise ConfigError(
            f"build_parts is {value} and build_by is not set. Name the column by whose ranges the "
            "view is built, for example build_by='order_date'"
        )
    return int(value)


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} is {value!r}; it must be true or false")
    return value


def _functions(value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise ConfigError(
            f"deterministic_functions is {value!r}; it must be a function or a list of functions"
        )
    return tuple(name.replace("`", "") for name in names)


def _foreign_keys(value: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    if not isinstance(value, Mapping):
        raise ConfigError(
            f"foreign_keys is {value!r}; it must be a mapping of relations to the relations that "
            "they refer to, each with a list of columns"
        )
    return {str(name): _keys(f"foreign_keys of {name}", keys) for name, keys in value.items()}


def _keys(what: str, value: Any) -> dict[str, tuple[str, ...]]:
    message = f"{what} is {value!r}; it must be a mapping of relations to lists of columns"
    if not isinstance(value, Mapping):
        raise ConfigError(message)
    keys: dict[str, tuple[str, ...]] = {}
    for relation, columns in value.items():
        if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
            raise ConfigError(message)
        keys[str(relation)] = tuple(columns)
    return keys
