"""Contents and watermark move together, once, whoever else is refreshing the same view."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest
from dbt.tests.util import get_manifest

from dbt.adapters.ivm_spark.plan.plan import RefreshKind
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.refresh.refresher import Refresher
from dbt.adapters.ivm_spark.session import transaction
from dbt.adapters.ivm_spark.source.pins import Pins
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

SUMS = "select k, sum(v) as total, count(*) as n from {{ target.schema }}.facts group by k"


def create_facts(warehouse: Warehouse) -> None:
    warehouse.sql(
        f"create table facts (k string, v int) using delta {FEED}",
        "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
    )


class TestWatermark:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"sums.sql": "{{ config(materialized='ivm') }}" + SUMS}

    def test_contents_and_watermark_are_one_commit(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        seen = []
        for change in (
            "insert into facts values ('b', 4), ('c', 5)",
            "delete from facts where k = 'a'",
            "update facts set k = 'd' where k = 'b'",
        ):
            warehouse.run()
            seen.append((warehouse.version("sums__ivm"), warehouse.watermark("sums")))
            warehouse.sql(change)
        warehouse.run()
        seen.append((warehouse.version("sums__ivm"), warehouse.watermark("sums")))
        assert [version for version, _ in seen] == [0, 1, 2, 3], "one commit a refresh"
        assert [watermark.refresh for _, watermark in seen] == [1, 2, 3, 4]
        assert len({watermark.state_id for _, watermark in seen}) == 1
        table_id = warehouse.rows("describe detail facts")[0][1]
        for version, watermark in seen:
            (source,) = watermark.sources.values()
            assert source.table_id == table_id
            held = warehouse.rows(f"select k, total from sums__ivm version as of {version}")
            wanted = warehouse.rows(
                f"select k, sum(v) from facts version as of {source.version} group by k"
            )
            assert bag(held) == bag(wanted), f"the one rule, at version {version}"
        assert [next(iter(m.sources.values())).version for _, m in seen] == [1, 2, 3, 4]

    def test_a_repeated_commit_is_skipped(self, warehouse: Warehouse) -> None:
        watermark, version = warehouse.watermark("sums"), warehouse.version("sums__ivm")
        repeat = "insert into sums__ivm select * from sums__ivm"
        setting = "spark.databricks.delta.write.txn"
        warehouse.sql(
            f"set {setting}AppId = {watermark.state_id}",
            f"set {setting}Version = {watermark.refresh}",
            repeat,
            f"reset {setting}AppId",
            f"reset {setting}Version",
        )
        assert warehouse.version("sums__ivm") == version
        warehouse.check("sums")


FIRST = """{{ config(materialized='ivm',
  post_hook="insert into {{ target.schema }}.facts values ('hook', 1)") }}"""


class TestPinnedVersions:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "first.sql": FIRST + SUMS,
            "second.sql": "{{ config(materialized='ivm') }} -- depends_on: {{ ref('first') }}\n"
            + SUMS,
            "on_second.sql": "{{ config(materialized='ivm') }}"
            "select sum(n) as n from {{ ref('second') }}",
        }

    def test_all_views_of_a_run_agree(self, warehouse: Warehouse) -> None:
        create_facts(warehouse)
        hooks = 0
        for kind in ("initial", "incremental", "incremental"):
            responses = warehouse.run()
            assert kinds(responses) == dict.fromkeys(("first", "second", "on_second"), kind)
            assert warehouse.recorded("first") == warehouse.recorded("second")
            assert warehouse.recorded("first")["facts"] == warehouse.version("facts") - 1
            assert warehouse.bags("first") == warehouse.bags("second")
            assert warehouse.rows("select n from on_second") == [(3 + hooks,)], (
                "a model of this run is read at its newest version"
            )
            hooks += 1
        assert warehouse.rows("select n from second where k = 'hook'") == [(hooks - 1,)]


class TestTwoRunsAtOnce:
    """Two runs of one model, as two dbt processes on one warehouse would do them."""

    writes = "merge"
    by_transaction = False

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        header = f"{{{{ config(materialized='ivm', state_writes='{self.writes}') }}}}"
        return {"sums.sql": header + SUMS}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        create_facts(warehouse)
        warehouse.run()
        return warehouse

    @pytest.fixture
    def state(self, built: Warehouse) -> str:
        return f"`{built.schema}`.`sums__ivm`"

    def planned(
        self, project: Any, built: Warehouse, state: str, full_refresh: bool = False
    ) -> Refresher:
        return Refresher.for_model(
            project.adapter._rows_of,
            Pins(),
            SharedChanges(),
            model="sums",
            sql=built.queries["sums"],
            view=f"`{built.schema}`.`sums`",
            state=state,
            information="",
            state_exists=True,
            occupied_by="",
            config={"state_writes": self.writes, "refresh_policy": "incremental"},
            full_refresh=full_refresh,
            described={},
            built=[],
            limited=False,
            change=project.adapter._changed if self.by_transaction else None,
        )

    @staticmethod
    def commit(project: Any, refresh: Refresher) -> int:
        """Commit by the materialization's own macro; how many attempts it took."""
        commits = list[str]()
        send = refresh.commit

        def commit(sql: str) -> None:
            commits.append(sql)
            send(sql)

        refresh.commit = commit  # type: ignore[method-assign]
        state = project.adapter.Relation.create(schema=project.test_schema, identifier="sums__ivm")
        project.adapter.execute_macro(
            "ivm_change_state",
            macro_resolver=get_manifest(project.project_root),
            kwargs={"state": state, "refresh": refresh},
        )
        return len(commits)

    def test_one_of_two_equal_refreshes_commits(
        self, project: Any, built: Warehouse, state: str
    ) -> None:
        built.sql("insert into facts values ('a', 10), ('z', 1)", "delete from facts where v = 2")
        version = built.version("sums__ivm")
        with project.adapter.connection_named("one"):
            one, other = (self.planned(project, built, state) for _ in range(2))
            assert one.plan.kind is other.plan.kind is RefreshKind.INCREMENTAL
            self.commit(project, one)
            self.commit(project, other)
        assert built.version("sums__ivm") == version + 1
        assert one.response()["rows_affected"] == 2
        assert other.response()["rows_affected"] == 0
        built.check("sums")

    def test_the_slower_run_continues_from_the_other_watermark(
        self, project: Any, built: Warehouse, state: str
    ) -> None:
        built.sql("insert into facts values ('a', 100)")
        with project.adapter.connection_named("one"):
            slow = self.planned(project, built, state)
            built.sql("insert into facts values ('a', 1000), ('y', 1)")
            fast = self.planned(project, built, state)
            self.commit(project, fast)
            built.check("sums")
            self.commit(project, slow)
        built.check("sums")
        assert built.recorded("sums")["facts"] == built.version("facts"), "never backwards"
        assert built.run()["sums"]["refresh_kind"] == "none"

    def test_an_older_plan_that_commits_first_does_no_harm(
        self, project: Any, built: Warehouse, state: str
    ) -> None:
        built.sql("insert into facts values ('b', 100)")
        with project.adapter.connection_named("one"):
            first = self.planned(project, built, state)
            built.sql("insert into facts values ('b', 1000), ('x', 1)")
            later = self.planned(project, built, state)
            self.commit(project, first)
            attempts = self.commit(project, later)
        assert attempts == 2, "its first commit came too late and was skipped"
        built.check("sums")

    @pytest.mark.parametrize("turn", range(budget(2, 20)))
    def test_two_threads_keep_the_view_right(
        self, project: Any, built: Warehouse, state: str, turn: int
    ) -> None:
        """Every other time one of the two is a full refresh."""
        built.sql(
            f"insert into facts values ('a', 7), ('w{turn}', 1)",
            f"delete from facts where v = {turn}",
        )
        version, barrier, failures = built.version("sums__ivm"), Barrier(2, timeout=120), []

        def refresh(name: str) -> None:
            try:
                with project.adapter.connection_named(name):
                    full = name == "other" and turn % 2 == 1
                    planned = self.planned(project, built, state, full)
                    barrier.wait()
                    self.commit(project, planned)
            except Exception as error:
                failures.append(error)

        threads = [Thread(target=refresh, args=(name,)) for name in ("one", "other")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=240)
        assert not failures
        built.check("sums")
        commits = built.version("sums__ivm") - version
        assert commits == 1 or (commits == 2 and turn % 2 == 1), "a full one may come second"
        assert built.recorded("sums")["facts"] == built.version("facts")


