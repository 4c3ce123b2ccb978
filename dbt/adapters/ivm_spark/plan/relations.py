"""Finds every relation that a query reads, following views."""

from __future__ import annotations

from collections.abc import Callable

from dbt.adapters.ivm_spark.algebra.catalog import (
    Catalog,
    Relation,
    RelationKind,
    relation_key,
    relation_name,
)
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.sql.parse import tables_read


def catalog_of(sql: str, describe: Callable[[str], Relation]) -> tuple[Catalog, list[str]]:
    """Return the relations that a query reads, and the names of its sources in Delta.

    `describe` returns a relation by its quoted name; its exceptions pass through. A query that
    can't be read has no sources.
    """
    catalog = Catalog()
    texts = [(sql, catalog.schema)]
    for text, namespace in texts:
        try:
            read = tables_read(text)
        except NotMaintained:
            return catalog, []
        for name in (relation_name(parts, namespace) for parts in read):
            if relation_key(name) not in catalog.relations:
                relation = catalog.relations[relation_key(name)] = describe(name)
                if relation.kind is RelationKind.VIEW:
                    texts.append((relation.text, relation.namespace))
    tables = [r for r in catalog.relations.values() if r.kind is RelationKind.DELTA]
    return catalog, sorted(r.name for r in tables)
