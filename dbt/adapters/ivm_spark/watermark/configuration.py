"""The configuration of a state's table, by the model and by Delta, and the difference. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.source.commit import FEED

_FEATURE = "delta.feature."
_NOT_SHOWN = ("delta.minreaderversion", "delta.minwriterversion")


class ConfigError(ValueError):
    """A config of a model has a value that is not allowed; the message names key and values."""

    @property
    def sentence(self) -> str:
        """Return the message with a punctuation mark at its end."""
        text = str(self)
        return text if text.endswith((".", "?")) else f"{text}."


@dataclass(frozen=True)
class Configuration:
    """How a model configures its state's table.

    Attributes:
        partitions: the columns to partition by, as the model writes them.
        clusters: the columns to cluster by, as the model writes them.
        properties: the table's properties.
        location: the folder above the state's, empty for the schema's own.
        appends: a refresh appends changes to the state if its values allow that, and does not merge
            them.
    """

    partitions: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: {FEED: "true"})
    location: str = ""
    appends: bool = False

    def placed(self, stored: Mapping[str, str]) -> Configuration:
        """Return the same configuration, with the state's names for its columns.

        `stored` maps each of the model's columns, in lower case, to its name in the state. Raises
        ConfigError for a column that the state does not have.
        """
        return replace(
            self,
            partitions=tuple(_placed("partition_by", c, stored) for c in self.partitions),
            clusters=tuple(_placed("liquid_clustered_by", c, stored) for c in self.clusters),
        )


def _placed(key: str, name: str, stored: Mapping[str, str]) -> str:
    """Return a column as SQL, under the state's name.

    For a field of a struct, only the struct has another name.
    """
    whole = name.strip()
    bare = whole.strip("`").replace("``", "`")
    if bare.lower() in stored:
        return quote(stored[bare.lower()])
    first, dot, field = whole.partition(".")
    if dot and first.strip("`").lower() in stored:
        return f"{quote(stored[first.strip('`').lower()])}.{field}"
    raise ConfigError(
        f"{key} names {name}, but it must name a column that the state stores unchanged: "
        f"{', '.join(stored) or 'there is none'}"
    )


@dataclass(frozen=True)
class Alteration:
    """The changes that make a state's table match the model.

    Attributes:
        properties: the properties to set.
        dropped: the properties to unset.
        clusters: the columns to cluster by, None if they fit.
        rebuild: the changes that only a rebuild can make.
        impossible: the changes that not even a rebuild can make.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    clusters: tuple[str, ...] | None = None
    rebuild: str = ""
    impossible: str = ""

    @property
    def steps(self) -> list[str]:
        """Return the steps of ALTER TABLE, in words."""
        said = [f"{key} = {value}" for key, value in self.properties.items()]
        said += [f"no {key}" for key in self.dropped]
        if self.clusters is not None:
            said.append(f"clustered by ({_said(self.clusters)})")
        return said

    @property
    def commits(self) -> int:
        """Return the number of commits that its ALTER TABLEs make."""
        return bool(self.properties) + bool(self.dropped) + (self.clusters is not None)

    @property
    def needed(self) -> bool:
        """Return whether the table differs from the model's configuration."""
        return bool(self.steps or self.rebuild or self.impossible)

    def __str__(self) -> str:
        return "; ".join([*self.steps, *filter(None, (self.rebuild, self.impossible))])


def alteration(
    wanted: Configuration,
    recorded: Configuration | None,
    detail: Mapping[str, Any],
    appends: bool = False,
) -> Alteration:
    """Return the changes that a state's table needs.

    A property that the model no longer sets is removed. A property that somebody else set stays.

    Args:
        wanted: the model's configuration now.
        recorded: the model's configuration at the last refresh, None if that is not known.
        detail: the row of DESCRIBE DETAIL.
        appends: the state was built to be appended to.

    Source: Delta's documentation, "Table properties reference", "Use liquid clustering".
    """
    partitions, clusters = _names(detail, "partitionColumns"), _names(detail, "clusteringColumns")
    found = {k.lower(): v for k, v in dict(_parsed(detail, "properties") or {}).items()}
    features = {f"{_FEATURE}{name}".lower() for name in _names(detail, "tableFeatures")}
    said = {key.lower() for key in wanted.properties}
    dropped = () if recorded is None else recorded.properties
    moved = recorded is not None and recorded.location != wanted.location
    impossible = f"location_root {wanted.location or '(none)'}" if moved else ""
    rebuild = ""
    regrouped: tuple[str, ...] | None = None
    if _plain(wanted.partitions) != _plain(partitions):
        rebuild = f"partitioned by ({_said(wanted.partitions)})"
        if clusters and wanted.partitions:
            impossible, rebuild = f"{rebuild} instead of clustered", ""
    elif _plain(wanted.clusters) != _plain(clusters):
        regrouped = wanted.clusters
        if partitions:
            rebuild, regrouped = f"clustered by ({_said(wanted.clusters)})", None
    if wanted.appends is not appends:
        rewritten = "state_writes: append" if wanted.appends else "state_writes: merge"
        rebuild = ", ".join(filter(None, (rebuild, rewritten)))
    return Alteration(
        properties={
            key: value
            for key, value in wanted.properties.items()
            if key.lower() not in (*features, *_NOT_SHOWN)
            and str(found.get(key.lower())).lower() != value.lower()
        },
        dropped=tuple(k for k in dropped if k.lower() in found.keys() - said),
        clusters=regrouped,
        rebuild=rebuild,
        impossible=impossible,
    )


def _names(detail: Mapping[str, Any], key: str) -> Sequence[str]:
    return [str(name) for name in _parsed(detail, key) or ()]


def _parsed(detail: Mapping[str, Any], key: str) -> Any:
    """Return a list or a map, which Thrift gives as JSON text and a Spark session as it is."""
    value = detail.get(key)
    return json.loads(value) if isinstance(value, str) else value


def _said(columns: Sequence[str]) -> str:
    """Return columns as people write them."""
    return ", ".join(column.replace("`", "") for column in columns)


def _plain(columns: Sequence[str]) -> list[str]:
    return [column.replace("`", "").strip().lower() for column in columns]
