"""equals_its_query: passes while the sources move on, and shows the very rows that are wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml

from tests.functional.ivm.warehouse import FEED, Warehouse, bag

HEADER = "{{ config(materialized='ivm') }}\n"
QUERIES = {
    "totals": "select k, sum(v) as total, sum(x) as weight, count(*) as n from @facts group by k",
    "whole": "select count(*) as n, avg(x) as mean from @facts",
    "of_both": "select f.k, f.v, f.x, n.name from @facts f left join @names n on n.k = f.k",
    "top": "select k, v from @facts order by v desc limit 2",
    "placed": "select k, v, x, row_number() over (partition by k order by v) as place from @facts",
    "placed_in_all": "select k, v, row_number() over (order by v, k) as place from @facts",
    "over_views": "with e as (select * from {{ ref('some') }}) select e.k, count(*) as n "
    "from e join {{ ref('staged') }} s on s.k <=> e.k group by all",
    "on_top": "select max(total) as most, min(weight) as least from {{ ref('totals') }}",
    "kinds": "select map(coalesce(k, ''), x) as m, array(x, -x) as xs, "
    "named_struct('x', x, 'v', v) as s from @facts",
    "lists": "select k, collect_list(v) as vs, count(*) as n from @facts group by k",
    "random": "select k, rand() as r from @facts",
}
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
    {"equals_its_query": {"name": "unsampled", "arguments": {"sample": 2}}},
    {"equals_its_query": {"name": "of_a", "config": {"where": "k = 'a'"}}},
    {"equals_its_query": {"name": "without_n", "arguments": {"exclude": ["N", "total"]}}},
]
TESTS["lists"].append({"equals_its_query": {"name": "n", "arguments": {"exclude": ["vs"]}}})
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
        warehouse.run()
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
        assert passed == {*CERTAIN, "sampled", "of_a", "without_n", "n", "k"}
        assert bag(warehouse.rows("select * from totals")) == bag(refreshed)
        said = {name: found[name].message for name in found.keys() - passed}
        assert said.keys() == {"lists", "random", "unsampled", "plain"}
        assert "collect_list depends on the order" in said["lists"]
        assert "exclude: [tags]" in said["lists"]
        assert "EXPRESSION_NOT_DETERMINISTIC" in said["random"]
        assert "above 0, at most 1" in said["unsampled"]
        assert "for models with materialized='ivm', and plain is none" in said["plain"]

    def test_it_shows_the_rows_that_are_wrong(self, warehouse: Warehouse) -> None:
        """Somebody writes into the states: a wrong sum, a row too many, one too few, a float that
        is off by more than its last digits and one that is not."""
        warehouse.run("totals", "of_both")
        (n_rows,) = warehouse.rows("select count(*) from of_both")[0]
        warehouse.sql(
            "update totals__ivm set total = total + 1 where k = 'a'",
            "delete from totals__ivm where k = 'd'",
            "update of_both__ivm set __ivm_count = __ivm_count + 2 where k = 'd'",
            "delete from of_both__ivm where k is null",
        )
        assert n_rows > 3
        found = self.results(warehouse, "totals", "of_both")
        assert (found["totals"].failures, found["of_both"].failures) == (3, 2)
        a, d = ("a", "d")
        rows = warehouse.rows(
            f"select * from {warehouse.schema}_dbt_test__audit.{found['totals'].node.alias}"
        )
        assert Counter((row[0], row[-2], row[-1]) for row in rows) == Counter(
            [(a, "surplus", 1), (a, "missing", 1), (d, "missing", 1)]
        )
        (wrong,) = [row[1] for row in rows if row[-2] == "surplus"]
        (right,) = [row[1] for row in rows if row[-2] == "missing" and row[0] == a]
        assert wrong == right + 1
        shown = warehouse.rows(found["of_both"].node.compiled_code)
        assert Counter((row[0], row[-2], row[-1]) for row in shown) == Counter(
            [(d, "surplus", 2), (None, "missing", 1)]
        )
        others = {name: found[name].failures for name in ("of_a", "without_n")}
        assert others == {"of_a": 2, "without_n": 1}, "rows and columns that are not asked for"
        warehouse.run("of_both")
        assert self.statuses(warehouse, "of_both") == {"of_both": "pass"}

    def test_a_float_may_differ_in_its_last_digits_only(self, warehouse: Warehouse) -> None:
        """Also where the twelfth digit is rounded the other way."""
        warehouse.sql(
            "insert into facts values ('f', 1, 1.000000000005D), ('g', 1, 7.0)",
        )
        warehouse.run("totals")
        warehouse.sql("update totals__ivm set weight = 1.0000000000049997D where k = 'f'")
        assert self.statuses(warehouse, "totals")["totals"] == "pass"
        warehouse.sql("update totals__ivm set weight = 7.0000001D where k = 'g'")
        assert self.results(warehouse, "totals")["totals"].failures == 2

    def test_what_can_not_be_read_any_more(self, warehouse: Warehouse) -> None:
        """An old version of a source counts by what it says, not by its number."""
        warehouse.run("whole")
        keep = "alter table facts set tblproperties ('delta.deletedFileRetentionDuration' = '{}')"
        warehouse.sql(keep.format("interval 0 seconds"), "optimize facts")
        assert self.statuses(warehouse, "whole") == {"whole": "pass"}, "no row has changed since"
        warehouse.sql("insert into facts values ('h', 1, 1.0)")
        message = self.results(warehouse, "whole")["whole"].message
        assert "can't be read any more" in message
        assert "dbt build --select whole" in message
        assert "delta.deletedFileRetentionDuration" in message
        warehouse.sql(keep.format("interval 7 days"))
        warehouse.write("whole", f"{HEADER}select count(*) as n from {warehouse.schema}.facts")
        message = self.results(warehouse, "whole")["whole"].message
        assert "has changed. Refresh it: dbt run --select whole" in message
        warehouse.sql("drop table names", START[1], "insert into names values ('a', 'x')")
        message = self.results(warehouse, "of_both")["of_both"].message
        assert "`names` has been dropped and created again" in message

    def test_a_model_that_is_not_built(self, warehouse: Warehouse) -> None:
        warehouse.sql("drop view whole", "drop table whole__ivm")
        assert "dbt run --select whole" in self.results(warehouse, "whole")["whole"].message
        warehouse.dbt("compile", "--select", "whole")
        warehouse.dbt("build", "--select", "whole")
