"""Refreshes for large states and big sources, on small ones: all thresholds are one row."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.delta import join
from dbt.adapters.ivm_spark.physical import (
    expensive_predicates,
    magic_sets,
    materialize,
    runtime_filters,
    semijoin_reduction,
)
from dbt.adapters.ivm_spark.plan import large_state, no_op_updates
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, in_turn, kinds

MODELS = {
    "lines": (
        "select l.k, l.v, o.who, c.region, c.since from {{ target.schema }}.line as l "
        "join {{ target.schema }}.purchase as o on o.k = l.k "
        "join {{ target.schema }}.buyer as c on c.who = o.who"
    ),
    "regions": (
        "select c.region, c.since, count(*) as n, sum(l.v) as total, min(l.v) as least "
        "from {{ target.schema }}.buyer as c join {{ target.schema }}.purchase as o "
        "on o.who = c.who join {{ target.schema }}.line as l on l.k = o.k and l.v > 1 "
        "group by c.region, c.since"
    ),
    "numbers": "select distinct v from {{ target.schema }}.line",
    "lonely": (
        "select c.who, c.region, b.k, b.n from {{ target.schema }}.buyer as c left join ("
        "select o.who, o.k, count(*) as n from {{ target.schema }}.purchase as o "
        "join {{ target.schema }}.line as l on l.k = o.k group by o.who, o.k) as b "
        "on b.who = c.who where not exists ("
        "select 1 from {{ target.schema }}.purchase as p where p.who = c.who and p.k > 5)"
    ),
    "southern": (
        "select b.who, b.k, l.v from (select c.who, o.k, c.region "
        "from {{ target.schema }}.buyer as c join {{ target.schema }}.purchase as o "
        "on o.who = c.who) as b join {{ target.schema }}.line as l on l.k = b.k "
        "where b.region = 's'"
    ),
    "sums": (
        "select p.who, g.total from (select k, sum(v) as total from {{ target.schema }}.line "
        "group by k) as g join {{ target.schema }}.purchase as p on p.k = g.k where p.who <> 'b'"
    ),
    "above": (
        "select l.k, l.v from {{ target.schema }}.line as l where l.v >= ("
        "select avg(i.v) from {{ target.schema }}.line as i where i.k = l.k) and not exists ("
        "select 1 from {{ target.schema }}.purchase as p where p.k = l.k and p.who like '%b%_')"
    ),
    "spread": (
        "select q.n, count(*) as purchases from (select o.k, count(l.v) as n "
        "from {{ target.schema }}.purchase as o left join {{ target.schema }}.line as l "
        "on l.k = o.k and o.who not like '%x%b' group by o.k) as q group by q.n"
    ),
    "whole": "select count(*) as n, max(v) as most from {{ target.schema }}.line",
}
CHANGES = (
    ["insert into line values (1, 9), (4, 2), (null, 1)", "insert into purchase values (4, 'a')"],
    [
        "update buyer set region = 'n' where who = 'a'",
        "delete from line where k = 2",
        "insert into purchase values (2, 'b'), (7, null)",
    ],
    [
        "update buyer set since = timestamp'2026-11-01 01:30:00' where who = 'b'",
        "update purchase set who = 'b' where k = 1",
        "insert into line values (1, 9), (1, 9), (2, null), (1000000000, 5)",
        "insert into purchase values (1000000000, 'c')",
        "insert into buyer values ('c', null, null, null)",
    ],
    ["delete from buyer where who = 'b'", "update line set v = v + 1 where v > 2"],
    ["delete from line"],
    ["insert into line values (1, 2), (4, 4)"],
)
BESIDE = (
    ["update buyer set note = 'z'"],
    ["update buyer set note = 'zz' where who = 'a'", "insert into line values (1, 8)"],
)
"""Updates of a column that no model reads, alone and with a change that matters."""


class TestLarge:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {f"{n}.sql": f"{{{{ config(materialized='ivm') }}}}{q}" for n, q in MODELS.items()}
        texts["numbers.sql"] = (
            "{{ config(materialized='ivm', "
            f"tblproperties={{'delta.enableDeletionVectors': 'false'}}) }}}}{MODELS['numbers']}"
        )
        return texts

    def test_equals_its_query_after_every_change(
        self, warehouse: Warehouse, models: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(large_state, "LARGE_ROWS", 1)
        monkeypatch.setattr(large_state, "TIDY_EVERY", 2)
        monkeypatch.setattr(join, "FACTOR_ROWS", 1)
        monkeypatch.setattr(materialize, "STAGE_ROWS", 1)
        monkeypatch.setattr(expensive_predicates, "MATCHED_ROWS", 1)
        monkeypatch.setattr(runtime_filters, "BIG_ROWS", 1)
        monkeypatch.setattr(semijoin_reduction, "REDUCED_ROWS", 1)
        monkeypatch.setattr(magic_sets, "LONG_ROWS", 1)
        monkeypatch.setattr(magic_sets, "SMALLER", 0)
        monkeypatch.setattr(no_op_updates, "WORTH_ASKING", 1)
        warehouse.sql(
            f"create table line (k bigint, v int) using delta {FEED}",
            f"create table purchase (k bigint, who string) using delta {FEED}",
            "create table buyer (who string, region string, since timestamp, note string) "
            f"using delta {FEED}",
            "insert into line values (1, 1), (1, 5), (2, 2), (3, 7)",
            "insert into purchase values (1, 'a'), (2, 'a'), (3, 'b')",
            "insert into buyer values ('a', 's', timestamp'2026-01-01 00:00:00', 'x'), "
            "('b', 's', null, 'y')",
        )
        warehouse.run()
        warehouse.check(*MODELS)
        for place, change in enumerate(budget(CHANGES[2:3], CHANGES)):
            warehouse.sql(*change)
            with in_turn(place):
                assert set(kinds(warehouse.run()).values()) <= {"incremental", "none"}
            warehouse.check(*MODELS)
        for change in budget(BESIDE[:1], BESIDE):
            warehouse.sql(*change)
            self.updated_beside(warehouse, "buyer")
        assert _vectors(warehouse, "lines__ivm") == "true"
        assert "OPTIMIZE" in {commit["operation"] for commit in warehouse.history("lines__ivm")}
        assert _vectors(warehouse, "numbers__ivm") == "false"

    @staticmethod
    def updated_beside(warehouse: Warehouse, table: str) -> None:
        """A column was updated that no model reads: the others' changes are taken in, and the
        version of the table, so that the next run finds nothing to do."""
        told = {name: response["sources"] for name, response in warehouse.run().items()}
        for model in ("lines", "regions", "lonely"):
            (name,) = (n for n in told[model] if table in n)
            assert told[model][name]["changed_rows"] > 0
            assert told[model][name]["net_change"] is False
        warehouse.check(*MODELS)
        assert set(kinds(warehouse.run()).values()) == {"none"}


def _vectors(warehouse: Warehouse, table: str) -> str:
    found = dict(warehouse.rows(f"show tblproperties {table}"))
    return str(found.get("delta.enableDeletionVectors"))
