"""publish: table. The model is one table with the query's columns, and shows whole refreshes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from dbt.tests.util import get_manifest

from dbt.adapters.ivm_spark.plan.publication import Publication
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.refresh.refresher import Refresher
from dbt.adapters.ivm_spark.source.pins import Pins
from tests.budget import budget
from tests.functional.ivm.faults import Fault, Faults, at_text, injected
from tests.functional.ivm.test_view_life import DROP_SQL
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of

HEADER = "{{ config(materialized='ivm', publish='table') }}\n"
GROUPS = 40
QUERIES = {
    "grouped": "select k, sum(v) as total, count(*) as n, avg(v) as mean from @facts group by k",
    "renamed": "select count(*) as n, k as `Key` from @facts group by k having count(*) > 1",
    "keyless": "select max(v) as most, k % 2 = 0 as even from @facts group by k",
    "joined": "select f.k, f.v, n.name from @facts as f left join @names as n on f.k = n.k",
    "copies": "select k % 3 as r, name from @facts join @names using (k)",
    "different": "select distinct v, d from @facts",
    "whole": "select count(*) as n, sum(v) as total, max(d) as most from @facts",
    "limited": "select k, v, d from @facts order by v desc, k, d limit 7",
    "in_full": "select k, v, sum(v) over (order by v, k, d) as running from @facts",
    "nested": "select k, array(v, null) as pair, named_struct('d', d, 'v', v) as s from @facts",
}
BY_CHANGES = {"grouped", "renamed", "keyless", "joined", "copies", "different", "nested"}
EACH = (
    "insert into facts values (1, 5, double('NaN')), (1, 5, double('NaN')), (null, null, null)",
    "delete from facts where k = 1 and v = 5",
    "update facts set v = v + 1 where k in (3, 4)",
    "merge into names using (select 2 as k) as s on names.k = s.k "
    "when matched then update set name = null",
    "insert into facts values (null, null, null), (77, 1, -0.0), (77, 1, 0.0)",
    "delete from facts where k is null or k = 9",
)
MOVES = budget((EACH,), tuple((change,) for change in EACH))
"""What is changed before each run."""


def create(warehouse: Warehouse) -> None:
    warehouse.sql(
        f"create table facts (k int, v int, d double) using delta {FEED}",
        f"create table names (k int, name string) using delta {FEED}",
        f"insert into facts select id % {GROUPS}, id % 17, id / 4 from range(0, 600)",
        "insert into facts select k, v, d from facts where k < 3",
        f"insert into names select id, concat('n', id % 5) from range(0, {GROUPS - 2})",
    )


def ways(responses: dict[str, dict[str, Any]]) -> dict[str, str | None]:
    """How the table of each model was written."""
    return {n: (r.get("published") or {}).get("way") for n, r in responses.items() if kinds({n: r})}


class TestTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        reader = (
            "{{ config(materialized='ivm') }} select r, count(*) as n "
            "from {{ ref('copies') }} group by r"
        )
        return {**models_of(QUERIES, HEADER), "reader.sql": reader}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create(warehouse)
        found = ways(warehouse.run())
        assert {found[name] for name in QUERIES} == {"create"}
        return warehouse

    def test_they_have_the_querys_columns(self, built: Warehouse) -> None:
        views = {row[1] for row in built.rows(f"show views in {built.schema}")}
        assert views == {"reader"}, "the platform needs no view of ours"
        built.check(*QUERIES, "reader")
        for name in QUERIES:
            assert built.columns(f"select * from {name}") == built.columns(built.queries[name])

    def test_a_run_without_changes_writes_nothing(self, built: Warehouse) -> None:
        versions = {name: built.version(name) for name in QUERIES}
        found = built.run()
        assert set(kinds(found).values()) == {"none"}
        assert not any(ways(found).values())
        assert {name: built.version(name) for name in QUERIES} == versions

    @pytest.mark.parametrize("changes", MOVES)
    def test_only_changes_are_written(self, built: Warehouse, changes: tuple[str, ...]) -> None:
        before = {name: built.version(name) for name in QUERIES}
        built.sql(*changes)
        found = built.run()
        built.check(*QUERIES, "reader")
        written = {name: way for name, way in ways(found).items() if way}
        assert {name for name in BY_CHANGES if written.get(name, "changes") != "changes"} == set()
        assert written.keys() == {name for name in QUERIES if built.version(name) > before[name]}
        assert all(built.version(name) <= before[name] + 1 for name in QUERIES), "one commit each"
        assert kinds(found)["reader"] in ("incremental", "none")

    def test_every_version_is_a_whole_refresh(self, built: Warehouse) -> None:
        for name in ("grouped", "copies"):
            for version in range(1, built.version(name) + 1):
                state = built.version(f"{name}__ivm") - built.version(name) + version
                total = "sum(n)" if name == "grouped" else "count(*)"
                counted = "sum(__ivm_count)"
                (shown,) = built.rows(f"select {total} from {name} version as of {version}")
                (held,) = built.rows(f"select {counted} from {name}__ivm version as of {state}")
                assert shown == held, (name, version)

    def test_its_changes_can_be_read(self, built: Warehouse) -> None:
        feed = built.rows("select _change_type from table_changes('grouped', 1)")
        assert {kind for (kind,) in feed} >= {"update_preimage", "update_postimage"}


class TestUnfinished:
    """A run ends between the state's commit and the table's, or somebody meddles."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        queries = {name: QUERIES[name] for name in ("grouped", "copies")}
        return models_of(queries, HEADER)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create(warehouse)
        warehouse.run()
        return warehouse

    @pytest.mark.parametrize("fault", budget((Fault.FAILED, Fault.LOST), tuple(Fault)))
    def test_the_next_run_makes_up_for_it(self, built: Warehouse, fault: Fault) -> None:
        shown = {name: built.bags(name) for name in ("grouped", "copies")}
        built.sql("insert into facts values (5, 6, 7), (6, 7, 8)", "delete from facts where k = 7")
        place = at_text("as t\nusing (\nwith ivm_rows")
        with injected(Faults(fault, dict.fromkeys(shown, place))) as faults:
            results = built.dbt("run", ok=None)
        assert faults.hit.keys() == shown.keys()
        assert {r.status for r in results.values()} == {"error"}
        states = {name: built.version(f"{name}__ivm") for name in shown}
        if fault is Fault.FAILED:
            assert {name: built.bags(name) for name in shown} == shown, "as before, and whole"
        found = built.run()
        built.check("grouped", "copies")
        assert set(kinds(found).values()) == {"none"}
        assert {name: built.version(f"{name}__ivm") for name in shown} == states
        wanted = "changes" if fault is Fault.FAILED else None
        assert ways(found) == dict.fromkeys(shown, wanted)
        built.sql("insert into facts values (7, 1, 1)")
        built.run()
        built.check("grouped", "copies")

    def test_a_table_that_somebody_changed_is_written_anew(self, built: Warehouse) -> None:
        built.sql("delete from grouped where k = 3")
        found = built.run("grouped")["grouped"]
        assert found["published"]["way"] == "overwrite"
        assert "somebody else" in found["published"]["reason"]
        built.sql("optimize grouped", "insert into facts values (12, 1, 1)")
        assert ways(built.run("grouped")) == {"grouped": "changes"}
        built.check("grouped")

    def test_lost_columns_come_back(self, built: Warehouse) -> None:
        built.sql("alter table grouped add column other int")
        assert ways(built.run("grouped")) == {"grouped": "create"}
        built.check("grouped")

    def test_a_state_whose_feed_is_lost(self, built: Warehouse) -> None:
        built.sql("insert into facts values (13, 1, 1)")
        with injected(Faults(Fault.FAILED, {"copies": at_text("as t\nusing (\nwith ivm_rows")})):
            built.dbt("run", "--select", "copies", ok=None)
        built.sql(
            "set spark.databricks.delta.retentionDurationCheck.enabled = false",
            "alter table copies__ivm set tblproperties ('delta.enableChangeDataFeed' = 'false')",
            "insert into copies__ivm select * from copies__ivm where false",
            "alter table copies__ivm set tblproperties ('delta.enableChangeDataFeed' = 'true')",
        )
        built.run("copies")
        built.check("copies")

    def test_a_new_state_is_published_whole(self, built: Warehouse) -> None:
        found = built.run("grouped", flags=["--full-refresh"])
        assert ways(found) == {"grouped": "overwrite"}
        built.sql("drop table grouped__ivm")
        assert ways(built.run("grouped")) == {"grouped": "overwrite"}
        built.check("grouped")


