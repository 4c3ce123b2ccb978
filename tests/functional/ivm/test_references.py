"""Models that trust foreign keys: their rows, what they read, and keys that do not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from dbt.adapters.ivm_spark.plan import references
from dbt.adapters.ivm_spark.session.activity import Activity, watch
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

LINES, ORDERS, CUSTOMERS = (
    "{{ target.schema }}.lines l",
    "{{ target.schema }}.orders o",
    "{{ target.schema }}.customers c",
)
VIEWS = {
    "joined": f"select l.q, o.v from {LINES} join {ORDERS} on l.o = o.o where o.v < 90",
    "kept": f"select l.q, o.v from {LINES} left join {ORDERS} on l.o = o.o",
    "sums": f"select c.segment, sum(l.q) as q, count(*) as n from {LINES} "
    f"join {ORDERS} on l.o = o.o join {CUSTOMERS} on o.c = c.c group by c.segment",
    "known": f"select l.q from {LINES} where exists (select 1 from {ORDERS} where o.o = l.o)",
}
SOURCES = {
    "sources": [
        {
            "name": "shop",
            "schema": "{{ target.schema }}",
            "tables": [
                {
                    "name": "orders",
                    "columns": [
                        {
                            "name": "c",
                            "constraints": [
                                {
                                    "type": "foreign_key",
                                    "to": "source('shop', 'customers')",
                                    "to_columns": ["c"],
                                    "expression": "RELY",
                                }
                            ],
                        }
                    ],
                },
                {"name": "customers"},
            ],
        }
    ]
}
OF_ORDERS = ("joined", "kept", "known")


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "WORTH_ASKING", 0)


def _trusted(responses: dict[str, Any]) -> dict[str, set[str]]:
    """The sources whose term each model left out."""
    return {
        model: {
            name.split(".")[-1].strip("`")
            for name, source in response["sources"].items()
            if source["by_foreign_key"]
        }
        for model, response in responses.items()
    }


def _reads_lines(work: Activity) -> bool:
    """Whether a statement reads the table of lines, and not only its changes."""
    lines = re.compile(r"(?:`lines` version as of \d+|`ivm_scan_\w+`) as `l`", re.IGNORECASE)
    return any(lines.search(sql) for sql in work.statements)


class TestForeignKeys:
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {
            "models": {
                "+materialized": "ivm",
                "+refresh_policy": "incremental",
                "+primary_keys": {"orders": ["o"]},
                "+foreign_keys": {"lines": {"orders": ["o"]}},
            }
        }

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        views = {f"{name}.sql": sql for name, sql in VIEWS.items()}
        return views | {"sources.yml": yaml.safe_dump(SOURCES)}

    @pytest.fixture
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            f"create or replace table lines (o bigint, q int) using delta {FEED}",
            f"create or replace table orders (o bigint, c bigint, v int) using delta {FEED}",
            f"create or replace table customers (c bigint, segment string) using delta {FEED}",
            "insert into customers values (1, 'a'), (2, 'b')",
            "insert into orders values (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, null, 40)",
            "insert into lines values (1, 1), (1, 2), (2, 3), (3, 4), (4, 5), (null, 6)",
        )
        warehouse.run(flags=["--full-refresh"])
        yield warehouse

    def test_rows_that_came_and_went_have_no_term(self, built: Warehouse) -> None:
        built.sql(
            "insert into customers values (3, 'c')",
            "insert into orders values (5, 3, 50), (6, 1, 60), (7, 2, 95)",
            "insert into lines values (5, 7), (5, 8), (7, 9), (2, 10)",
            "delete from lines where o = 3",
            "delete from orders where o = 3",
        )
        with watch() as work:
            responses = built.run()
        assert set(kinds(responses).values()) == {"incremental"}
        assert _trusted(responses) == {
            **{model: {"orders"} for model in OF_ORDERS},
            "sums": {"orders", "customers"},
        }
        assert not _reads_lines(work)
        built.check(*VIEWS)

        built.sql("insert into orders values (8, 1, 80)")
        built.run()
        built.check(*VIEWS)
        built.sql("insert into lines values (8, 1)")
        built.run()
        built.check(*VIEWS)

    def test_neither_have_rows_without_a_net_effect_on_the_columns_that_are_read(
        self, built: Warehouse
    ) -> None:
        built.sql(
            "update orders set c = 2 where o in (1, 2)",
            "insert into orders values (5, 1, 50)",
            "delete from orders where o = 5",
            "insert into orders values (5, 2, 51), (6, 1, 60)",
            "update orders set v = 21 where o = 2",
            "update orders set v = 20 where o = 2",
            "delete from lines where o = 3",
            "delete from orders where o = 3",
            "insert into lines values (5, 7), (6, 8)",
        )
        with watch() as work:
            responses = built.run("joined", "kept", "known")
        assert _trusted(responses) == {model: {"orders"} for model in OF_ORDERS}
        assert not _reads_lines(work)
        built.check(*OF_ORDERS)

    def test_rows_with_other_values_have_one(self, built: Warehouse) -> None:
        built.sql(
            "update orders set v = v + 1, c = 2 where o = 1",
            "insert into orders values (5, 2, 50)",
            "insert into lines values (5, 7)",
            "insert into customers values (3, 'c')",
        )
        with watch() as work:
            responses = built.run()
        assert _trusted(responses) == {
            **{model: set[str]() for model in ("joined", "kept")},
            "known": {"orders"},
            "sums": {"customers"},
        }
        assert _reads_lines(work)
        built.check(*VIEWS)

    def test_a_key_that_two_rows_have_is_an_error(self, built: Warehouse) -> None:
        built.sql(
            "insert into orders values (5, 1, 50), (5, 2, 50)", "delete from lines where q = 1"
        )
        said = built.fail("joined")["joined"]
        assert "primary_keys says that o is the key of" in said
        assert "--full-refresh" in said
        built.sql("delete from orders where o = 5 and c = 2")
        assert kinds(built.run(flags=["--full-refresh"])) == dict.fromkeys(VIEWS, "full")
        built.check(*VIEWS)

    @pytest.mark.parametrize(
        "changes",
        [
            ("delete from orders where o = 2", "insert into lines values (2, 9)"),
            ("insert into orders values (9, 1, 1)", "delete from lines where o = 9"),
        ],
    )
    def test_lines_without_their_order_are_an_error(
        self, built: Warehouse, changes: tuple[str, ...]
    ) -> None:
        if "(9," in changes[0]:
            built.sql("insert into lines values (9, 1), (9, 2)")
            built.run()
        built.sql(*changes)
        said = built.fail("joined")["joined"]
        assert "foreign_keys says that o of" in said
        assert "--full-refresh" in said
        assert kinds(built.run(flags=["--full-refresh"])) == dict.fromkeys(VIEWS, "full")
        built.check(*VIEWS)
