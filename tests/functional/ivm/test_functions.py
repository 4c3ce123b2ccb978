"""Functions of the user's own: SQL functions are expanded, others only if the user vouches."""

from __future__ import annotations

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, reasons

TAX = "create or replace function with_tax(net decimal(10,2), rate double default 0.1) "
FUNCTIONS = (
    TAX + "returns double return net + net * rate",
    "create or replace function label(id int, net decimal(10,2)) returns string "
    "return concat(id, ':', with_tax(net => net)) ",
)
ABS = "org.apache.hadoop.hive.ql.udf.generic.GenericUDFAbs"


def model(name: str, sql: str, config: str = "") -> tuple[str, str]:
    sql = sql.replace("@", "{{ target.schema }}.")
    return f"{name}.sql", f"{{{{ config(materialized='ivm'{config}) }}}}\n{sql}"


TRUST = ", deterministic_functions=['magnitude']"
MODELS = dict(
    (
        model("direct", "select id, @with_tax(amount) as gross, @with_tax(1, 0.5) as one from @t"),
        model(
            "grouped",
            "select k, sum(@with_tax(amount, k)) as gross, @with_tax(sum(amount)) as late from @t "
            "group by k having @with_tax(count(*)) > 1",
        ),
        model("through_view", "select id, gross from @seen where gross > 2"),
        model("random", "select id, @at_random(id) as r from @t"),
        model("of_a_query", "select id, @newest(id) as r from @t"),
        model("unknown", "select id, @magnitude(id) as r from @t"),
        model("vouched", "select id, @magnitude(id) as r from @t", TRUST),
        model("vouched_late", "select k, @magnitude(sum(id)) as r from @t group by k", TRUST),
    )
)
EXPANDED = ["direct", "grouped", "through_view"]
KEPT = [*EXPANDED, "vouched", "vouched_late"]
FULL = {
    "random": "EXPRESSION_NOT_DETERMINISTIC",
    "of_a_query": "OPERATOR_NOT_SUPPORTED",
    "unknown": "OPERATOR_NOT_SUPPORTED",
}


class TestFunctions:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    def test_sql_and_deterministic_functions_are_maintained_and_others_rebuilt(
        self, warehouse: Warehouse
    ) -> None:
        warehouse.sql(
            # As in dbt's sessions: Spark reads a function under the settings of its creation.
            "set spark.sql.ansi.enabled = false",
            f"create table t (id int, k int, amount decimal(10,2)) using delta {FEED}",
            "insert into t values (-1, 1, 10), (2, 1, 20.5), (3, 2, null), (4, 2, 4)",
            *FUNCTIONS[:1],
            FUNCTIONS[1].replace("net => net", "net"),
            "create view seen as select id, with_tax(amount) as gross, label(id, amount) as name "
            "from t",
            "create function at_random(id int) returns double return rand() + id",
            "create function newest(x int) returns int return "
            f"(select max(id) from {warehouse.schema}.t where id < x)",
            f"create function magnitude as '{ABS}'",
        )
        first = warehouse.run()
        assert set(kinds(first).values()) == {"initial"}
        assert reasons(first) == FULL
        warehouse.sql(
            "insert into t values (5, 1, 7), (6, 3, 0.5)",
            "update t set amount = amount + 1 where id = -1",
            "delete from t where id = 4",
        )
        found = kinds(warehouse.run())
        assert found == dict.fromkeys(KEPT, "incremental") | dict.fromkeys(FULL, "full")
        warehouse.check(*KEPT, *(set(FULL) - {"random"}))

    def test_a_function_that_is_replaced_is_a_changed_query(self, warehouse: Warehouse) -> None:
        assert set(kinds(warehouse.run(*EXPANDED)).values()) == {"none"}
        warehouse.sql(TAX + "returns double return net + net * rate + 1")
        responses = warehouse.run(*EXPANDED)
        assert reasons(responses) == {"grouped": "QUERY_FINGERPRINT_CHANGED"}
        assert {n for n, r in responses.items() if r.get("query_change")} == {
            "direct",
            "through_view",
        }
        warehouse.check(*EXPANDED)

    def test_deterministic_functions_can_be_removed_and_added_again(
        self, warehouse: Warehouse
    ) -> None:
        warehouse.write("vouched", MODELS["unknown.sql"])
        assert reasons(warehouse.run("vouched")) == {"vouched": "OPERATOR_NOT_SUPPORTED"}
        warehouse.write("vouched", MODELS["vouched.sql"])
        assert reasons(warehouse.run("vouched")) == {"vouched": "QUERY_FINGERPRINT_CHANGED"}
        warehouse.sql("insert into t values (-9, 1, 1)")
        assert kinds(warehouse.run("vouched")) == {"vouched": "incremental"}
        warehouse.check("vouched")
