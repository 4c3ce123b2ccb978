"""A model's SQL is edited: its state is kept where it can be, and the view equals the new query."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt

from dbt.adapters.ivm_spark.plan import reused
from tests.budget import budget, only_long
from tests.functional.ivm.faults import Fault, Faults, Place, at_text, injected
from tests.functional.ivm.query_changes import EDITS as ALL_EDITS
from tests.functional.ivm.query_changes import ROW, SUMS, VIEW
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, reasons

EDITS = budget(
    {n: e for place, (n, e) in enumerate(ALL_EDITS.items()) if place % 2 or e.reused}, ALL_EDITS
)
CONFIG = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
SOURCES = (
    f"create table orders (order_id int, customer_id int, amount decimal(8, 2), status string) "
    f"using delta {FEED}",
    f"create table customers (customer_id int, segment string) using delta {FEED}",
    f"create table returns (order_id int, amount decimal(8, 2)) using delta {FEED}",
    "insert into customers values (1, 'a'), (2, 'b'), (3, null), (4, 'a')",
    "insert into orders values (1, 1, 5, 'paid'), (2, 1, 15, 'open'), (3, 2, 25, null), "
    "(4, 2, 25, null), (5, 3, 95, 'paid'), (6, null, 50, 'paid'), (7, 4, null, 'paid'), "
    "(8, 9, 12, 'open'), (9, 1, 99, 'paid')",
    "insert into returns values (1, 5), (3, 25), (3, 25)",
)
MOVES = (
    "insert into orders values (10, 2, 30, 'paid'), (11, 3, 8, null)",
    "update orders set amount = 21 where order_id = 2",
    "delete from orders where order_id in (4, 5)",
    "insert into returns values (2, 21)",
    "delete from customers where customer_id = 4",
)
LATER = "delete from orders where amount = 99"


class Edits:
    """edited_with: changes of the sources before the run after the edits."""

    edited_with: tuple[str, ...] = ()

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": CONFIG + edit.before for name, edit in EDITS.items()}

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, Any]]:
        """The run after the edits, and one after changes of the sources."""
        warehouse.sql(*SOURCES)
        warehouse.run()
        for name, edit in EDITS.items():
            warehouse.write(name, CONFIG + edit.after)
        warehouse.sql(*self.edited_with)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reused, "MOST_CHANGED", 9.0)  # the tables are small
            patch.setattr(reused, "LONG", 0.0)
            edited = warehouse.run()
        type(self).wrong = warehouse.all_differences(EDITS)
        unchanged = warehouse.run()
        warehouse.sql(*([LATER] if self.edited_with else MOVES))
        return [edited, unchanged, warehouse.run()]

    @pytest.mark.parametrize("name", EDITS)
    def test_the_state_is_kept_where_it_can_be(self, runs: Any, name: str) -> None:
        edit, response = EDITS[name], runs[0][name]
        if edit.kept:
            assert response["refresh_kind"] == "incremental", response
            assert response["query_change"] == {"state": "kept", "changes": edit.becomes}
            return
        assert response["refresh_kind"] == "full"
        if edit.reused:
            assert response["query_change"]["state"] == "reused", response
            assert "from the former state" in response["_message"]
            assert bool(self.edited_with) == (", then INCREMENTAL" in response["_message"])
            return
        assert response.get("query_change") is None
        assert response["reason"]["code"] == "QUERY_FINGERPRINT_CHANGED"
        assert edit.becomes in response["reason"]["detail"]

    def test_each_view_equals_its_new_query(self, runs: Any) -> None:
        assert not self.wrong, "\n".join(self.wrong)

    def test_a_run_without_changes_writes_nothing(self, runs: Any) -> None:
        assert set(kinds(runs[1]).values()) == {"none"}

    def test_later_changes_of_the_sources_are_merged(self, runs: Any, warehouse: Warehouse) -> None:
        assert not reasons(runs[2])
        warehouse.check(*EDITS)


@only_long
class TestEdits(Edits):
    """The edits alone, then changes of the sources."""


class TestEditsOfMovedSources(Edits):
    """The edits and changes of the sources in one run."""

    edited_with = MOVES


EDITED = SUMS.replace("> 10", "> 20").replace("as revenue", "as turnover")
"""It moves rows and changes the view's text."""


def _with(on_query_change: str) -> str:
    return f"{{{{ config(on_query_change='{on_query_change}') }}}}\n{CONFIG}"


class TestOnQueryChange:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{value}.sql": _with(value) + SUMS for value in ("keep", "rebuild", "fail")}

    def test_the_config_decides_what_becomes_of_the_state(self, warehouse: Warehouse) -> None:
        warehouse.sql(*SOURCES)
        warehouse.run()
        before = warehouse.bags("fail")
        for name in ("keep", "rebuild", "fail"):
            warehouse.write(name, _with(name) + EDITED)
        responses = warehouse.run("keep", "rebuild")
        assert kinds(responses) == {"keep": "incremental", "rebuild": "full"}
        assert responses["rebuild"]["reason"]["detail"] == "on_query_change: rebuild"
        message = warehouse.fail("fail")["fail"]
        assert "the SQL of the model has changed" in message
        assert "would be kept" in message
        assert "--full-refresh" in message
        assert warehouse.bags("fail") == before
        assert kinds(warehouse.run("fail", flags=["--full-refresh"])) == {"fail": "full"}
        warehouse.check("keep", "rebuild", "fail")

    def test_explain_says_it_before_the_run(
        self, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        warehouse.write("keep", CONFIG + EDITED.replace("turnover", "sales"))
        run_dbt(["--quiet", "run-operation", "ivm_explain", "--args", "{model: keep}"])
        assert f"the state is kept; what changes: {VIEW}" in capsys.readouterr().out


class TestKilledWhileItKeepsTheState:
    """Readers see the old contents or the new ones, and the next run ends what was begun."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"sums.sql": CONFIG + SUMS, "rows.sql": CONFIG + ROW}

    def test_a_killed_run_is_finished_by_the_next(self, warehouse: Warehouse) -> None:
        warehouse.sql(*SOURCES)
        warehouse.run()
        texts = {"sums": (EDITED, SUMS), "rows": (ROW.replace("> 10", "> 20") + " and true", ROW)}
        places = ("alter table", "alter view", "set spark.databricks.delta.commitInfo", "tblprop")
        for number, place in enumerate(places):
            before = {name: warehouse.bags(name) for name in texts}
            for name, pair in texts.items():
                warehouse.write(name, CONFIG + pair[number % 2])
            hit: dict[str, Place] = dict.fromkeys(texts, at_text(place))
            with injected(Faults(Fault.DIED, hit)):
                warehouse.dbt("run", ok=None)
            for name, rows in before.items():
                shown = warehouse.bags(name)
                assert shown == rows or not warehouse.differences(name), (name, place)
            warehouse.run()
            warehouse.check(*texts)
            assert set(kinds(warehouse.run()).values()) == {"none"}
