"""`ivm_current`: a view as a refresh would leave it, before that refresh."""

from __future__ import annotations

import pytest

from tests.budget import budget
from tests.functional.ivm.test_changes import BATCHES, FIRST, HEADER, VIEWS
from tests.functional.ivm.warehouse import Warehouse, bag, kinds

KEPT = {name: sql for name, sql in VIEWS.items() if name != "in_full"} | {
    "extrema": "select k, min(v) as least, max(v) as most, avg(v) as mean, "
    "collect_set(v) as them from @facts group by k",
    "joined": "select n.name, f.v, count(*) as n from @facts f join @names n on n.k = f.k "
    "group by n.name, f.v having count(*) > 0",
    "appended": "select k, count(*) as n, sum(v) as total from @facts group by k",
}
APPENDS = "{{ config(materialized='ivm', state_writes='append') }}\n"
CURRENT = """{{{{ config(materialized='table') }}}}
select * from {{{{ ivm_current(ref('{view}')) }}}} as now"""


class TestCurrent:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        views = {f"{n}.sql": (APPENDS if n == "appended" else HEADER) + q for n, q in KEPT.items()}
        views["in_full.sql"] = HEADER + VIEWS["in_full"]
        every = {n: sql.replace("@", "{{ target.schema }}.") for n, sql in views.items()}
        return every | {f"now_{n}.sql": CURRENT.format(view=n) for n in (*KEPT, "in_full")}

    def test_it_equals_the_query_on_the_sources_as_they_are(self, warehouse: Warehouse) -> None:
        warehouse.sql(*FIRST)
        warehouse.run(*KEPT, "in_full")
        every = [f"now_{name}" for name in KEPT]
        for batch in budget(((), BATCHES[1]), ((), *BATCHES)):
            warehouse.sql(*batch)
            before = {name: warehouse.bags(name) for name in KEPT}
            versions = {name: warehouse.version(f"{name}__ivm") for name in KEPT}
            warehouse.run(*every)
            for name in KEPT:
                assert warehouse.bags(f"now_{name}") == bag(
                    warehouse.rows(warehouse.queries[name])
                ), (name, batch)
                assert warehouse.columns(f"select * from now_{name}") == warehouse.columns(
                    f"select * from {name}"
                )
            assert {name: warehouse.bags(name) for name in KEPT} == before
            assert {name: warehouse.version(f"{name}__ivm") for name in KEPT} == versions
        assert set(kinds(warehouse.run(*KEPT)).values()) == {"incremental"}
        warehouse.run(*every)
        warehouse.check(*KEPT)

    def test_what_can_not_be_followed_is_an_error_with_its_reason(
        self, warehouse: Warehouse
    ) -> None:
        message = warehouse.fail("now_in_full")["now_in_full"]
        assert "WINDOW_WITHOUT_PARTITION_BY" in message
        assert "Read the view itself" in message
        warehouse.sql("drop table names", FIRST[1], FIRST[3])
        assert "SOURCE_REPLACED" in warehouse.fail("now_joined")["now_joined"]
        warehouse.sql("update groups__ivm set total = total + 1")
        assert "STATE_MODIFIED" in warehouse.fail("now_groups")["now_groups"]
