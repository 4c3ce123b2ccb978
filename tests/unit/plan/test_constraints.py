"""The foreign keys of constraints that a refresh may rely on."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.commands.explain.compiled import called
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.config import IvmConfig
from dbt.adapters.ivm_spark.plan.constraints import read_references, relied_on
from dbt.adapters.ivm_spark.plan.declared_keys import foreign_keys_among

LINES, ORDERS, RAW = "`s`.`lines`", "`s`.`orders`", "`raw`.`orders`"
KEY: dict[str, Any] = {
    "type": "foreign_key",
    "to": "ref('orders')",
    "columns": ["Order_Id"],
    "to_columns": ["id"],
    "expression": "rely",
}
SOURCES = {"source.p.raw.orders": {"source_name": "raw", "name": "orders", "relation_name": RAW}}


def _node(name: str, **said: Any) -> dict[str, Any]:
    return {"package_name": "p", "name": name, "relation_name": f"`s`.`{name}`", **said}


def _found(**changed: Any) -> list[Any]:
    nodes = {"l": _node("lines", constraints=[KEY | changed]), "o": _node("orders")}
    return relied_on(nodes, SOURCES, called)


@pytest.mark.parametrize(
    ("changed", "referenced"),
    [
        pytest.param({}, ORDERS, id="ref"),
        pytest.param({"to": "ref('p', 'orders')"}, ORDERS, id="ref with a package"),
        pytest.param({"to": "source('raw', 'orders')"}, RAW, id="source"),
        pytest.param({"to": ORDERS}, ORDERS, id="as dbt has compiled it"),
        pytest.param({"expression": "RELY not enforced"}, ORDERS, id="other words"),
        pytest.param({"to": "ref('orders', version=2)"}, None, id="a version"),
        pytest.param({"to": "ref('q', 'orders')"}, None, id="another package"),
        pytest.param({"to": "ref('nothing')"}, None, id="no such model"),
        pytest.param({"expression": "norely"}, None, id="not to be relied on"),
        pytest.param({"expression": None}, None, id="not said"),
        pytest.param({"type": "primary_key"}, None, id="another constraint"),
        pytest.param({"to_columns": []}, None, id="no columns"),
        pytest.param({"to_columns": ["id", "day"]}, None, id="other columns"),
    ],
)
def test_constraints_to_rely_on(changed: dict[str, Any], referenced: str | None) -> None:
    wanted = [] if referenced is None else [[LINES, ["Order_Id"], referenced, ["id"]]]
    assert _found(**changed) == wanted


def test_a_constraint_of_a_column() -> None:
    column = {"order_id": {"constraints": [{k: v for k, v in KEY.items() if k != "columns"}]}}
    nodes = {"l": _node("lines", columns=column), "o": _node("orders")}
    assert relied_on(nodes, {}, called) == [[LINES, ["order_id"], ORDERS, ["id"]]]


def test_two_models_of_one_name_are_told_apart_by_their_packages_only() -> None:
    nodes = {
        "l": _node("lines", constraints=[KEY]),
        "o": _node("orders"),
        "q": _node("orders", package_name="q"),
    }
    assert relied_on(nodes, {}, called) == []


def test_a_name_that_means_two_relations_of_a_query_is_trusted_for_none() -> None:
    config = IvmConfig(primary_keys={"days": ("day",)}, foreign_keys={"lines": {"days": ("day",)}})
    relations = ("`s`.`lines`", "`s`.`days`")
    assert len(foreign_keys_among(config, (), relations)) == 1
    assert foreign_keys_among(config, (), (*relations, "`t`.`days`")) == ()
    assert foreign_keys_among(config, (), (*relations, "`t`.`lines`")) == ()


def test_keys_of_configs_and_constraints_between_the_relations_of_a_query() -> None:
    config = IvmConfig(
        primary_keys={"s.days": ("Day",)}, foreign_keys={"lines": {"days": ("day",)}}
    )
    relations = ("`c`.`s`.`lines`", "`c`.`s`.`orders`", "`c`.`s`.`days`", "`c`.`t`.`days`")
    assert foreign_keys_among(config, read_references(_found()), relations) == (
        ForeignKey(relations[0], ("day",), relations[2], ("day",)),
        ForeignKey(relations[0], ("order_id",), relations[1], ("id",)),
    )
