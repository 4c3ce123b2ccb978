"""DESCRIBE is read right whatever the columns are named."""

from __future__ import annotations

from typing import Any

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


def files(provider: str, place: str = "file:/t", *columns: str) -> list[dict[str, str]]:
    """A table in another format as Spark describes it."""
    return rows(
        *((name, "string") for name in columns or ("a",)),
        ("", ""),
        ("# Detailed Table Information", ""),
        ("Type", "EXTERNAL"),
        ("Provider", provider),
        ("Location", place),
        ("Storage Properties", "[sep=;]"),
    )


@pytest.mark.parametrize(
    ("provider", "exact"),
    [("parquet", True), ("ORC", True), ("csv", False), ("json", False), ("text", False)],
)
def test_a_table_of_files(provider: str, exact: bool) -> None:
    found = relation_from("`s`.`t`", files(provider))
    assert (found.kind, found.tells_changes) == (RelationKind.FILES, True)
    assert found.is_read_exactly is exact
    assert found.storage != relation_from("`s`.`t`", files(provider, "file:/other")).storage


@pytest.mark.parametrize(
    "described", [files("hive"), files("jdbc"), files("parquet", "/t", "_metadata")]
)
def test_a_table_of_which_nothing_tells_changes(described: list[dict[str, str]]) -> None:
    """The last one has a column that hides what Spark says of the files."""
    found = relation_from("`s`.`t`", described)
    assert (found.kind, found.tells_changes, found.is_read_exactly) == (
        RelationKind.OTHER,
        False,
        False,
    )


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


def iceberg(name: str, properties: str = "[format=iceberg/parquet,format-version=2]") -> Any:
    """A table of Iceberg's as Spark describes it."""
    return rows(
        ("a", "string"),
        ("", ""),
        ("# Metadata Columns", ""),
        ("_spec_id", "int"),
        ("", ""),
        ("# Detailed Table Information", ""),
        ("Name", name),
        ("Type", "MANAGED"),
        ("Provider", "iceberg"),
        ("Table Properties", properties),
    )


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("`lake`.`db`.`t`", iceberg("lake.db.t")),
        ("`Lake`.`db`.`T`", iceberg("lake.db.t")),
        ("`lake`.`my db`.`t`", iceberg("lake.`my db`.t")),
        ("`db`.`t`", iceberg("spark_catalog.db.t")),
    ],
)
def test_a_table_of_iceberg(name: str, described: list[dict[str, str]]) -> None:
    found = relation_from(name, described)
    assert found.columns == (("a", "string"),)
    assert found.kind is RelationKind.ICEBERG
    assert found.is_read_exactly


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("`lake`.`db`.`t`.`branch_b`", iceberg("lake.db.t")),
        ("`lake`.`db`.`t`.`files`", iceberg("lake.db.t.files", "[format=iceberg/parquet]")),
    ],
)
def test_a_branch_and_metadata_are_no_table(name: str, described: list[dict[str, str]]) -> None:
    assert relation_from(name, described).kind is RelationKind.OTHER
