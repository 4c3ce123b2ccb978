"""Hooks that write into sources: what a model's own hooks wrote is in the model."""

from __future__ import annotations

import pytest

from tests.budget import only_long
from tests.functional.ivm.conftest import INCREMENTAL
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

TICK = "insert into {{ target.schema }}.facts values (%s, 1)"


def model(name: str, *configs: str, sql: str = "") -> tuple[str, str]:
    settings = ", ".join(("materialized='ivm'", *configs))
    query = (
        sql or "select k, sum(v) as total, count(*) as n from {{ target.schema }}.facts group by k"
    )
    return f"{name}.sql", f"{{{{ config({settings}) }}}}\n{query}"


MODELS = dict(
    (
        model("a_first"),
        model(
            "b_hooked",
            f'pre_hook="{TICK % 100}"',
            sql="-- depends_on: {{ ref('a_first') }}\n"
            "select k, sum(v) as total, count(*) as n from {{ target.schema }}.facts group by k",
        ),
        model(
            "c_later",
            sql="-- depends_on: {{ ref('b_hooked') }}\nselect k, v from {{ target.schema }}.facts",
        ),
        model("d_on_top", sql="select k, n from {{ ref('b_hooked') }} where n > 0"),
        model(
            "e_others",
            f'post_hook="{TICK % 200}"',
            sql="select count(*) as n from {{ target.schema }}.quiet",
        ),
        model(
            "f_viewed",
            'pre_hook="create or replace view {{ target.schema }}.seen as select k,'
            " v * {{ var('factor', 1) }} as v from {{ target.schema }}.facts\"",
            sql="-- depends_on: {{ ref('a_first') }}\nselect k, v from {{ target.schema }}.seen",
        ),
    )
)


class HooksSuite:
    threads: int

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return MODELS

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, object]:
        return {**INCREMENTAL, "on-run-start": [TICK % 300]}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table facts (k int, v int) using delta {FEED}",
            f"create table quiet (k int) using delta {FEED}",
            "insert into facts values (1, 1), (2, 2)",
            "insert into quiet values (1)",
        )
        warehouse.run(flags=self.flags)
        return warehouse

    @property
    def flags(self) -> list[str]:
        return ["--threads", str(self.threads)]

    def counts(self, warehouse: Warehouse, model: str, key: int) -> int:
        rows = warehouse.rows(f"select n from {model} where k = {key}")
        return int(rows[0][0]) if rows else 0

    def test_a_hook_of_the_model_is_seen_by_the_model(self, built: Warehouse) -> None:
        before = self.counts(built, "b_hooked", 100)
        assert before == 1, "at the first build too"
        responses = built.run(flags=self.flags)
        assert kinds(responses)["b_hooked"] == "incremental"
        assert self.counts(built, "b_hooked", 100) == before + 1
        assert self.counts(built, "d_on_top", 100) == before + 1

    def test_every_other_model_keeps_the_versions_of_the_run(self, built: Warehouse) -> None:
        built.run(flags=self.flags)
        pinned = {name: built.recorded(name)["facts"] for name in ("a_first", "c_later")}
        assert len(set(pinned.values())) == 1
        assert built.recorded("b_hooked")["facts"] > pinned["a_first"]
        for name in ("a_first", "c_later", "b_hooked"):
            at = built.recorded(name)["facts"]
            query = built.queries[name].replace(".facts", f".facts version as of {at}")
            assert built.bags(name) == built.bags(f"({query})"), name

    def test_the_next_run_reads_what_a_later_hook_wrote(self, built: Warehouse) -> None:
        built.run(flags=self.flags)
        at = built.version("facts")
        built.run("a_first", flags=self.flags)
        assert built.recorded("a_first")["facts"] > at, "the run's own first hook too"
        built.check("a_first")

    def test_on_run_start_is_seen_by_every_model(self, built: Warehouse) -> None:
        before = self.counts(built, "a_first", 300)
        built.run(flags=self.flags)
        assert self.counts(built, "a_first", 300) > before

    def test_a_model_reads_the_view_that_a_hook_replaced(self, built: Warehouse) -> None:
        built.run(flags=[*self.flags, "--vars", "{factor: 10}"])
        at = built.recorded("f_viewed")["facts"]
        wanted = built.rows(f"select k, v * 10 from facts version as of {at}")
        assert sorted(built.rows("select * from f_viewed")) == sorted(wanted)
        built.run(flags=self.flags)


class TestOneThread(HooksSuite):
    threads = 1


@only_long
class TestTwoThreads(HooksSuite):
    threads = 2

    def test_every_other_model_keeps_the_versions_of_the_run(self, built: Warehouse) -> None:
        """With two threads a model may be the first to read a source after another one's hook."""
        built.run(flags=self.flags)
        for name in ("a_first", "c_later", "b_hooked"):
            at = built.recorded(name)["facts"]
            query = built.queries[name].replace(".facts", f".facts version as of {at}")
            assert built.bags(name) == built.bags(f"({query})"), name
