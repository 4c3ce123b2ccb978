"""Keys of sources that configs and constraints declare, for the relations of a query. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.config import IvmConfig


def is_named(relation: str, name: str) -> bool:
    """Return whether a config names a relation (quoted), with or without its schema."""
    parts = relation_key(relation.replace("`", "")).split(".")
    wanted = relation_key(name.replace("`", "")).split(".")
    return parts[-len(wanted) :] == wanted


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
            for name, keys in config.primary_keys.items():
                same = is_named(other, name) or is_named(name, other)
                if same and len(keys) == len(columns):
                    longer = name if is_named(name, other) else other
                    yield ForeignKey(relation, _lower(columns), longer, _lower(keys))


def _among(key: ForeignKey, relations: Collection[str]) -> Iterator[ForeignKey]:
    """Yield a foreign key between the relations that its names mean."""
    for relation in (r for r in relations if is_named(r, key.relation)):
        for other in (r for r in relations if is_named(r, key.referenced)):
            yield replace(key, relation=relation, referenced=other)


def _lower(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column.lower() for column in columns)
