"""Answers what an explainer asks of Spark about the shop of the golden cases, and of states."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlglot

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.commands.explain.explainer import Explainer
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT
from dbt.adapters.ivm_spark.watermark.cost_model import Work
from tests.unit.golden.shop import RELATIONS, TYPES

MODEL = "model.shop.v"
PLAN = "== Optimized Logical Plan ==\nRelation shop.orders[k#1]\n\n== Physical Plan =="


@dataclass
class Shop:
    """newest: the version of every source; state: what the commit of the state recorded; without:
    sources whose change feed is off; today: the session's date; asked: every statement."""

    newest: int = 7
    state: str | None = None
    without: tuple[str, ...] = ()
    today: str = "2024-03-29"
    asked: list[str] = field(default_factory=list)

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        self.asked.append(sql)
        if sql.startswith("describe table"):
            return self._described(sql.split()[3])
        if sql.startswith("describe history"):
            return self._history("__ivm" in sql)
        if sql.startswith("describe query"):
            query = sqlglot.parse_one(sql.removeprefix("describe query"), dialect=IvmSpark)
            return [{"col_name": n, "data_type": type_of(n)} for n in query.named_selects]
        if sql.startswith("explain"):
            return [{"plan": PLAN}]
        if sql.startswith("describe detail"):
            return [{"id": "the-id"}]
        if "current_timestamp()" in sql:
            return [{"now": f"{self.today} 12:00:00" if "string" in sql else 1}]
        if sql.startswith("SELECT typeof("):
            return [{"c0": "date"}]
        if sql.startswith("SELECT CAST("):
            return [{"c0": self.today}]
        assert sql.startswith(("set", "reset")), f"reads rows: {sql}"
        return []

    def explainer(self, sql: str, **said: Any) -> Explainer:
        """The explainer of a model with that text."""
        request: dict[str, Any] = {
            "model": MODEL,
            "materialized": "ivm",
            "sql": sql.replace("@", "shop."),
            "view": "`shop`.`v`",
            "state": "`shop`.`v__ivm`",
            "information": "",
            "described": {},
            "state_exists": self.state is not None,
            "occupied_by": "",
            "config": {},
            "full_refresh": False,
            "built": (),
            "limited": False,
        }
        return Explainer.for_model(self, Pins(), **(request | said))

    def build(self, sql: str) -> None:
        """Record what a first build of the model would, that read 400,000 rows in 8 seconds."""
        mark = self.explainer(sql).plan.begun(1_000).watermark
        stats = replace(mark.stats, work=Work(400_000))
        sources = {name: replace(source, rows=200_000) for name, source in mark.sources.items()}
        self.state = replace(mark, stats=stats, sources=sources).encode()

    def _described(self, name: str) -> list[dict[str, Any]]:
        relation = next(r for r in RELATIONS if r.name == name)
        on = str(name not in self.without).lower()
        facts = {"Type": "MANAGED", "Provider": "delta",
                 "Table Properties": f"[delta.enableChangeDataFeed={on}]"}  # fmt: skip
        pairs = [*relation.columns, ("", ""), ("# Detailed Table Information", ""), *facts.items()]
        return [{"col_name": column, "data_type": kind} for column, kind in pairs]

    def _history(self, of_state: bool) -> list[dict[str, Any]]:
        if of_state:
            rebuilt = "CREATE OR REPLACE TABLE AS SELECT"
            at = datetime.fromtimestamp(9)
            return [
                {"version": 0, "operation": rebuilt, "userMetadata": self.state, "timestamp": at}
            ]
        commit = {"operation": "WRITE", "operationParameters": {"mode": "Append"},
                  "operationMetrics": {"numOutputRows": "3"}}  # fmt: skip
        versions = range(self.newest, -1, -1)
        return [{"version": n, "timestamp": f"at {n}", **commit} for n in versions]


def type_of(column: str) -> str:
    """The type of a column by its name, without the number that makes it unique."""
    name = re.sub(r"_\d+$", "", column.removeprefix(ARGUMENT))
    return TYPES.get(name) or TYPES.get(name.split("_", 1)[-1]) or _BY_NAME.get(name, "bigint")


_BY_NAME = {"revenue": "decimal(22,2)", "total": "decimal(22,2)", "newest": "date"}
