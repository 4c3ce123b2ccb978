"""The measured models and the rivals' forms of them."""

from __future__ import annotations

import re

import duckdb
import pytest

from benchmarks.chained import CHAINED
from benchmarks.contest import texts
from benchmarks.models import Model, columns_of
from benchmarks.rivals.best_sql import BEST
from benchmarks.rivals.by_dbt import AUTO, HAND_WRITTEN, MERGE, TABLE
from benchmarks.rivals.duck import query
from benchmarks.rivals.every import RIVALS
from benchmarks.rivals.floors import ChangeFeed
from benchmarks.shapes import SHAPES
from benchmarks.suites.many_models import models
from benchmarks.suites.refreshes import MODELS


def test_a_chain_stands_on_models_of_its_own_form() -> None:
    chain = SHAPES["ivm_on_ivm_on_ivm"]
    made = texts([chain], [AUTO, TABLE])
    assert len(made) == 6
    assert "ref('customer_revenue__table')" in made["ivm_on_ivm_on_ivm__table"]
    assert "ref('order_revenue__auto')" in made["customer_revenue__auto"]
    assert "below(" not in "".join(made.values())
    assert chain.sources == ("lineitem", "orders")


def test_configs_of_the_ivm_form_are_not_those_of_the_table() -> None:
    join = SHAPES["keyed_join"]
    assert "primary_keys" in AUTO.texts(join)["keyed_join__auto"]
    assert "primary_keys" not in TABLE.texts(join)["keyed_join__table"]


def test_every_hand_written_model_is_of_a_shape_and_has_its_key() -> None:
    names = {path.name.removesuffix("__merge.sql") for path in HAND_WRITTEN.glob("*.sql")}
    assert names
    assert {shape.name for shape in SHAPES.values() if MERGE.fits(shape)} == names
    for name in names:
        text = (HAND_WRITTEN / f"{name}__merge.sql").read_text()
        key = re.search(r"unique_key=(\[[^]]+\]|'\w+')", text)
        assert key is not None, name
        assert tuple(re.findall(r"\w+", key.group(1))) == SHAPES[name].key


def test_a_join_without_a_key_has_no_hand_written_rival() -> None:
    fitting = [rival.name for rival in RIVALS.values() if rival.fits(SHAPES["keyless_join"])]
    assert fitting[:5] == ["auto", "append", "incremental", "full", "table"]
    assert not {"merge", "best"} & set(fitting)


def test_three_models_have_a_best_merge() -> None:
    fitting = {name for name, shape in SHAPES.items() if RIVALS["best"].fits(shape)}
    assert fitting == set(BEST) == {"aggregate_many_groups", "join_aggregate", "keyed_join"}


def test_floors_are_no_rivals() -> None:
    assert [rival.name for rival in RIVALS.values() if rival.floor] == [
        *("insert_rows", "empty_merge", ChangeFeed.name, "duckdb")
    ]


def test_columns_that_a_query_names() -> None:
    sql = "select L_Orderkey, sum(l_tax) from lineitem where l_taxes > 1"
    assert columns_of(sql, ["l_orderkey", "l_tax", "l_comment"]) == ["l_orderkey", "l_tax"]


def test_the_queries_of_tpch_and_the_shapes_are_all_there() -> None:
    assert {f"q{number:02}" for number in range(1, 23)} | {*SHAPES, *CHAINED} == set(MODELS)


@pytest.mark.parametrize("count", [1, 10, 100])
def test_many_models_differ(count: int) -> None:
    made: list[Model] = models(count)
    assert len({model.name for model in made}) == count
    assert len({model.sql for model in made}) == count
    reading = [model for model in made if "orders" in model.sources]
    assert len(reading) >= count * 3 // 5


@pytest.mark.parametrize("name", sorted(n for n, m in MODELS.items() if RIVALS["duckdb"].fits(m)))
def test_duckdb_understands_each_query(name: str) -> None:
    with duckdb.connect() as engine:
        assert engine.extract_statements(query(MODELS[name]))
    assert "var(" not in query(MODELS[name]).lower(), "DuckDB has no function of that name"
