"""What the changes of two tables say about the keys between them."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Scan
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.references import key_change_query, orphans_query
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain

KEY = ForeignKey("`main`.`lines`", ("o", "d"), "`main`.`orders`", ("id", "day"))
ORDERS = (("id", "int"), ("day", "int"), ("v", "int"))
LINES = (("o", "int"), ("d", "int"))


def _bind(scan: Scan) -> Bound:
    bound = bind_plain(scan)
    weight = exp.column(WEIGHT, table=scan.alias, quoted=True)
    return replace(bound, columns={**bound.columns, WEIGHT: weight})


def _asked(question: exp.Query, orders: str, lines: str = "(1, 1, 0)") -> tuple[int, ...]:
    with duckdb.connect() as engine:
        for name, columns, rows in (("orders", "id, day, v", orders), ("lines", "o, d", lines)):
            engine.execute(
                f"create table {name} as select * from (values {rows}) t({columns}, {WEIGHT})"
            )
        text = sqlglot.transpile(to_sql(question), "spark", "duckdb")[0]
        (row,) = engine.sql(text).fetchall()
        return tuple(int(value or 0) for value in row)


@pytest.mark.parametrize(
    ("orders", "repeated", "stayed", "lost"),
    [
        pytest.param("(1, 1, 7, 1), (2, 1, 7, 1), (1, 2, 7, 1)", 0, 0, 0, id="new rows"),
        pytest.param("(1, 1, 7, 1), (2, 1, 7, -1), (3, 1, 7, -1)", 0, 0, 2, id="came and went"),
        pytest.param("(1, 1, 7, -1), (1, 1, 8, 1), (2, 1, 7, 1)", 0, 1, 1, id="other values"),
        pytest.param("(1, 1, 7, -1), (1, 1, 7, 1), (2, 1, 7, 1)", 0, 0, 0, id="the same values"),
        pytest.param("(1, 1, 7, 1), (1, 1, 7, -1)", 0, 0, 0, id="one came and went again"),
        pytest.param(
            "(1, 1, 7, -1), (1, 1, 8, 1), (1, 1, 8, -1)", 0, 0, 1, id="one was changed and went"
        ),
        pytest.param("(1, 1, 7, 1), (1, 1, 8, 1)", 1, 0, 0, id="one key twice"),
        pytest.param("(1, 1, 7, 1), (1, 1, 7, 1)", 1, 0, 0, id="one row twice"),
        pytest.param("(1, 1, 7, -1), (1, 1, 8, -1)", 1, 0, 1, id="one key had been there twice"),
        pytest.param("(1, 1, 7, -1), (1, 1, 8, 1), (1, 1, 9, 1)", 0, 1, 1, id="perhaps twice"),
        pytest.param(
            "(null, 1, 7, 1), (null, 1, 7, 1), (2, null, 7, -1)", 0, 0, 0, id="no complete key"
        ),
    ],
)
def test_the_change_of_a_key(orders: str, repeated: int, stayed: int, lost: int) -> None:
    question = key_change_query(KEY.referenced, KEY.keys, ORDERS, _bind)
    assert _asked(question, orders) == (repeated, stayed, lost)


@pytest.mark.parametrize(
    ("orders", "lines", "orphans"),
    [
        pytest.param("(1, 1, 7, 1)", "(1, 1, 1), (1, 1, 1)", 0, id="both came"),
        pytest.param("(1, 1, 7, -1)", "(1, 1, -1), (null, 1, 1)", 0, id="both went"),
        pytest.param("(1, 1, 7, -1)", "(1, 1, -1), (1, 1, 1)", 0, id="perhaps another line went"),
        pytest.param("(1, 1, 7, 1)", "(1, 1, -1)", 1, id="a line was there before its order"),
        pytest.param(
            "(1, 1, 7, -1), (2, 1, 7, -1)", "(2, 1, 1)", 1, id="a line came when it had gone"
        ),
        pytest.param("(1, 1, 7, -1)", "(2, 1, 1)", 0, id="of other orders"),
        pytest.param("(1, 1, 7, -1), (1, 1, 7, 1)", "(1, 1, 1)", 0, id="of an order that stayed"),
    ],
)
def test_lines_without_their_order(orders: str, lines: str, orphans: int) -> None:
    assert _asked(orphans_query(KEY, ORDERS, LINES, _bind), orders, lines) == (orphans,)
