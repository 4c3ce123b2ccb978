"""Keys of sources that the model's configs declare, as the relations of its query. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

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


def foreign_keys_among(config: IvmConfig, relations: Collection[str]) -> tuple[ForeignKey, ...]:
    """Return the declared foreign keys between some relations (quoted names)."""
    return tuple(dict.fromkeys(_foreign_keys(config, relations)))


def _foreign_keys(config: IvmConfig, relations: Collection[str]) -> Iterator[ForeignKey]:
    for name, referenced in config.foreign_keys.items():
        for relation in (r for r in relations if is_named(r, name)):
            for other_name, columns in referenced.items():
                for other in (r for r in relations if is_named(r, other_name)):
                    for keys in primary_keys_of(other, config.primary_keys):
                        yield ForeignKey(relation, _lower(columns), other, _lower(keys))


def _lower(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column.lower() for column in columns)