class TestTwoRunsThatAppendAtOnce(TestTwoRunsAtOnce):
    """Delta lets two appends pass each other; the refresh's number does not."""

    writes = "append"


@pytest.mark.usefixtures("embedded")
class TestTwoTransactionsAtOnce(TestTwoRunsAtOnce):
    """The transactions that take the place of the statements."""

    by_transaction = True

    def test_another_run_commits_between_the_files_and_their_commit(
        self, project: Any, built: Warehouse, state: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        built.sql("insert into facts values ('a', 70)", "delete from facts where v = 100")
        version = built.version("sums__ivm")
        commit, rivals = transaction._Transaction._commit, list[Thread]()

        def rival() -> None:
            with project.adapter.connection_named("rival"):
                self.commit(project, self.planned(project, built, state))

        def late(*arguments: Any) -> None:
            if not rivals:
                rivals.append(Thread(target=rival))
                rivals[0].start()
                rivals[0].join(timeout=240)
            commit(*arguments)

        monkeypatch.setattr(transaction._Transaction, "_commit", late)
        with project.adapter.connection_named("one"):
            refresh = self.planned(project, built, state)
            self.commit(project, refresh)
        assert rivals
        assert refresh.response()["rows_affected"] == 0, "the rival did the work"
        assert built.version("sums__ivm") == version + 1
        built.check("sums")


@pytest.mark.usefixtures("embedded")
class TestTwoTransactionsThatAppendAtOnce(TestTwoTransactionsAtOnce):
    writes = "append"