class TestTwoRunsAtOnce:
    """Two dbt processes that have planned the same, step by step."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of({"copies": QUERIES["copies"]}, HEADER)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create(warehouse)
        warehouse.run()
        return warehouse

    def committed(self, project: Any, built: Warehouse) -> Refresher:
        """A run that has committed the state, and has not written the table."""
        refresh = Refresher.for_model(
            project.adapter._rows_of,
            Pins(),
            SharedChanges(),
            model="copies",
            sql=built.queries["copies"],
            view=f"`{built.schema}`.`copies`",
            state=f"`{built.schema}`.`copies__ivm`",
            information="",
            state_exists=True,
            occupied_by="",
            config={"refresh_policy": "incremental", "publish": "table"},
            full_refresh=False,
            described={},
            built=[],
            limited=False,
        )
        state = project.adapter.Relation.create(schema=built.schema, identifier="copies__ivm")
        self.macro(project, "ivm_change_state", state=state, refresh=refresh)
        return refresh

    def macro(self, project: Any, name: str, **given: Any) -> Any:
        resolver = get_manifest(project.project_root)
        return project.adapter.execute_macro(name, macro_resolver=resolver, kwargs=given)

    def planned(self, run: Refresher) -> Iterator[Publication]:
        """What a run writes; the first statement is planned now, and the others when it is their
        turn."""
        turn = run.publications(True)
        return chain([next(turn)], turn)

    def written(self, project: Any, run: Refresher, planned: Iterator[Publication]) -> int:
        """Write what a run has planned; how many statements it took."""
        schema, count = project.test_schema, 0
        target = project.adapter.Relation.create(schema=schema, identifier="copies")
        for found in planned:
            run.publish(found, self.macro(project, "ivm_publish", target=target, publication=found))
            count += 1
        return count

    def test_the_same_change_is_written_once(self, project: Any, built: Warehouse) -> None:
        built.sql("insert into facts values (11, 1, 1), (11, 1, 1)")
        version = built.version("copies")
        with project.adapter.connection_named("one"):
            one, other = (self.committed(project, built) for _ in range(2))
            ones, others = self.planned(one), self.planned(other)
            assert self.written(project, one, ones) == 1
            assert self.written(project, other, others) == 1
        assert built.version("copies") == version + 1
        built.check("copies")

    def test_the_later_state_is_written_after_the_earlier(
        self, project: Any, built: Warehouse
    ) -> None:
        version = built.version("copies")
        with project.adapter.connection_named("one"):
            built.sql("insert into facts values (11, 1, 1)")
            slow = self.committed(project, built)
            earlier = self.planned(slow)
            built.sql("delete from facts where k = 11")
            fast = self.committed(project, built)
            later = self.planned(fast)
            self.written(project, slow, earlier)
            count = self.written(project, fast, later)
        assert count == 2, "its first statement came too late and was skipped"
        assert built.version("copies") == version + 2
        built.check("copies")


SUMS = "select k, sum(v) as total from {{ target.schema }}.facts group by k"


def configured(**configs: str) -> str:
    given = "".join(f", {key}={value!r}" for key, value in configs.items())
    return f"{{{{ config(materialized='ivm'{given}) }}}}\n"


class TestLife:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        schema = """
version: 2
models:
  - name: sums
    description: Sums by key
    config: {persist_docs: {relation: true, columns: true}}
    columns:
      - {name: k, description: "The key; it's quoted", data_tests: [unique]}
    data_tests: [equals_its_query]
