"""A view's own changes: replayed onto its old contents they give its new ones."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from tests.functional.ivm.warehouse import FEED, Warehouse, bag

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
VIEWS = {
    "groups": "select k, sum(v) as total, count(*) * 10 as tens from @facts group by k "
    "having sum(v) > 2",
    "whole": "select count(*) as n, max(v) as most from @facts",
    "rows_of_both": "select f.k, f.v, n.name from @facts f left join @names n on n.k = f.k",
    "different": "select distinct k, v % 2 as odd from @facts where v > 0",
    "newest": "select k, v from (select k, v, row_number() over (partition by k order by v desc) "
    "as place from @facts) where place = 1",
    "top": "select k, v from @facts order by v desc, k limit 3",
    "in_full": "select k, v, row_number() over (order by v, k) as place from @facts",
}
KEYED = ("groups", "whole")
WHOLE_ONLY = ("top",)
FIRST = (
    f"create table facts (k string, v int) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "insert into facts values ('a', 1), ('a', 2), ('a', 2), ('b', 3), ('c', 1), (null, 4)",
    "insert into names values ('a', 'ale'), ('b', 'bun')",
)
BATCHES = (
    ("insert into facts values ('b', 4), ('d', 9), ('c', 5)", "delete from facts where v = 2"),
    (
        "update facts set v = v + 1 where k = 'b'",
        "update names set name = 'beer' where k = 'a'",
        "insert into names values ('c', 'cod')",
        "delete from facts where k = 'd'",
    ),
    ("insert into facts values ('d', 9), ('a', 7)", "delete from facts where k is null"),
)
CHANGES = """{{{{ config(materialized='table') }}}}
select * from {{{{ ivm_changes(ref('{view}'), since=var('since', none), until=var('until', none),
  form=var('form', 'compressed'), updates=var('updates', 'pairs')) }}}}"""
AUDIT = """{{ config(materialized='incremental') }}
select k, total, `__ivm_change` as what, `__ivm_refresh` as refresh
from {{ ivm_changes(ref('groups'), consumer='audit', updates='rows') }}"""

TWO_SPANS = """{{ config(materialized='table') }}
{% set first = ivm_changes(ref('groups'), since=1, until=2) %}
{% set second = ivm_changes(ref('groups'), since=2, until=3) %}
select 1 as span, a.* from {{ first }} a
union all select 2, b.* from {{ second }} b
union all select 3, v.*, 'I', null, null, null, null from {{ ref('groups') }} v"""


def replayed(before: Counter[Any], changes: list[tuple[Any, ...]]) -> Counter[Any]:
    """The contents after the changes; a row that is taken away has to be there."""
    after = Counter(before)
    for *row, change, old, _, _, _ in changes:
        if change in ("D", "U"):
            gone = bag([tuple(row) if change == "D" else tuple(old)])
            assert after[next(iter(gone))] > 0, (row, change)
            after -= gone
        if change in ("I", "U"):
            after += bag([tuple(row)])
    return after


class TestChanges:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        views = {f"{n}.sql": HEADER + q for n, q in VIEWS.items()}
        of_views = {f"changes_of_{n}.sql": CHANGES.format(view=n) for n in VIEWS}
        every = {n: sql.replace("@", "{{ target.schema }}.") for n, sql in views.items()}
        return every | of_views | {"audit.sql": AUDIT, "two_spans.sql": TWO_SPANS}

    @pytest.fixture(scope="class")
    def contents(self, warehouse: Warehouse) -> list[dict[str, Counter[Any]]]:
        """What the views held after each of their refreshes."""
        held: list[dict[str, Counter[Any]]] = []
        for batch in (FIRST, *BATCHES):
            warehouse.sql(*batch)
            warehouse.run(*VIEWS)
            held.append({name: warehouse.bags(name) for name in VIEWS})
        return held

    def changes(self, warehouse: Warehouse, *names: str, **asked: Any) -> dict[str, list[Any]]:
        chosen = [f"changes_of_{name}" for name in names]
        warehouse.run(*chosen, flags=["--vars", json.dumps(asked)])
        return {name: warehouse.rows(f"select * from changes_of_{name}") for name in names}

    def test_compressed_changes_are_the_difference(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        asked = {"since": 1, "until": 4, "updates": "rows"}
        for name, found in self.changes(warehouse, *VIEWS, **asked).items():
            before, after = contents[0][name], contents[3][name]
            assert replayed(before, found) == after, name
            rows = Counter(tuple(change[:-5]) for change in found)
            assert {change[-5] for change in found} <= {"I", "D"}
            inserted = sum(change[-5] == "I" for change in found)
            assert inserted == (after - before).total(), f"{name}: nothing that cancels out"
            assert rows.total() - inserted == (before - after).total(), name

    def test_transactional_changes_replay_each_refresh(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        names = [name for name in VIEWS if name not in WHOLE_ONLY]
        asked = {"since": {"refresh": 1}, "form": "transactional"}
        for name, found in self.changes(warehouse, *names, **asked).items():
            kept = contents[0][name]
            for number, wanted in enumerate(contents[1:], start=2):
                own = [change for change in found if change[-3] == number]
                kept = replayed(kept, own)
                assert kept == wanted[name], (name, number)
                assert all(change[-1] is not None for change in own)
            pairs = sum(change[-5] == "U" for change in found)
            assert bool(pairs) == (name in KEYED), f"{name}: an update is one row, with a key"

    def test_one_query_reads_several_spans_and_the_view(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        warehouse.run("two_spans")
        held = [kept["groups"] for kept in contents]
        rows = warehouse.rows("select * from two_spans")
        first, second, whole = ([r[1:] for r in rows if r[0] == span] for span in (1, 2, 3))
        assert replayed(held[0], first) == held[1]
        assert replayed(held[1], second) == held[2]
        assert replayed(Counter(), whole) == held[3]

    def test_without_since_changes_insert_the_contents(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        for name, found in self.changes(warehouse, "groups", "top", until=3).items():
            assert replayed(Counter(), found) == contents[2][name]
            assert {change[-5] for change in found} == {"I"}
            assert {change[-3] for change in found} == {3}

    def test_a_consumer_reads_every_change_once(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        """Its position is in the commit that has the rows."""

        def told() -> Counter[Any]:
            rows = warehouse.rows("select what, k, total from audit")
            gained = bag(row[1:] for row in rows if row[0] == "I")
            return gained - bag(row[1:] for row in rows if row[0] == "D")

        def held() -> Counter[Any]:
            return bag(warehouse.rows("select k, total from groups"))

        for change in (
            "select 1",
            "insert into facts values ('e', 5)",
            "select 1",
            "delete from facts where k in ('b', 'e')",
        ):
            warehouse.sql(change)
            warehouse.run("groups", "audit")
            assert told() == held()
        rows = len(warehouse.rows("select * from audit"))
        warehouse.run("audit")
        assert len(warehouse.rows("select * from audit")) == rows
        warehouse.run("audit", flags=["--full-refresh"])
        assert told() == held()

    def test_an_impossible_request_fails_and_names_the_possible_ones(
        self, warehouse: Warehouse, contents: list[dict[str, Counter[Any]]]
    ) -> None:
        def fails(name: str, **asked: Any) -> str:
            flags = ["--vars", json.dumps(asked)]
            return warehouse.fail(f"changes_of_{name}", flags=flags)[f"changes_of_{name}"]

        assert "the state has the refreshes 1 to" in fails("groups", since=99)
        assert "it must be a refresh number" in fails("groups", since="yesterday")
        assert "compressed, transactional" in fails("groups", form="net")
        assert "form='compressed'" in fails("top", since=1, form="transactional")
        warehouse.write(
            "whole",
            (HEADER + VIEWS["whole"].replace("max(v)", "min(v)")).replace(
                "@", "{{ target.schema }}."
            ),
        )
        number = warehouse.run("whole")["whole"] and warehouse.watermark("whole").refresh
        assert f"Set since to {number}" in fails("whole", since=1)

    def test_run_operation_prints_the_changes(
        self,
        warehouse: Warehouse,
        contents: list[dict[str, Counter[Any]]],
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        run_dbt(["run-operation", "ivm_changes", "--args", "{model: groups, since: 1, until: 2}"])
        printed = capsys.readouterr().out
        assert "__ivm_change" in printed
        assert "total" in printed
        _, said = run_dbt_and_capture(
            ["run-operation", "ivm_changes", "--args", "{model: nothing}"], expect_pass=False
        )
        assert "This project has no model nothing" in said
