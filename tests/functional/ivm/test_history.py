"""`ivm_history`: the rows that a view has had, as dbt's snapshot of the view has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.ivm.test_changes import BATCHES, FIRST, HEADER
from tests.functional.ivm.warehouse import Warehouse, bag

VIEWS = {
    "groups": "select k, sum(v) as total, count(*) * 10 as tens from @facts group by k "
    "having sum(v) > 2",
    "whole": "select 'all' as k, count(*) as n, max(v) as most from @facts",
}
SNAPSHOT = """{{% snapshot snapshot_{view} %}}
{{{{ config(target_schema=target.schema, unique_key="coalesce(k, '')", strategy='check',
            check_cols='all', hard_deletes='invalidate', file_format='delta') }}}}
select * from {{{{ ref('{view}') }}}}
{{% endsnapshot %}}"""
HISTORY = """{{{{ config(materialized='table') }}}}
select * from {{{{ ivm_history(ref('{view}'), since=var('since', none)) }}}} as history"""


class TestHistory:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        views = {f"{n}.sql": HEADER + q for n, q in VIEWS.items()}
        views["rows_only.sql"] = HEADER + "select k, v from @facts"
        every = {n: sql.replace("@", "{{ target.schema }}.") for n, sql in views.items()}
        return every | {f"past_{n}.sql": HISTORY.format(view=n) for n in (*VIEWS, "rows_only")}

    @pytest.fixture(scope="class")
    def snapshots(self) -> dict[str, str]:
        return {f"snapshot_{n}.sql": SNAPSHOT.format(view=n) for n in VIEWS}

    def test_it_has_the_rows_of_dbts_snapshot(self, warehouse: Warehouse) -> None:
        warehouse.sql(*FIRST)
        for batch in ((), *BATCHES, ("delete from facts where k = 'c'",)):
            warehouse.sql(*batch)
            warehouse.run(*VIEWS, "rows_only")
            warehouse.dbt("snapshot")
            warehouse.run(*(f"past_{n}" for n in VIEWS))
            for name in VIEWS:
                columns = ", ".join(n for n, _ in warehouse.columns(f"select * from {name}"))
                kept = f"select {columns}, dbt_valid_to is null from snapshot_{name}"
                past = f"select {columns}, is_current from past_{name}"
                assert bag(warehouse.rows(past)) == bag(warehouse.rows(kept)), (name, batch)
                now = warehouse.rows(f"select {columns} from past_{name} where is_current")
                assert bag(now) == warehouse.bags(name)

    def test_a_rebuild_without_a_change_is_no_history(self, warehouse: Warehouse) -> None:
        before = bag(warehouse.rows("select * from past_groups"))
        warehouse.run("groups", flags=["--full-refresh"])
        warehouse.run("past_groups")
        assert bag(warehouse.rows("select * from past_groups")) == before

    def test_it_begins_where_it_is_asked_to(self, warehouse: Warehouse) -> None:
        warehouse.run("past_groups", flags=["--vars", "since: 2"])
        begins = warehouse.rows("select count(distinct valid_from) from past_groups")
        assert begins[0][0] == 3

    def test_spans_of_one_key_follow_each_other(self, warehouse: Warehouse) -> None:
        warehouse.run("past_groups")
        assert not warehouse.rows(
            "select * from past_groups a join past_groups b on a.k <=> b.k "
            "and a.valid_from < b.valid_from and (a.valid_to is null or a.valid_to > b.valid_from)"
        )

    def test_rows_without_a_key_have_no_history(self, warehouse: Warehouse) -> None:
        message: Any = warehouse.fail("past_rows_only")["past_rows_only"]
        assert "have no key" in message
