"""A relation as dbt names it: in a schema, or in a schema of another catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.spark.relation import SparkRelation
from typing_extensions import Self

from dbt.adapters.ivm_spark.algebra.catalog import relation_name

OWN_CATALOG = "spark_catalog"
"""The name of Spark's own catalog."""


@dataclass(frozen=True, eq=False, repr=False)
class IvmSparkRelation(SparkRelation):
    """dbt-spark's relation, which may also be in another catalog than Spark's own.

    `database` is the catalog, as in dbt-databricks. dbt-spark takes only a database that is named
    like the schema, which means none.
    """

    def __post_init__(self) -> None:
        """Take any database; dbt-spark raises an error."""

    @property
    def other_catalog(self) -> str:
        """Return the name of the catalog, empty for Spark's own."""
        named = self.database or ""
        return "" if named in (self.schema, OWN_CATALOG) else named

    @property
    def full_name(self) -> str:
        """Return the name in SQL with every part in backticks, by which a refresh knows it."""
        parts = (self.other_catalog, str(self.schema), str(self.identifier))
        return relation_name(tuple(part for part in parts if part), ())

    @classmethod
    def create(
        cls,
        database: str | None = None,
        schema: str | None = None,
        identifier: str | None = None,
        type: RelationType | None = None,  # noqa: A002  # dbt's own name
        **kwargs: Any,
    ) -> Self:
        """Return a relation that is written with its catalog if it has one.

        Jinja's undefined, which `target.database` is for most profiles, is no catalog.
        """
        catalog = database if isinstance(database, str) else None
        relation = super().create(catalog, schema, identifier, type, **kwargs)
        if relation.other_catalog and "include_policy" not in kwargs:
            return relation.include(database=True)
        return relation

    def render(self) -> str:
        """Return the name in SQL, of up to three parts."""
        return BaseRelation.render(self)
