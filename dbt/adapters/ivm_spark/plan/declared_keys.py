"""Keys of sources that configs and constraints declare, for the relations of a query. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.catalog import is_named
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.config import IvmConfig


def primary_keys_of(
    relation: str, primary_keys: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Return the keys of a relation (quoted name) that the config `primary_keys` declares."""
    return [columns for name, columns in primary_keys.items() if is_named(relation, name)]


def foreign_keys_among(
    config: IvmConfig, references: Iterable[ForeignKey], relations: Collection[str]
) -> tuple[ForeignKey, ...]:
    """Return the declared foreign keys between some relations (quoted names).

    Args:
        config: of the model.
        references: those that constraints declare.
        relations: the relations.
    """
    declared = (*_of_config(config), *references)
    return tuple(dict.fromkeys(found for key in declared for found in _among(key, relations)))


def _of_config(config: IvmConfig) -> Iterator[ForeignKey]:
    for relation, referenced in config.foreign_keys.items():
        for other, columns in referenced.items():
            name, keys = config.key_of(other)
            longer = name if is_named(name, other) else other
            yield ForeignKey(relation, _lower(columns), longer, _lower(keys))


def _among(key: ForeignKey, relations: Collection[str]) -> Iterator[ForeignKey]:
    """Yield a foreign key between the relations that its names mean, if each means one."""
    referring = [r for r in relations if is_named(r, key.relation)]
    referenced = [r for r in relations if is_named(r, key.referenced)]
    if len(referring) == len(referenced) == 1:
        yield replace(key, relation=referring[0], referenced=referenced[0])


def _lower(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column.lower() for column in columns)
