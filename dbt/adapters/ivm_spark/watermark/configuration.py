"""How a state's table is configured, as the model says and as Delta says, and what tells them
apart. Pure."""

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
    """A config of a model has a value that it can't have; the message names key and values."""


@dataclass(frozen=True)
class Configuration:
    """partitions, clusters: columns as the model writes them; properties: of the table; location:
    the folder above the state's, empty for the schema's own; appends: changes are appended to the
    state where its values allow that, not merged into it."""

    partitions: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=lambda: {FEED: "true"})
    location: str = ""
    appends: bool = False

    def placed(self, stored: Mapping[str, str]) -> Configuration:
        """The same, its columns under the names that the state has for them.

        stored: the state's name of each of the model's columns, by its name in lower case. Raises
        ConfigError for a column that the state does not have.
        """
        return replace(
            self,
            partitions=tuple(_placed("partition_by", c, stored) for c in self.partitions),
            clusters=tuple(_placed("liquid_clustered_by", c, stored) for c in self.clusters),
        )


def _placed(key: str, name: str, stored: Mapping[str, str]) -> str:
    """A column as SQL; of a struct's field only the struct has another name."""
    whole = name.strip()
    bare = whole.strip("`").replace("``", "`")
    if bare.lower() in stored:
        return quote(stored[bare.lower()])
    first, dot, field = whole.partition(".")
    if dot and first.strip("`").lower() in stored:
        return f"{quote(stored[first.strip('`').lower()])}.{field}"
    raise ConfigError(
        f"{key} names {name}, by which the state can't be laid out. It must be a column of the "
        f"query that is stored as it is: {', '.join(stored) or 'there is none'}"
    )


@dataclass(frozen=True)
class Alteration:
    """What makes a state's table as the model says.

    properties: to set; dropped: properties to unset; clusters: the columns to cluster by, None
    where they fit; rebuild: what only a rebuild can change; impossible: what not even that can.
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    clusters: tuple[str, ...] | None = None
    rebuild: str = ""
    impossible: str = ""

    @property
    def steps(self) -> list[str]:
        """What ALTER TABLE does, in words."""
        said = [f"{key} = {value}" for key, value in self.properties.items()]
        said += [f"no {key}" for key in self.dropped]
        if self.clusters is not None:
            said.append(f"clustered by ({_said(self.clusters)})")
        return said

    @property
    def needed(self) -> bool:
        """False where the table is as the model says."""
        return bool(self.steps or self.rebuild or self.impossible)

    def __str__(self) -> str:
        return "; ".join([*self.steps, *filter(None, (self.rebuild, self.impossible))])


def alteration(
    wanted: Configuration,
    recorded: Configuration | None,
    detail: Mapping[str, Any],
    appends: bool = False,
) -> Alteration:
    """What has to change.

    recorded: what the model said at the last refresh, None if that is not known: a property that
    it no longer says goes, one that somebody else set stays; detail: the row of DESCRIBE DETAIL;
    appends: how the state was written so far.
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
    """A list or a map: as such in a Spark session, as JSON text through Thrift."""
    value = detail.get(key)
    return json.loads(value) if isinstance(value, str) else value


def _said(columns: Sequence[str]) -> str:
    """Columns as people write them."""
    return ", ".join(column.replace("`", "") for column in columns)


def _plain(columns: Sequence[str]) -> list[str]:
    return [column.replace("`", "").strip().lower() for column in columns]
