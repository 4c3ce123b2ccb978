"""Spark is asked once about operators that compute the same over the same types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError
from sqlglot import parse_one

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.plan.described import Described
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

KINDS = ("int", "bigint", "double", "date", "timestamp", "binary", "boolean")


class Spark:
    """Answers DESCRIBE QUERY: an expression's type depends on how long it is."""

    def __init__(self, joins: bool = True) -> None:
        self.sent: list[str] = []
        self._joins = joins

    def __call__(self, sql: str) -> Sequence[Mapping[str, Any]]:
        sql = sql.removeprefix("describe query\n")
        self.sent.append(sql)
        query = parse_one(sql, dialect=IvmSpark)
        joins = query.args.get("joins") or ()
        parts = [part.this.this for part in (query.args["from_"], *joins)] if joins else []
        if parts and not self._joins:
            raise DbtDatabaseError("one of them is wrong")
        return [
            {"col_name": item.alias, "data_type": KINDS[sum(1 for _ in item.walk()) % len(KINDS)]}
            for part in parts or [query]
            for item in part.selects
        ]


def types(sql: str, spark: Spark) -> list[str]:
    view = build_view(sql, CATALOG)
    return list(Described(spark, view.sources).types(view.root).values())


@pytest.mark.parametrize("joins", [True, False])
def test_each_tree_gets_its_own_types(joins: bool) -> None:
    spark = Spark(joins)
    found = types(
        "select o.x, c.y, c.z from (select customer_id, -amount as x from orders) o join (select "
        "customer_id, name || 'a' as y, name as z from customers) c using (customer_id)",
        spark,
    )
    assert found[2] == "string"
    assert len(set(found)) == 3
    assert len(spark.sent) == (1 if joins else 3)
    assert found == types(
        "select -amount as x, name || 'a' as y, name as z from orders join customers using "
        "(customer_id)",
        Spark(joins),
    )


def test_two_operators_of_one_kind_are_one_question() -> None:
    spark = Spark()
    branch = "select amount * 2 as {0}, note || 'x' as y from orders"
    kinds = types(" union all ".join(branch.format(f"x{n}") for n in range(5)), spark)
    assert len(kinds) == 2
    assert len(spark.sent) == 1
    assert "cross join" not in spark.sent[0]


def test_many_operators_are_a_few_statements() -> None:
    spark = Spark()
    branches = (f"select amount * {'-' * (n % 2)}{n} as x from orders" for n in range(100))
    types(" union all ".join(branches), spark)
    assert len(spark.sent) <= 4


POINTS = Relation(
    "`shop`.`points`",
    RelationKind.DELTA,
    (("k", "int"), ("s", "struct<f:int,g:double,`k l`:string>"), ("j", "string")),
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s.f", "s.g"),
        ("sum(s.f) as f", "sum(s.g) as g"),
        ("max(s.f) over (partition by k) as f", "max(s.g) over (partition by k) as g"),
        ("from_json(j, '`a` int') as a", "from_json(j, '`b` string') as b"),
        ("s.`k l`", "s.f"),
    ],
)
def test_two_fields_are_two_questions(first: str, second: str) -> None:
    """A field, or a part of a literal, may have the name of the column that is made of it."""
    catalog = Catalog({relation_key(POINTS.name): POINTS}, ("shop",))
    group = " group by k" if "sum(" in first else ""
    view = build_view(
        f"select a.*, b.* from (select {first}, k as x from points{group}) a join (select {second},"
        f" k as y from points{group}) b on a.x = b.y",
        catalog,
    )
    spark = Spark()
    Described(spark, view.sources).types(view.root)
    asked = "".join(spark.sent)
    fields = (".`f`", ".`g`", ".`k l`", "from_json(")
    assert sum(asked.count(field) for field in fields) >= 2
