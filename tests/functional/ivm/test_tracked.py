"""Sources with row tracking and no change feed: a Spark that can finds their changed rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.functional.ivm.warehouse import (
    FEED,
    FINDS_TRACKED,
    TRACKED,
    Warehouse,
    kinds,
    models_of,
    reasons,
)

HEADER = "{{ config(materialized='ivm') }}\n"
VIEWS = {
    "sums": "select k, sum(v) as total, count(*) as n, max(v) as most from @tracked group by k",
    "rows": "select id, k, v + 1 as v from @tracked where v > 1",
    "joined": "select n.name, t.v from @tracked t left join @names n on n.k = t.k",
    "distinct_keys": "select distinct k from @tracked",
    "ranked": "select * from (select id, k, v, row_number() over "
    "(partition by k order by v desc, id) as place from @tracked) where place = 1",
}
CHANGES = {
    "inserts": ("insert into tracked values (10, 'c', 5, null), (11, 'c', 5, null)",),
    "deletion_vectors": (
        "alter table tracked set tblproperties ('delta.enableDeletionVectors' = 'true')",
        "delete from tracked where id = 4",
        "optimize tracked",
    ),
    "another_column": (
        "alter table tracked add column x int",
        "insert into tracked values (40, null, null, 1, 2)",
    ),
}
"""Those that every source has are in test_change_sources.py."""
BREAKS = {
    "tracking_is_switched_off_and_on": (
        "alter table tracked set tblproperties ('delta.enableRowTracking' = 'false')",
        "insert into tracked values (60, 'a', 1, 1, 1)",
        "alter table tracked set tblproperties ('delta.enableRowTracking' = 'true')",
    ),
    "it_is_replaced": (
        f"create or replace table tracked using delta {TRACKED} as select * from tracked",
    ),
    "it_is_restored": (
        "insert into tracked values (70, 'b', 1, 1, 1)",
        "restore table tracked to version as of 1",
    ),
}


class TestTrackedRows:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(VIEWS, HEADER)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            f"create table tracked (id int, k string, v int, w int) using delta {TRACKED}",
            "insert into tracked values (1, 'a', 1, 0), (2, 'a', 2, 0), (3, 'b', 3, 0), "
            "(4, null, 4, 0), (5, 'b', null, 0)",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('a', 'one'), ('b', 'two'), ('b', 'again')",
        )
        warehouse.run()
        yield warehouse

    @pytest.mark.parametrize("change", CHANGES if FINDS_TRACKED else list(CHANGES)[:1])
    def test_changed_rows_are_found_by_their_ids(self, built: Warehouse, change: str) -> None:
        built.sql(*CHANGES[change])
        responses = built.run()
        assert set(kinds(responses).values()) == {"incremental" if FINDS_TRACKED else "full"}
        assert set(reasons(responses).values()) == (set() if FINDS_TRACKED else {"CDF_UNAVAILABLE"})
        built.check(*VIEWS)

    @pytest.mark.skipif(not FINDS_TRACKED, reason="no Spark that finds them")
    @pytest.mark.parametrize("change", BREAKS)
    def test_rows_whose_ids_are_not_certain_are_read_again(
        self, built: Warehouse, change: str
    ) -> None:
        built.sql(*BREAKS[change])
        assert set(reasons(built.run()).values()) == {"CDF_UNAVAILABLE"}
        built.check(*VIEWS)
        built.sql("insert into tracked (id, k, v) values (80, 'b', 8)")
        assert set(kinds(built.run()).values()) == {"incremental"}
        built.check(*VIEWS)
