"""Plans of a model whose SQL has changed, and of the runs after that."""

from __future__ import annotations

from typing import Any

import sqlglot
from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.plan.plan import Full, Plan, RefreshKind
from tests.unit.plan import test_planner
from tests.unit.plan.test_planner import planned

FEWER = "select k from s.facts"
"""A column less than the query that the state was built from."""
ABOVE = "select k, v from s.facts where v {} 1"


class Warehouse(test_planner.Warehouse):
    """It knows the columns of each query, and of one table with three."""

    def __init__(self) -> None:
        super().__init__()
        self.types = {"k": "string", "v": "int", "note": "string"}

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        if not sql.startswith("describe query"):
            return super().__call__(sql)
        query = sqlglot.parse_one(sql.split(None, 2)[2], read="spark")
        assert isinstance(query, exp.Query)
        return [{"col_name": n, "data_type": self._type(n)} for n in query.named_selects]

    def _type(self, name: str) -> str:
        return self.types["v"] if name.split("_")[-1] == "v" or "_v_" in name else "string"

    def _described(self) -> list[dict[str, Any]]:
        plain = super()._described()
        return [{"col_name": n, "data_type": t} for n, t in self.types.items()] + plain[3:]

    def run(self, sql: str, **asked: Any) -> Plan:
        """The plan of a run, which is then the newest refresh."""
        plan = planned(self, sql=sql, far=True, **asked)
        self.metadata = plan.metadata
        return plan


def _edited(warehouse: Warehouse) -> None:
    """The state holds a column that the model no longer has."""
    warehouse.run("select k, v from s.facts")
    plan = warehouse.run(FEWER)
    assert plan.query_change == {"state": "kept", "changes": "the view only"}
    assert plan.watermark.query.above is not None


def test_a_rebuild_of_a_state_that_was_kept_holds_nothing_of_the_former_query() -> None:
    warehouse = Warehouse()
    _edited(warehouse)
    rebuilt = warehouse.run(FEWER, full_refresh=True)
    assert isinstance(rebuilt, Full)
    assert rebuilt.watermark.query.above is None
    assert "`v`" not in rebuilt.select


def test_a_column_that_only_the_former_query_reads_may_change() -> None:
    """The fingerprint says nothing of it."""
    warehouse = Warehouse()
    _edited(warehouse)
    warehouse.types["v"] = "bigint"
    warehouse.version += 1
    plan = warehouse.run(FEWER)
    assert plan.kind is RefreshKind.FULL
    assert plan.reason is not None
    assert plan.reason.code is ReasonCode.STATE_FORMAT_CHANGED
    assert plan.watermark.query.above is None
    assert warehouse.run(FEWER).kind is RefreshKind.NONE


def test_an_edit_of_a_state_that_another_run_has_taken_further_is_a_rebuild() -> None:
    """Its rows are of versions that this run does not know."""
    warehouse = Warehouse()
    warehouse.version = 3
    warehouse.run(ABOVE.format(">"))
    warehouse.version = 2
    plan = warehouse.run(ABOVE.format(">="))
    assert plan.kind is RefreshKind.FULL
    assert plan.query_change is None


def test_a_former_query_that_fails_on_new_rows_is_rebuilt() -> None:
    warehouse = Warehouse()
    warehouse.run(ABOVE.format(">"))

    def failing(sql: str) -> Any:
        if sql.startswith("SELECT") and "`n`" in sql:
            raise DbtDatabaseError("[CAST_INVALID_INPUT] no number. SQLSTATE: 22018")
        return warehouse(sql)

    plan = planned(warehouse, query=failing, sql=ABOVE.format(">="), far=True)
    assert plan.kind is RefreshKind.FULL
    assert plan.reason is not None
    assert "can't be computed on the rows of today" in plan.reason.detail
