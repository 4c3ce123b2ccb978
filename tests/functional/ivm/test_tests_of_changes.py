"""Tests of the rows that refreshes have added: exact, and they read no more than these."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt

from dbt.adapters.ivm_spark.session.activity import watch
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
SCHEMA = """
models:
  - name: facts_view
    columns:
      - name: id
        data_tests: [ivm_unique, ivm_not_null]
      - name: k
        data_tests:
          - ivm_accepted_values: {arguments: {values: [a, b, "it's"]}}
          - ivm_relationships: {arguments: {to: ref('names_view'), field: k}}
      - name: v
        data_tests:
          - ivm_expression_is_true: {arguments: {expression: "< 100"}}
          - ivm_not_null: {config: {where: "k = 'a'"}}
"""
NAMES = (
    *("ivm_unique_facts_view_id", "ivm_not_null_facts_view_id"),
    *("ivm_accepted_values_facts_view_k__a__b__it_s", "ivm_relationships_facts_view_k__k__ref_"),
    *("ivm_expression_is_true_facts_view_v___100", "ivm_not_null_facts_view_v"),
)
BAD: dict[str, tuple[str, str, str]] = {
    "unique": ("insert into facts values (1, 'b', 1)", "ivm_unique", "delete from facts where "
               "k = 'b' and id = 1"),
    "not_null": ("insert into facts values (null, 'b', 1)", "ivm_not_null",
                 "delete from facts where id is null"),
    "values": ("update facts set k = 'c' where id = 2", "ivm_accepted_values",
               "update facts set k = 'b' where id = 2"),
    "orphan": ("delete from names where k = 'a'", "ivm_relationships",
               "insert into names values ('a')"),
    "expression": ("update facts set v = 200 where id = 2", "ivm_expression_is_true",
                   "update facts set v = 2 where id = 2"),
    "where": ("update facts set v = null where id = 1", "ivm_not_null",
              "update facts set v = 1 where id = 1"),
}  # fmt: skip


class TestTestsOfChanges:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "facts_view.sql": HEADER + "select id, k, v from {{ target.schema }}.facts",
            "names_view.sql": HEADER + "select k, count(*) as n from {{ target.schema }}.names "
            "group by k",
            "schema.yml": SCHEMA,
        }

    @staticmethod
    def failed(ok: bool) -> set[str]:
        results = run_dbt(["test"], expect_pass=ok)
        return {r.node.name.split("_facts_view")[0] for r in results if r.status == "fail"}

    def test_each_bad_change_fails_until_it_is_gone(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table facts (id int, k string, v int) using delta {FEED}",
            f"create table names (k string) using delta {FEED}",
            """insert into facts values (1, 'a', 1), (2, 'b', 2), (3, "it's", 3)""",
            """insert into names values ('a'), ('b'), ("it's"), ('c')""",
        )
        warehouse.run()
        assert self.failed(ok=True) == set()
        for bad, test, good in budget([*BAD.values()][::2], BAD.values()):
            warehouse.sql(bad)
            warehouse.run()
            assert self.failed(ok=False) == {test}, bad
            # It fails again, although nothing has changed since.
            assert self.failed(ok=False) == {test}, bad
            warehouse.sql(good)
            warehouse.run()
            assert self.failed(ok=True) == set(), good

    def test_a_test_that_has_passed_reads_only_what_was_added(self, warehouse: Warehouse) -> None:
        with watch() as unchanged:
            assert self.failed(ok=True) == set()
        read = ("table_changes", "failures limit 1")
        assert not [s for s in unchanged.statements if any(part in s for part in read)]
        warehouse.sql("insert into facts values (9, 'a', 9)")
        warehouse.run()
        with watch() as changed:
            assert self.failed(ok=True) == set()
        reads = [s for s in changed.statements if "failures limit 1" in s]
        assert len(reads) == len(NAMES)
        assert all("table_changes_by_path" in s for s in reads)

    def test_after_a_rebuild_the_whole_view_is_read(self, warehouse: Warehouse) -> None:
        warehouse.run(flags=["--full-refresh"])
        with watch() as activity:
            assert self.failed(ok=True) == set()
        assert not [s for s in activity.statements if "table_changes" in s]
        assert len([s for s in activity.statements if "failures limit 1" in s]) == len(NAMES)

    def test_a_write_into_the_state_is_found(self, warehouse: Warehouse) -> None:
        warehouse.sql("insert into facts_view__ivm select null, 'b', 1, 1L")
        assert self.failed(ok=False) == {"ivm_not_null"}

    def test_other_models_are_read_as_a_whole(self, warehouse: Warehouse) -> None:
        text: Any = SCHEMA.replace("facts_view", "plain")
        warehouse.write(
            "plain", "{{ config(materialized='table') }} select 1 as id, 'a' as k, 1 as v"
        )
        (warehouse.folder / "models" / "plain.yml").write_text(text)
        warehouse.run("plain")
        results = run_dbt(["test", "--select", "plain"])
        assert {r.status for r in results} == {"pass"}
