"""DESCRIBE is read right whatever the columns are named."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.source.describe import relation_from

FEED = "[delta.enableChangeDataFeed=true,delta.minReaderVersion=1]"


def rows(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"col_name": name, "data_type": kind, "comment": ""} for name, kind in pairs]


def table(*columns: str, partitions: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """A Delta table as Spark describes it."""
    named = [("# Partition Information", ""), ("# col_name", "data_type")] if partitions else []
    return rows(
        *((name, "string") for name in columns),
        *named,
        *((name, "string") for name in partitions),
        ("", ""),
        ("# Metadata Columns", ""),
        ("_metadata", "struct<file_path:string>"),
        ("", ""),
        ("# Detailed Table Information", ""),
        ("Name", "spark_catalog.s.t"),
        ("Comment", ""),
        ("Type", "MANAGED"),
        ("Provider", "delta"),
        ("Table Properties", FEED),
    )


@pytest.mark.parametrize("name", ["# x", "# Detailed Table Information", "Provider", "Type", "--"])
def test_a_column_named_like_a_heading_or_a_fact(name: str) -> None:
    found = relation_from("`s`.`t`", table("a", name, "z", partitions=(name,)))
    assert [column for column, _ in found.columns] == ["a", name, "z"]
    assert found.kind is RelationKind.DELTA
    assert found.feed


def test_a_view() -> None:
    described = rows(("a", "int"), ("", ""), ("# Detailed Table Information", ""), ("Type", "VIEW"))
    assert relation_from("`s`.`v`", described).kind is RelationKind.VIEW


def test_a_table_that_may_have_deletion_vectors() -> None:
    described = table("a")
    *others, _ = described
    said = "[delta.feature.deletionVectors=supported,delta.minReaderVersion=3]"
    (properties,) = rows(("Table Properties", said))
    assert relation_from("`s`.`t`", [*others, properties]).vectors
    assert not relation_from("`s`.`t`", described).vectors
