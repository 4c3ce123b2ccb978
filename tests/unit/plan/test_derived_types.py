"""Spark is not asked for types that pass through; for a computed one it sees only the operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import Node, Scan, Window
from dbt.adapters.ivm_spark.plan.derived_types import DerivedTypes, nulls
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG, RELATIONS

COLUMNS = {name: kind for relation in RELATIONS for name, kind in relation.columns}


class Spark:
    """Knows the types of the tables, and says `computed` of what an operator computes."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.times = 0

    def __call__(self, trees: Sequence[Node]) -> list[dict[str, str]]:
        self.times += 1
        return [self.columns(tree) for tree in trees]

    def columns(self, node: Node) -> dict[str, str]:
        if isinstance(node, Scan):
            return {name: COLUMNS[column] for name, column in node.fields}
        self.asked.append(to_sql(render(node, bind_plain)))
        return dict.fromkeys(node.columns, "computed")


def types(sql: str, spark: Spark) -> list[str]:
    return list(DerivedTypes(spark).of(build_view(sql, CATALOG).root).values())


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("select order_id as k, note from orders where amount > 3", ["bigint", "string"]),
        ("select distinct c.name, o.amount from orders o join customers c on o.note = c.name",
         ["string", "decimal(12,2)"]),
        ("select c.name, o.note from orders o full join customers c on o.note = c.name",
         ["string", "string"]),
        ("select note from orders union all select name from customers", ["string"]),
        ("select note from orders except select name from customers", ["string"]),
        ("select note from orders o where exists (select 1 from customers c where "
         "c.customer_id = o.customer_id)", ["string"]),
    ],
)  # fmt: skip
def test_types_that_pass_through_are_not_asked_for(sql: str, found: list[str]) -> None:
    spark = Spark()
    assert types(sql, spark) == found
    assert spark.asked == []


def test_a_computed_column_is_asked_for_alone() -> None:
    spark = Spark()
    sql = "select note, amount * 2 as twice from orders join customers using (customer_id)"
    assert types(sql, spark) == ["string", "computed"]
    (asked,) = spark.asked
    assert asked.startswith("SELECT `v`.`orders_amount` * 2 AS `twice` FROM VALUES (CAST(NULL AS")
    assert "customers" not in asked


def test_windows_over_windows_are_asked_for_one_by_one() -> None:
    spark = Spark()
    sql = (
        "select order_id, max(n) over (partition by s) as m from (select order_id, "
        "count(*) over (partition by note) as n, amount as s from orders)"
    )
    view = build_view(sql, CATALOG)
    derived = DerivedTypes(lambda trees: [{**found, "n": "bigint"} for found in spark(trees)])
    for node in nodes(view.root):
        derived.of(node)
    assert sum(isinstance(node, Window) for node in nodes(view.root)) == 2
    assert len(spark.asked) == 2
    assert not [asked for asked in spark.asked if "`shop`" in asked]


def test_inputs_of_other_types_are_asked_for_together() -> None:
    spark = Spark()
    assert types("select amount from orders union all select order_id from orders", spark) == [
        "computed"
    ]
    assert spark.asked[0].count("CAST(NULL AS") == 2


def test_operators_beside_one_another_are_asked_about_together() -> None:
    spark = Spark()
    sides = " union all ".join(f"select amount * {n} as x, note as y from orders" for n in range(9))
    assert types(sides, spark) == ["computed", "string"]
    assert len(spark.asked) == 9
    assert spark.times == 2  # the sources, and what is computed of them


def test_columns_of_known_sources_are_not_asked_for() -> None:
    spark = Spark()
    view = build_view("select order_id as k, note, amount * 2 as twice from orders", CATALOG)
    found = DerivedTypes(spark, view.sources).of(view.root)
    assert list(found.values()) == ["bigint", "string", "computed"]
    assert (spark.times, len(spark.asked)) == (1, 1)


def test_a_char_of_a_source_is_asked_for() -> None:
    spark = Spark()
    view = build_view("select note from orders", CATALOG)
    (source,) = view.sources.values()
    kinds = tuple((name, "char(3)" if name == "note" else kind) for name, kind in source.columns)
    known = {source.name: replace(source, columns=kinds)}
    assert list(DerivedTypes(spark, known).of(view.root).values()) == ["string"]
    assert spark.times == 1


@pytest.mark.parametrize(
    "kind",
    [
        "bigint",
        "decimal(38,10)",
        "timestamp_ntz",
        "array<string>",
        "map<string,int>",
        "struct<a:int,B:array<decimal(10,2)>>",
    ],
)
def test_a_null_of_a_certain_type(kind: str) -> None:
    row = nulls({"x": kind})
    assert row is not None
    assert to_sql(row.rows[0][0]).replace(" ", "").lower() == f"cast(nullas{kind})".lower()


@pytest.mark.parametrize(
    "kind",
    [
        "void",
        "char(3)",
        "varchar(4)",
        "interval day to second",
        "string collate UTF8_LCASE",
        "array<string collate UNICODE>",
        "variant",
        "struct<a b:int>",
        "no type",
    ],
)
def test_for_another_type_spark_sees_the_whole_tree(kind: str) -> None:
    assert nulls({"x": kind}) is None
    spark = Spark()

    def ask(trees: Sequence[Node]) -> list[dict[str, str]]:
        return [
            dict.fromkeys(tree.columns, kind) if isinstance(tree, Scan) else spark.columns(tree)
            for tree in trees
        ]

    view = build_view("select amount + 1 as x from orders", CATALOG)
    assert list(DerivedTypes(ask).of(view.root).values()) == ["computed"]
    assert "`shop`.`orders`" in spark.asked[0]
