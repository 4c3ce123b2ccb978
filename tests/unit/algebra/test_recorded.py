"""A tree as text: what a watermark records of a query."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra import recorded as module
from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.recorded import read_recorded, recorded
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Filter, Values, Window
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

QUERIES = (
    "select note, sum(amount) as total from orders where ordered_on > date '2024-01-01' group by 1",
    "select c.segment, o.amount * 2 as x from orders o left join customers c "
    "on o.customer_id = c.customer_id and c.name like 'a%' where not (o.amount between 1 and 2)",
    "select order_id, lag(amount, 1) over (partition by customer_id order by ordered_on desc) as l,"
    " percentile_cont(0.5) within group (order by amount) filter (where amount > 1) "
    "over (partition by customer_id) as p from orders",
    "select user_id, tag, transform(tags, t -> upper(t)) as t from clicks "
    "lateral view outer explode(tags) e as tag",
    "select order_id as id from orders union all select 1 union all values (2)",
    "select name from customers c where exists (select 1 from orders o "
    "where o.customer_id = c.customer_id) order by name desc nulls last limit 3",
)


def test_a_window_over_all_rows_has_no_keys() -> None:
    """As in a calendar, whose rows never change."""
    sql = "select row_number() over (order by x) as n from (values (1), (2)) as v(x)"
    root = build_view(sql, CATALOG).root
    read = read_recorded(recorded(root))
    assert read is not None
    (window,) = (node for node in walk(read) if isinstance(node, Window))
    assert window.keys == ()


@pytest.mark.parametrize("sql", QUERIES)
def test_a_recorded_tree_is_read_as_it_was(sql: str) -> None:
    root = build_view(sql, CATALOG).root
    text = recorded(root)
    assert text
    assert read_recorded(text) == root


def test_comments_are_not_recorded() -> None:
    plain = "select amount /* secret */ + 1 as x from orders"
    text = recorded(build_view(plain, CATALOG).root)
    assert text == recorded(build_view(plain.replace(" /* secret */", ""), CATALOG).root)


def test_a_tree_that_is_too_long_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 100)
    assert recorded(build_view(QUERIES[0], CATALOG).root) == ""


@pytest.mark.parametrize("text", ["", "not a text", "c-", base64.b85encode(b"1").decode()])
def test_any_other_text_is_no_tree(text: str) -> None:
    assert read_recorded(text) is None


def _texted(value: Any) -> str:
    return base64.b85encode(zlib.compress(json.dumps(value).encode())).decode()


@pytest.mark.parametrize("kind", ["os.system", "subprocess.Popen", "sys", "Dialect", "maybe_parse"])
def test_a_text_makes_expressions_only(kind: str) -> None:
    """Whoever can write into a state's log must not be able to run code by it."""
    values = {"$kind": "Values", "names": ["a"], "rows": [[{"$sql": [{"c": kind}]}]]}
    assert read_recorded(_texted(values)) is None
    values["rows"] = [[{"$sql": [{"c": "Literal"}]}]]
    assert isinstance(read_recorded(_texted(values)), Values)


def test_a_value_that_is_no_tree_is_none() -> None:
    assert read_recorded(_texted([1, 2])) is None
    assert read_recorded(_texted({"$kind": "Filter"})) is None


def test_quotes_and_names_stay() -> None:
    root = Filter(Values(("`a b`",), ((exp.Literal.string("it's; {}"),),)), column("`a b`"))
    assert read_recorded(recorded(root)) == root
