"""A view that is stored row by row: a refresh inserts new rows and deletes as many copies as the
query lost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, bag

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
VIEWS = {
    "plain": "select k, v from {{ target.schema }}.facts where v > 0",
    "joined": "select f.k, n.name from {{ target.schema }}.facts f "
    "join {{ target.schema }}.names n on n.k = f.k",
    "upper": "select k, v + 1 as w from {{ ref('plain') }}",
    "left_over": "select f.k, f.v from {{ target.schema }}.facts f "
    "left anti join {{ target.schema }}.names n on n.k = f.k",
}
MODELS = {f"{name}.sql": HEADER + sql for name, sql in VIEWS.items()}
FIRST = (
    f"create table facts (id int, k string, v double) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "insert into facts values (1, 'a', 1), (2, 'a', 1), (3, 'a', 1), (4, 'a', 1), (5, null, 2), "
    "(6, null, 2), (7, 'b', double('NaN')), (8, 'b', double('NaN')), (9, 'c', -1)",
    "insert into names values ('a', 'ale'), ('a', 'ale'), ('b', 'bun')",
)


def counted(response: dict[str, Any]) -> tuple[int, int, int]:
    return response["rows_inserted"], response["rows_updated"], response["rows_deleted"]


@pytest.fixture(scope="class")
def models() -> dict[str, str]:
    return MODELS


@pytest.fixture(scope="class")
def built(warehouse: Warehouse) -> dict[str, Any]:
    warehouse.sql(*FIRST)
    return warehouse.run()


class TestRows:
    def copies(self, warehouse: Warehouse, view: str) -> list[int]:
        rows = warehouse.rows(f"select `__ivm_count` from {view}__ivm")
        return sorted(copies for (copies,) in rows)

    def changed(self, warehouse: Warehouse, *statements: str) -> dict[str, Any]:
        warehouse.sql(*statements)
        responses = warehouse.run()
        warehouse.check(*VIEWS)
        return responses

    def test_a_rebuild_stores_duplicates_without_merging_them(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        warehouse.check(*VIEWS)
        assert self.copies(warehouse, "plain") == [1] * 8

    def test_a_delete_leaves_the_right_number_of_copies(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        lost = self.changed(warehouse, "delete from facts where id in (2, 6, 8)")
        assert counted(lost["plain"]) == (3, 0, 8), "all go, those that are left come as one"
        assert self.copies(warehouse, "plain") == [1, 1, 3]
        again = self.changed(warehouse, "delete from facts where id in (3, 5, 7)")
        assert counted(again["plain"]) == (1, 0, 3)
        assert self.copies(warehouse, "plain") == [2]
        assert warehouse.bags("plain") == bag([("a", 1.0)] * 2)

    def test_new_rows_are_inserted_without_reading_the_state(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        gained = self.changed(
            warehouse, "insert into facts values (10, 'a', 1), (11, 'a', 1), (12, 'b', 0)"
        )
        assert counted(gained["plain"]) == (1, 0, 0)
        assert {r["technique"] for r in gained.values()} == {"row_based"}
        newest = {name: warehouse.history(f"{name}__ivm")[0] for name in VIEWS}
        inserted = {n for n, commit in newest.items() if commit["operation"] == "WRITE"}
        assert inserted == set(VIEWS), "an anti join may lose rows by it, and has not"

    def test_inserts_and_deletes_in_one_refresh(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        both = self.changed(
            warehouse,
            "update facts set v = 7 where id in (1, 10)",
            "insert into facts values (13, 'c', double('NaN')), (14, 'c', -0.0), (15, 'c', 4)",
            "delete from names where k = 'b'",
        )
        assert counted(both["plain"]) == (4, 0, 2)
        assert warehouse.history("plain__ivm")[0]["operation"] == "MERGE"

    def test_a_no_op_update_touches_no_row(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        response = self.changed(warehouse, "update facts set id = id + 100 where k = 'a'")
        assert counted(response["plain"]) == (0, 0, 0)

    def test_deleting_all_rows_empties_the_view(
        self, warehouse: Warehouse, built: dict[str, Any]
    ) -> None:
        self.changed(warehouse, "delete from facts")
        assert self.copies(warehouse, "plain") == []