"""
        return {"sums.sql": configured() + SUMS, "schema.yml": schema}

    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"drop_model.sql": DROP_SQL}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create(warehouse)
        warehouse.run()
        return warehouse

    def views(self, built: Warehouse) -> set[str]:
        return {row[1] for row in built.rows(f"show views in {built.schema}")}

    def test_a_view_becomes_a_table_and_keeps_its_state(self, built: Warehouse) -> None:
        version = built.version("sums__ivm")
        assert self.views(built) == {"sums"}
        built.write("sums", configured(publish="table") + SUMS)
        found = built.run()
        assert kinds(found) == {"sums": "none"}
        assert built.version("sums__ivm") == version
        assert self.views(built) == set()
        built.check("sums")

    def test_descriptions_are_persisted(self, built: Warehouse) -> None:
        described = {row[0]: row[1:] for row in built.rows("describe table extended sums")}
        assert described["k"] == ("int", "The key; it's quoted")
        assert described["Comment"][0] == "Sums by key"

    def test_dbts_tests_and_docs(self, built: Warehouse) -> None:
        assert {str(r.status) for r in built.dbt("build").values()} == {"success", "pass"}

    def test_another_query_and_another_layout(self, built: Warehouse) -> None:
        query = SUMS.replace("as total", "as total, count(*) as n")
        built.write("sums", configured(publish="table", partition_by="k") + query)
        found = built.run()
        assert ways(found) == {"sums": "create"}
        built.check("sums")
        assert built.rows("describe detail sums")[0][7] == ["k"]
        built.sql("insert into facts values (1, 1, 1)")
        (found,) = built.run().values()
        assert found["published"]["way"] == "changes", found["published"]
        built.check("sums")

    def test_a_column_that_no_table_can_have_is_refused(self, built: Warehouse) -> None:
        version, before = built.version("sums__ivm"), built.bags("sums")
        for item, said in (
            ("count(*) as `how many`", "how many"),
            ("null as nothing", "void"),
            ("max(d) * interval 1 day as late", "interval"),
        ):
            query = SUMS.replace("as total", f"as total, {item}")
            built.write("sums", configured(publish="table") + query)
            message = built.fail("sums")["sums"]
            assert "publish is table" in message and said in message, message
        assert (built.version("sums__ivm"), built.bags("sums")) == (version, before)

    def test_a_table_becomes_a_view_and_keeps_its_state(self, built: Warehouse) -> None:
        built.write("sums", configured(publish="table") + SUMS)
        built.run()
        version = built.version("sums__ivm")
        built.write("sums", configured() + SUMS)
        assert kinds(built.run()) == {"sums": "none"}
        assert built.version("sums__ivm") == version
        assert self.views(built) == {"sums"}
        built.check("sums")

    def test_its_changes(self, built: Warehouse) -> None:
        built.write("sums", configured(publish="table") + SUMS)
        built.run()
        refresh = built.watermark("sums").refresh
        built.sql("insert into facts values (2, 100, 1)")
        built.run()
        changes = (
            "select k, total - __ivm_old.total as more, __ivm_change as kind "
            "from {{ ivm_changes(ref('sums'), %d) }} as changes"
        )
        built.write("changed", "{{ config(materialized='table') }}" + changes % refresh)
        built.run("changed")
        assert built.rows("select * from changed") == [(2, 100, "U")]

    def test_an_ordinary_table_takes_its_place(self, built: Warehouse) -> None:
        built.write("sums", "{{ config(materialized='table') }}" + SUMS)
        built.run("sums")
        assert not built.exists("sums__ivm")
        built.check("sums")

    def test_it_takes_the_place_of_an_ordinary_table(self, built: Warehouse) -> None:
        built.write("sums", configured(publish="table") + SUMS)
        before = built.version("sums")
        found = built.run("sums")
        assert ways(found) == {"sums": "create"}
        assert built.version("sums") > before, "replaced, so readers never miss the table"
        built.check("sums")

    def test_the_state_is_dropped_with_it(self, built: Warehouse) -> None:
        built.drop_by_dbt("sums")
        assert not built.exists("sums") and not built.exists("sums__ivm")
