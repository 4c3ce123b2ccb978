"""equals_its_query: passes while the sources move on, and shows the very rows that are wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml

from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

HEADER = "{{ config(materialized='ivm') }}\n"
QUERIES = {
    "totals": "select k, sum(v) as total, sum(x) as weight, count(*) as n from @facts group by k",
    "whole": "select count(*) as n, avg(x) as mean from @facts",
    "of_both": "select f.k, f.v, f.x, n.name from @facts f left join @names n on n.k = f.k",
    "top": "select k, v from @facts order by v desc limit 2",
    "on_top": "with e as (select * from {{ ref('some') }}) "
    "select max(t.total) as most, min(t.weight) as least, count(*) as n from {{ ref('totals') }} t "
    "join {{ ref('staged') }} s on s.k <=> t.k left join e on e.k = t.k",
    "ranked": "select k, row_number() over (order by v, k) as place from {{ ref('staged') }}",
    "lists": "select k, collect_list(v) as vs, count(*) as n from @facts group by k",
    "random": "select k, rand() as r from @facts",
}
SLOW = {
    "placed": "select k, v, x, row_number() over (partition by k order by v) as place from @facts",
    "kinds": "select map(coalesce(k, ''), x) as m, array(x, -x) as xs, "
    "named_struct('x', x, 'v', v) as s from @facts",
}
QUERIES |= budget({}, SLOW)
CERTAIN = tuple(name for name in QUERIES if name not in ("lists", "random"))
OTHERS = {
    "staged": "{{ config(materialized='view') }} select k, v from @facts where v > 1",
    "some": "{{ config(materialized='ephemeral') }} select k from @names",
    "plain": "{{ config(materialized='table') }} select 1 as a",
}
TESTS: dict[str, list[Any]] = {name: ["equals_its_query"] for name in (*QUERIES, "plain")}
TESTS["totals"] = [
    {"equals_its_query": {"config": {"store_failures": True}}},
    {"equals_its_query": {"name": "sampled", "arguments": {"sample": 0.5}}},
    {"equals_its_query": {"name": "of_a", "config": {"where": "k = 'a'"}}},
    {"equals_its_query": {"name": "without_n", "arguments": {"exclude": ["N", "total"]}}},
]
TESTS["random"].append({"equals_its_query": {"name": "k", "arguments": {"exclude": ["r"]}}})

START = (
    f"create table facts (k string, v int, x double) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "insert into facts values ('a', 1, 0.1), ('a', 2, 0.2), ('a', 2, 0.2), ('a', 2, 0.3), "
    "('b', 3, double('NaN')), ('c', 9, -0.0), (null, 9, null), ('d', 9, 1e300)",
    "insert into names values ('a', 'ale'), ('b', 'bun'), (null, 'nil')",
)
LATER = (
    "insert into facts values ('b', 4, 0.7), ('e', 9, 5.5)",
    "delete from facts where k = 'c'",
    "update names set name = 'beer' where k = 'a'",
)


class TestEqualsItsQuery:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {name: HEADER + query for name, query in QUERIES.items()} | OTHERS
        found = {f"{n}.sql": t.replace("@", "{{ target.schema }}.") for n, t in texts.items()}
        models = [{"name": name, "data_tests": tests} for name, tests in TESTS.items()]
        return found | {"schema.yml": yaml.safe_dump({"version": 2, "models": models})}

    @pytest.fixture(scope="class", autouse=True)
    def built(self, warehouse: Warehouse) -> Any:
        warehouse.sql(*START)
        warehouse.run()
        warehouse.sql(*LATER)
        warehouse.run("totals", "of_both", *budget((), ("top", "placed")))
        yield
        warehouse.sql(f"drop schema if exists {warehouse.schema}_dbt_test__audit cascade")

    def results(self, warehouse: Warehouse, *models: str) -> dict[str, Any]:
        flags = ["--select", *models] if models else []
        found = warehouse.dbt("test", *flags, ok=None)
        prefix = "equals_its_query_"
        return {name.removeprefix(prefix).strip("_"): r for name, r in found.items()}

    def statuses(self, warehouse: Warehouse, *models: str) -> dict[str, str]:
        return {n: str(r.status) for n, r in self.results(warehouse, *models).items()}

    def test_a_view_equals_its_query_while_its_sources_move_on(self, warehouse: Warehouse) -> None:
        refreshed = warehouse.rows("select * from totals")
        warehouse.sql(
            "insert into facts values ('a', 100, 0.9), ('z', 1, 1.0)",
            "update names set k = 'z' where name = 'bun'",
            "optimize facts",
        )
        found = self.results(warehouse)
        passed = {name for name, result in found.items() if str(result.status) == "pass"}
        assert passed == {*CERTAIN, "sampled", "of_a", "without_n", "k"}
        assert bag(warehouse.rows("select * from totals")) == bag(refreshed)
        said = {name: found[name].message for name in found.keys() - passed}
        assert said.keys() == {"lists", "random", "plain"}
        assert "collect_list depends on the order" in said["lists"]
        assert "exclude: [tags]" in said["lists"]
        assert "EXPRESSION_NOT_DETERMINISTIC" in said["random"]
        assert "needs a model with materialized='ivm'; plain is not one" in said["plain"]

    def test_it_shows_the_rows_that_are_wrong(self, warehouse: Warehouse) -> None:
        """Somebody writes into the states: a wrong sum, a row too many, one too few, a float that
        is off by more than its last digits, and one that is not, though its twelfth is rounded the
        other way."""
        warehouse.sql("insert into facts values ('f', 1, 1.000000000005D), ('g', 1, 7.0)")
        warehouse.run("totals", "of_both")
        warehouse.sql(
            "update totals__ivm set total = total + 1 where k = 'a'",
            "update totals__ivm set weight = 1.0000000000049997D where k = 'f'",
            "update totals__ivm set weight = 7.0000001D where k = 'g'",
            "delete from totals__ivm where k = 'd'",
            "update of_both__ivm set __ivm_count = __ivm_count + 2 where k = 'd'",
            "delete from of_both__ivm where k is null",
        )
        found = self.results(warehouse, "totals", "of_both")
        rows = warehouse.rows(
            f"select * from {warehouse.schema}_dbt_test__audit.{found['totals'].node.alias}"
        )
        assert Counter((row[0], row[1], row[-2], row[-1]) for row in rows) == Counter(
            [
                ("a", 108, "surplus", 1),
                ("a", 107, "missing", 1),
                ("g", 1, "surplus", 1),
                ("g", 1, "missing", 1),
                ("d", 9, "missing", 1),
            ]
        )
        assert {row[2] for row in rows if row[0] == "g"} == {7.0, 7.0000001}
        shown = warehouse.rows(found["of_both"].node.compiled_code)
        assert Counter((row[0], row[-2], row[-1]) for row in shown) == Counter(
            [("d", "surplus", 2), (None, "missing", 1)]
        )
        failures = {name: result.failures for name, result in found.items() if name != "sampled"}
        assert failures == {"totals": 5, "of_both": 2, "of_a": 2, "without_n": 3}

    def test_a_changed_view_asks_for_a_refresh(self, warehouse: Warehouse) -> None:
        """Its sources have not changed, and yet it is another query."""
        warehouse.run("ranked")
        # As in dbt's sessions: a view of other settings is another matter.
        warehouse.sql("set spark.sql.ansi.enabled=false")
        warehouse.sql("create or replace view staged as select k, v from facts where v > 5")
        warehouse.sql("reset spark.sql.ansi.enabled")
        message = self.results(warehouse, "ranked")["ranked"].message
        assert "has changed since its last refresh. Refresh it: dbt run --select ranked" in message
        assert kinds(warehouse.run("ranked")) == {"ranked": "full"}
        assert self.statuses(warehouse, "ranked") == {"ranked": "pass"}

    def test_unreadable_source_versions_are_an_error_with_a_remedy(
        self, warehouse: Warehouse
    ) -> None:
        """An old version of a source counts by what it says, not by its number."""
        warehouse.run("whole")
        keep = "alter table facts set tblproperties ('delta.deletedFileRetentionDuration' = '{}')"
        warehouse.sql(keep.format("interval 0 seconds"), "optimize facts")
        assert self.statuses(warehouse, "whole") == {"whole": "pass"}, "no row has changed since"
        warehouse.sql("insert into facts values ('h', 1, 1.0)")
        message = self.results(warehouse, "whole")["whole"].message
        assert "can no longer read" in message
        assert "dbt build --select whole" in message
        assert "delta.deletedFileRetentionDuration" in message
        warehouse.sql(keep.format("interval 7 days"))
        warehouse.write("whole", f"{HEADER}select count(*) as n from {warehouse.schema}.facts")
        message = self.results(warehouse, "whole")["whole"].message
        assert "has changed since its last refresh. Refresh it: dbt run --select whole" in message
        warehouse.sql("drop table names", START[1], "insert into names values ('a', 'x')")
        message = self.results(warehouse, "of_both")["of_both"].message
        assert "`names` was dropped and created again" in message

    def test_an_unbuilt_model_fails_with_the_command_to_run(self, warehouse: Warehouse) -> None:
        warehouse.sql("drop view whole", "drop table whole__ivm")
        assert "dbt run --select whole" in self.results(warehouse, "whole")["whole"].message
        warehouse.dbt("compile", "--select", "whole")
        warehouse.dbt("build", "--select", "whole")
