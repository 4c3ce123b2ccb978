"""A query at the versions that were recorded, as its user wrote it."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.commands.verify.pinned import (
    decided,
    has_limit,
    held_at,
    is_decided,
    open_aggregates,
    without_limit,
    written,
)
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.parse import Parsed, parse
from tests.unit.golden.shop import CATALOG

VERSIONS = {"`shop`.`orders`": 7, "`shop`.`customers`": 3}


def parsed(query: str, catalog: Catalog = CATALOG) -> Parsed:
    return parse(query, catalog)


def pinned(query: str, catalog: Catalog = CATALOG) -> str:
    return " ".join((written(parsed(query, catalog), VERSIONS) or "").split())


def test_every_place_of_a_source_has_its_version() -> None:
    found = pinned(
        "with o as (select * from orders) select count(*) as n from o join shop.orders as p "
        "using (order_id) where exists (select 1 from customers)"
    )
    assert found == (
        "WITH o AS ( SELECT * FROM `shop`.`orders` VERSION AS OF 7 AS `orders` ) SELECT "
        "count(1) AS n FROM o JOIN `shop`.`orders` VERSION AS OF 7 AS `p` USING (order_id) "
        "WHERE EXISTS( SELECT 1 FROM `shop`.`customers` VERSION AS OF 3 AS `customers` )"
    )


@pytest.mark.parametrize(
    "query",
    [
        # A CTE with CTEs of its own, two of them with the names of others: dbt's ephemeral models.
        "WITH a AS ( WITH o AS ( SELECT 1 AS x ), final AS ( SELECT * FROM o ) SELECT * FROM "
        "final ), final AS ( SELECT * FROM a ) SELECT * FROM final",
        # A CTE of a subquery hides the table only there.
        "SELECT * FROM ( WITH orders AS ( SELECT 1 AS x ) SELECT * FROM orders ) AS t CROSS JOIN "
        "`shop`.`orders` VERSION AS OF 7 AS `orders`",
        "SELECT 1 AS y UNION ALL ( WITH o AS ( SELECT 2 AS x ) SELECT * FROM o )",
        "SELECT 1 AS y WHERE EXISTS( WITH o AS ( SELECT 2 AS x ) SELECT * FROM o )",
        "SELECT ( WITH o AS ( SELECT 2 AS x ) SELECT max(x) AS m FROM o ) AS y",
    ],
)
def test_ctes_stay_in_their_subqueries(query: str) -> None:
    text = query.replace("`shop`.`orders` VERSION AS OF 7 AS `orders`", "shop.orders")
    assert pinned(text) == query


def test_views_are_expanded() -> None:
    view = Relation(
        "`shop`.`few`",
        RelationKind.VIEW,
        (("id", "bigint"),),
        "select order_id from orders",
        ("shop",),
        ("order_id",),
    )
    catalog = Catalog({**CATALOG.relations, relation_key(view.name): view}, ("shop",))
    found = pinned("select f.id from few as f", catalog)
    assert "FROM `shop`.`orders` VERSION AS OF 7" in found
    assert "few" not in found


def test_a_cte_called_like_a_table_of_the_tree_is_not_written() -> None:
    assert (
        written(parsed("with __ivm_t0 as (select 1 as a) select a from __ivm_t0, orders")) is None
    )


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("collect_list(note)", ["collect_list"]),
        ("array_join(collect_set(note), ',')", ["collect_set"]),
        ("first(note, true) filter (where amount > 1)", ["first"]),
        ("any_value(note) + last(amount)", ["any_value", "last"]),
        ("sort_array(collect_list(note))", []),
        ("size(collect_set(note) filter (where amount > 1))", []),
        ("first(note) over (partition by order_id order by amount)", []),
        ("last(note) ignore nulls over (order by amount)", []),
        ("listagg(note) within group (order by note)", []),
        ("count(first)", []),
    ],
)
def test_order_dependent_aggregates_are_found(expression: str, found: list[str]) -> None:
    assert open_aggregates(parsed(f"select {expression} as x from orders")) == found


def test_a_window_with_ties_is_decided_by_the_model() -> None:
    query = "select order_id, {} over (partition by customer_id order by amount) as p from orders"
    ties = build_view(query.format("row_number()"), CATALOG)
    assert is_decided(ties)
    assert not is_decided(build_view(query.format("rank()"), CATALOG))
    assert "VERSION AS OF 7" in decided(ties, VERSIONS, True)


def test_a_limit_is_removed_with_its_order() -> None:
    query = "select customer_id, count(*) as n from orders group by 1 order by n limit 3"
    view = build_view(query, CATALOG)
    assert has_limit(parsed(query), view)
    assert "LIMIT" not in (written(parsed(query), VERSIONS, limited=False) or "LIMIT")
    assert "LIMIT" not in decided(view, VERSIONS, False)
    assert "LIMIT" in decided(view, VERSIONS, True)
    inner = f"select n from ({query}) as top"
    assert not has_limit(parsed(inner), None)
    assert without_limit("select a from s order by a limit 3 offset 1") == "SELECT a FROM s"
    assert without_limit("select a from s order by a") is None


def test_a_view_that_is_held_reads_its_state_at_a_version() -> None:
    assert held_at("select a from x.s version as of 12 as state") == 12
    assert held_at("select a from x.s as state") is None
