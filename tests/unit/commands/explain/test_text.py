"""What `ivm_explain` prints, in files to be read; `pytest tests/unit/explain --update-golden`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.unit.commands.explain.shop import Shop

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """A model; newest: the version of its sources, since a build at 7, None before any build;
    said: what is said of the model; sql: its view's text is shown too."""

    query: str
    newest: int | None = None
    without: tuple[str, ...] = ()
    said: dict[str, Any] | None = None
    sql: bool = False


MODELS = {
    "join_aggregate": Case(
        "select c.segment, sum(o.amount) as revenue, count(*) as orders from @orders o "
        "join @customers c using (customer_id) group by 1 having sum(amount) > 10 "
        "order by 2 desc limit 3",
        newest=9,
        said={"config": {"refresh_policy": "incremental"}},
        sql=True,
    ),
    "nested_aggregate": Case(
        "select segment, max(total) as best from (select c.segment, o.customer_id, sum(amount) "
        "as total from @orders o join @customers c on o.customer_id = c.customer_id group by 1, 2) "
        "group by segment"
    ),
    "left_join": Case(
        "select o.order_id, o.amount * 2 as twice, c.name from @orders o "
        "left join @customers c on o.customer_id = c.customer_id",
        newest=7,
    ),
    "window": Case(
        "select order_id, row_number() over (partition by customer_id order by ordered_on) as place"
        " from @orders where note is not null",
        newest=8,
        without=("`shop`.`orders`",),
    ),
    "not_maintained": Case(
        "select customer_id, count(*) as n from (select customer_id from @orders order by amount "
        "limit 10) group by 1",
        newest=8,
    ),
    "not_deterministic": Case("select order_id, rand() as lot from @orders", newest=8),
    "union_distinct": Case(
        "select customer_id from @orders union select customer_id from @customers", newest=7
    ),
    "refused": Case(
        "select customer_id, rank() over (order by amount) as place from @orders",
        said={"config": {"refresh_policy": "incremental_strict"}},
    ),
    "recomputed": Case(
        "select customer_id, count(distinct note) as notes, min(ordered_on) as newest from @orders "
        "where exists (select 1 from @customers c where c.customer_id = orders.customer_id) "
        "group by 1",
        said={"materialized": "table"},
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_text_equals_the_golden_file(name: str, update_golden: bool) -> None:
    case, shop, path = MODELS[name], Shop(), CASES / f"{name}.txt"
    if case.newest is not None:
        shop.build(case.query)
        shop.newest = case.newest
    shop.without = case.without
    explainer = shop.explainer(case.query, **(case.said or {}))
    text = explainer.text("text", [("view", explainer.view_sql)], case.sql) + "\n"
    if update_golden:
        path.write_text(text)
    assert path.read_text() == text


def test_every_file_is_a_case() -> None:
    assert {path.stem for path in CASES.glob("*.txt")} == set(MODELS)
