"""What dbt-spark's adapter asks of Spark's own catalog, asked of the catalog of a relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dbt.adapters.base.impl import BaseAdapter
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.clients.agate_helper import DEFAULT_TYPE_TESTER, merge_tables
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.session.relation import IvmSparkRelation

if TYPE_CHECKING:
    import agate


class AnyCatalogAdapter(SparkAdapter):
    """dbt-spark's adapter, for relations in any catalog."""

    Relation = IvmSparkRelation

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> tuple[agate.Table, list[Exception]]:
        """Return what dbt docs shows of relations; dbt-spark knows those of one catalog only."""
        import agate

        known = [(c, self.Relation.create_from(self.config, c)) for c in relation_configs]
        own = [config for config, relation in known if not relation.other_catalog]
        elsewhere = [relation for _, relation in known if relation.other_catalog]
        table, errors = super().get_catalog(own, used_schemas)
        if not elsewhere:
            return table, errors
        with self.connection_named("ivm_catalog"):
            rows = [row for relation in elsewhere for row in self._columns_elsewhere(relation)]
        described = agate.Table.from_object(rows, column_types=DEFAULT_TYPE_TESTER)
        return merge_tables([table, described]), errors

    def get_relation(self, database: str, schema: str, identifier: str) -> Any:
        """Return a relation if dbt's cache has it; dbt-spark knows Spark's own catalog only."""
        catalog = self.Relation.create(database=database, schema=schema).other_catalog
        if not catalog:
            return super().get_relation(database, schema, identifier)
        return BaseAdapter.get_relation(self, catalog, schema, identifier)

    def list_relations_without_caching(self, schema_relation: Any) -> list[Any]:
        """Return the relations of a schema, each with the schema's catalog."""
        found: list[Any] = super().list_relations_without_caching(schema_relation)
        catalog = schema_relation.other_catalog
        if not catalog:
            return found
        return [
            self.Relation.create(
                catalog,
                relation.schema,
                relation.identifier,
                relation.type,
                information=relation.information,
                is_delta=relation.is_delta,
                is_iceberg=relation.is_iceberg,
                is_hudi=relation.is_hudi,
            )
            for relation in found
        ]

    def list_schemas(self, database: str) -> list[str]:
        """Return the schemas of a catalog.

        An Iceberg catalog in a folder that does not exist yet raises an error; it has none.
        """
        try:
            found: list[str] = super().list_schemas(database)
        except DbtRuntimeError:
            if not self.Relation.create(database=database).other_catalog:
                raise
            return []
        return found

    def check_schema_exists(self, database: str, schema: str) -> bool:
        """Return whether a schema exists in its catalog."""
        return schema in self.list_schemas(database)

    def _columns_elsewhere(self, relation: IvmSparkRelation) -> Iterator[dict[str, Any]]:
        """Yield what dbt docs shows of the columns of a relation in another catalog."""
        for place, column in enumerate(self.get_columns_in_relation(relation)):
            shown = column.to_column_dict()
            shown["column_name"], shown["column_type"] = shown.pop("column"), shown.pop("dtype")
            yield {**shown, "column_index": place, "table_database": relation.database}
