"""Every relation that a query reads, views followed."""

from __future__ import annotations

from collections.abc import Callable

from dbt.adapters.ivm_spark.view.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.view.parse import parse
from dbt.adapters.ivm_spark.view.reasons import NotMaintained


def catalog_of(sql: str, describe: Callable[[str], Relation]) -> tuple[Catalog, list[str]]:
    """The relations that a query reads, and the names of its sources in Delta.

    describe: a relation by its quoted name; what it raises passes through. A query that can't be
    read has no sources.
    """
    catalog = Catalog()
    while True:
        try:
            parsed = parse(sql, catalog)
        except NotMaintained:
            return catalog, []
        if not parsed.missing:
            tables = [r for r in parsed.tables.values() if r.kind is RelationKind.DELTA]
            return catalog, sorted(r.name for r in tables)
        for name in parsed.missing:
            catalog.relations[relation_key(name)] = describe(name)
