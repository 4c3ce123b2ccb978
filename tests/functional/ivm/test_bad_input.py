"""Mistakes of a user: the message names the model, the cause and the fix; nothing is changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse

GOOD = "{{ config(materialized='ivm') }} select k, sum(v) as total from @facts group by k"
FIELD_WITH_A_SPACE = (
    "{{ config(materialized='ivm') }} select named_struct('a b', v) as st, k from @facts"
)
BAD: dict[str, tuple[str, list[str]]] = {
    "does_not_parse": (
        "{{ config(materialized='ivm') }} select k, sum(v as total fro @facts group by k",
        ["syntax error"],
    ),
    "unknown_column": (
        "{{ config(materialized='ivm') }} select k, sum(amount) as total from @facts group by k",
        ["amount", "UNRESOLVED_COLUMN"],
    ),
    "unknown_table": (
        "{{ config(materialized='ivm') }} select k from @fact group by k",
        ["fact", "TABLE_OR_VIEW_NOT_FOUND"],
    ),
    "not_grouped": (
        "{{ config(materialized='ivm') }} select k, v, sum(v) as total from @facts group by k",
        ["MISSING_AGGREGATION", "v"],
    ),
    "no_query": (
        "{{ config(materialized='ivm') }} drop table @facts",
        ["syntax error"],
    ),
    "policy": (
        GOOD.replace("'ivm'", "'ivm', refresh_policy='incrementel'"),
        ["refresh_policy", "incrementel", "auto", "incremental", "incremental_strict", "full"],
    ),
    "threshold": (
        GOOD.replace("'ivm'", "'ivm', change_threshold='many'"),
        ["change_threshold", "many", "number from 0 to 1"],
    ),
    "threshold_range": (
        GOOD.replace("'ivm'", "'ivm', change_threshold=30"),
        ["change_threshold", "30", "number from 0 to 1"],
    ),
    "emitting": (
        GOOD.replace("'ivm'", "'ivm', emit_changes='sometimes'"),
        ["emit_changes", "sometimes", "true", "false"],
    ),
    "keys": (
        GOOD.replace("'ivm'", "'ivm', primary_keys=['k']"),
        ["primary_keys", "relation", "columns"],
    ),
    "hidden_name": (
        GOOD.replace("as total", "as __ivm_x"),
        ["__ivm_x", "Rename the column"],
    ),
    "hidden_name_in_capitals": (
        GOOD.replace("as total", "as `__IVM_count`"),
        ["__IVM_count", "Rename the column"],
    ),
    "two_of_a_name": (
        GOOD.replace("as total", "as total, max(v) as Total"),
        ["Total", "two columns", "Rename one"],
    ),
    "field_with_a_space": (
        FIELD_WITH_A_SPACE,
        ["st.a b", "Rename the field", "delta.columnMapping.mode", "emit_changes"],
    ),
    "join_with_two_of_a_name": (
        "{{ config(materialized='ivm') }} select * from @facts as a join @facts as b on a.k = b.k",
        ["two columns named k", "Rename one"],
    ),
}


def last_change(warehouse: Warehouse, model: str) -> int:
    """The newest version of a model's state that is about more than a property of the table: a
    rebuild that is going to change the view marks the version which readers keep meanwhile."""
    commits = warehouse.history(f"{model}__ivm")
    return next(c["version"] for c in commits if c["operation"] != "SET TBLPROPERTIES")


class TestBadInput:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": GOOD.replace("@", "{{ target.schema }}.") for name in BAD}

    @pytest.fixture(scope="class")
    def outcome(self, warehouse: Warehouse) -> dict[str, Any]:
        """The models are built well, then given a bad text, then run; the run's messages."""
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('b', 2)",
        )
        warehouse.run()
        versions = {name: last_change(warehouse, name) for name in BAD}
        warehouse.sql("insert into facts values ('b', 3)")
        for name, (sql, _) in BAD.items():
            warehouse.write(name, sql.replace("@", "{{ target.schema }}."))
        messages = warehouse.fail(*BAD)
        return {"versions": versions, "messages": messages}

    @pytest.mark.parametrize("name", BAD)
    def test_the_message_names_the_model_and_the_mistake(self, outcome: Any, name: str) -> None:
        message = outcome["messages"][name]
        assert f"{name}.sql" in message or f"model.test.{name}" in message, "the model"
        for part in BAD[name][1]:
            assert part.lower() in message.lower(), message
        assert "\tat " not in message, "a JVM stack"
        assert "Traceback" not in message
        assert len(message.splitlines()) < 25, message

    @pytest.mark.parametrize("name", BAD)
    def test_view_and_state_do_not_change(
        self, outcome: Any, warehouse: Warehouse, name: str
    ) -> None:
        assert sorted(warehouse.rows(f"select * from {name}")) == [("a", 1), ("b", 2)]
        assert last_change(warehouse, name) == outcome["versions"][name]

    def test_a_new_model_leaves_nothing_behind(self, outcome: Any, warehouse: Warehouse) -> None:
        sql, parts = BAD["hidden_name"]
        warehouse.write("brand_new", sql.replace("@", "{{ target.schema }}."))
        message = warehouse.fail("brand_new")["brand_new"]
        assert "brand_new" in message
        assert all(part in message for part in parts)
        assert not warehouse.exists("brand_new")
        assert not warehouse.exists("brand_new__ivm")

    def test_the_proposed_remedy_works(self, outcome: Any, warehouse: Warehouse) -> None:
        mapped = "'ivm', emit_changes=false, tblproperties={'delta.columnMapping.mode': 'name'}"
        mended = FIELD_WITH_A_SPACE.replace("'ivm'", mapped)
        warehouse.write("mapped", mended.replace("@", "{{ target.schema }}."))
        assert warehouse.run("mapped")["mapped"]["refresh_kind"] == "initial"
        warehouse.sql("insert into facts values ('c', 7)")
        assert warehouse.run("mapped")["mapped"]["refresh_kind"] == "incremental"
        warehouse.check("mapped")

    def test_a_corrected_model_is_refreshed_incrementally(
        self, outcome: Any, warehouse: Warehouse
    ) -> None:
        warehouse.write("unknown_column", GOOD.replace("@", "{{ target.schema }}."))
        response = warehouse.run("unknown_column")["unknown_column"]
        assert response["refresh_kind"] == "incremental"
        warehouse.check("unknown_column")
