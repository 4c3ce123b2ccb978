"""What many models of a run read of a source's change is computed once.

That is the net change of a parent whose rows were all replaced, and the rows of a feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import shared_changes
from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from tests.functional.ivm.warehouse import (
    FEED,
    Feeds,
    Warehouse,
    feeds_read,
    kinds,
    reasons,
)

PARENT = (
    "{{ config(materialized='table') }}\n"
    "select k, v, cast(v as double) / 4 as share, "
    "cast(concat(if(v % 2 = 0, '-', ''), '0.0') as float) as z"
    " from {{ target.schema }}.facts"
)
READERS = {
    "sums": "select k, sum(v) as total, count(*) as n, max(share) as most from @ group by k",
    "rows": "select k, v, share, cast(z as string) as sign from @ where v > 1",
    "joined": "select p.k, q.name from @ p join {{ target.schema }}.names q on p.k = q.k",
}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that dbt sends."""
    original, statements = IvmSparkConnectionManager.add_query, list[str]()

    def add_query(self: Any, sql: str, *args: Any, **kwargs: Any) -> Any:
        statements.append(sql)
        return original(self, sql, *args, **kwargs)

    monkeypatch.setattr(IvmSparkConnectionManager, "add_query", add_query)
    return statements


class TestNets:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        readers = {
            f"{name}.sql": "{{ config(materialized='ivm') }}\n"
            + sql.replace("@", "{{ ref('parent') }}")
            for name, sql in READERS.items()
        }
        return {"parent.sql": PARENT, **readers}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            "set spark.sql.ansi.enabled=false",
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts select concat('k', id % 7), cast(id as int) from range(200)",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('k1', 'one'), ('k2', 'two'), (null, 'none')",
        )
        warehouse.run()
        yield warehouse

    @staticmethod
    def _changed(warehouse: Warehouse, responses: dict[str, Any]) -> set[int]:
        """The changed rows of the parent that its readers were told of."""
        name = f"`{warehouse.schema}`.`parent`"
        return {responses[reader]["sources"][name]["changed_rows"] for reader in READERS}

    def test_only_the_net_change_counts(self, built: Warehouse, sent: list[str]) -> None:
        built.sql(
            "insert into facts values ('k1', 3), ('k1', 3), ('new', 5), (null, 7)",
            "delete from facts where v = 11",
            "update facts set v = v + 2 where v = 40",
        )
        responses = built.run()
        assert {kinds(responses)[name] for name in READERS} == {"incremental"}
        assert self._changed(built, responses) == {4 + 1 + 2}
        assert len([sql for sql in sent if "cache table global_temp" in sql]) == 1
        assert len([sql for sql in sent if "drop view if exists global_temp" in sql]) == 1
        built.check(*READERS)

    def test_a_parent_without_a_net_change_changes_no_row(self, built: Warehouse) -> None:
        responses = built.run()
        assert self._changed(built, responses) == {0}
        assert {responses[name]["rows_affected"] for name in READERS} == {0}
        built.check(*READERS)
        assert {kinds(built.run(name))[name] for name in READERS} == {"none"}

    def test_signs_of_zero_and_lost_rows_are_seen(self, built: Warehouse) -> None:
        built.write("parent", PARENT.replace("v % 2 = 0", "v % 2 = 0 and v <> 50"))
        responses = built.run()
        assert self._changed(built, responses) == {2}
        built.check(*READERS)
        built.write("parent", PARENT + " where v > 150")
        responses = built.run()
        assert {responses["rows"]["rows_inserted"]} == {0}
        built.check(*READERS)

    @pytest.mark.parametrize(
        ("text", "codes"),
        [
            ("select k, v, share, z from {{ target.schema }}.empty_like", set()),
            ("select k, cast(v as bigint) as v, cast(v as double) as share, "
             "cast(0 as float) as z, 1 as more from {{ target.schema }}.facts",
             {"DATA_SCHEMA_CHANGED"}),
            (PARENT, {"DATA_SCHEMA_CHANGED"}),
        ],
    )  # fmt: skip
    def test_views_follow_a_replaced_parent(
        self, built: Warehouse, text: str, codes: set[str]
    ) -> None:
        """An empty one, one of another schema, and the first one again."""
        built.sql(
            f"create table if not exists empty_like using delta {FEED} as "
            "select k, v, share, z from parent where false"
        )
        if "config" not in text:
            text = "{{ config(materialized='table') }}\n" + text
        built.write("parent", text)
        assert set(reasons(built.run()).values()) == codes
        built.check(*READERS)

    def test_views_follow_a_parent_that_becomes_a_view(self, built: Warehouse) -> None:
        built.write("parent", PARENT.replace("'table'", "'view'"))
        built.run()
        built.check(*READERS)
        built.write("parent", PARENT)
        built.run()
        built.check(*READERS)

    def test_a_run_drops_its_net_changes(self, built: Warehouse) -> None:
        built.run()
        views = built.rows("show views in global_temp")
        assert not [row for row in views if "ivm_shared" in str(row)]

    def test_a_failed_net_change_is_ignored(
        self, built: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = IvmSparkConnectionManager.add_query

        def add_query(self: Any, sql: str, *args: Any, **kwargs: Any) -> Any:
            spoiled = "create global temporary view" in sql
            return original(self, "select no_such" if spoiled else sql, *args, **kwargs)

        monkeypatch.setattr(IvmSparkConnectionManager, "add_query", add_query)
        built.sql("insert into facts values ('late', 1)")
        built.run()
        built.check(*READERS)


VIEWS = {
    "total": "select k, sum(v) as total, count(*) as n from @facts group by k",
    "most": "select max(v) as most, min(d) as least from @facts",
    "bag": "select k, v, d, m['a'] as a from @facts where v > 1",
    "named": "select f.k, f.v, n.name from @facts f left join @names n on f.k = n.k",
    "twice": "select a.k, count(*) as n from @facts a join @facts b on a.v = b.v group by a.k",
}
CHANGES = (
    "insert into facts values ('k1', 3, -0.0, map('a', 1)), ('k1', 3, double('NaN'), map())",
    "delete from facts where v = 11",
    "update facts set v = v + 2, d = null where v = 40",
    "merge into names using (select 'k1' as k) as s on names.k = s.k "
    "when matched then update set name = 'uno'",
)
SCHEMA = "{{ target.schema }}."
SOURCES_YML = """
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables: [{name: facts}, {name: odd}]
"""


class TestSharedFeeds:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        above = "{{ config(materialized='ivm') }} select n, count(*) as c from {{ ref('%s') }} "
        readers = {f"by_{n}.sql": above % "total" + f"where n > {n} group by n" for n in range(3)}
        views = {
            f"{name}.sql": "{{ config(materialized='ivm') }}\n"
            + sql.replace("@facts", "{{ source('raw', 'facts') }}").replace("@", SCHEMA)
            for name, sql in VIEWS.items()
        }
        return {**views, **readers, "sources.yml": SOURCES_YML}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            "create table facts (k string, v int, d double, m map<string, int>) "
            f"using delta {FEED}",
            "insert into facts select concat('k', id % 7), cast(id as int), id / 4, "
            "map('a', cast(id as int)) from range(200)",
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('k1', 'one'), ('k2', 'two'), (null, 'none')",
        )
        warehouse.run()
        return warehouse

    @staticmethod
    def _reads(sent: list[str], table: str) -> int:
        """How often statements read the feed of a table."""
        return sum(len(re.findall(rf"table_changes\('[^']*`{table}`'", sql)) for sql in sent)

    @pytest.mark.parametrize("how", Feeds)
    def test_all_models_are_right(
        self, built: Warehouse, sent: list[str], how: Feeds, method: str
    ) -> None:
        if method != "session" and how is Feeds.IN_DRIVER:
            how = Feeds.STORED  # that driver is another process
        built.sql(*CHANGES)
        sent.clear()
        with feeds_read(how):
            found = built.run()
        assert set(kinds(found).values()) == {"incremental"}
        assert not reasons(found)
        built.check(*VIEWS, "by_0", "by_1", "by_2")
        stored = [sql for sql in sent if "cache table global_temp" in sql]
        for table in ("facts", "total__ivm"):
            reads = self._reads(sent, table)
            assert reads >= 3 if how is Feeds.APART else reads == (how is Feeds.STORED), table
        assert len(stored) == (2 if how is Feeds.STORED else 0)
        assert not built.rows("show views in global_temp")

    def test_one_model_alone_reads_its_own_columns(self, built: Warehouse, sent: list[str]) -> None:
        built.sql(CHANGES[0])
        sent.clear()
        assert kinds(built.run("total")) == {"total": "incremental"}
        assert self._reads(sent, "facts") == 1
        built.check("total")

    def test_models_at_other_versions_read_other_rows(self, built: Warehouse) -> None:
        built.sql("insert into facts values ('k3', 5, 1, null)")
        built.run("total", "most")
        built.sql("delete from facts where k = 'k3'", "insert into facts values ('k4', 5, 1, null)")
        assert set(kinds(built.run()).values()) == {"incremental"}
        built.check(*VIEWS)

    @pytest.mark.parametrize("how", (Feeds.IN_DRIVER, Feeds.STORED))
    def test_without_the_shared_rows_each_model_reads_the_feed(
        self, built: Warehouse, monkeypatch: pytest.MonkeyPatch, how: Feeds
    ) -> None:
        built.sql(*CHANGES)
        monkeypatch.setattr(shared_changes, "_new_name", lambda: "ivm_shared-no name")
        with feeds_read(how):
            found = built.run()
        assert set(kinds(found).values()) == {"incremental"}
        built.check(*VIEWS)

    def test_a_source_with_the_weights_name(self, built: Warehouse) -> None:
        built.sql(
            f"create table odd (k int, __ivm_weight int) using delta {FEED}",
            "insert into odd values (1, 2)",
        )
        for place in range(3):
            built.write(
                f"odd_{place}",
                "{{ config(materialized='ivm') }} select k, sum(__ivm_weight) as w, "
                f"{place} as place from {{{{ source('raw', 'odd') }}}} group by k",
            )
        names = [f"odd_{place}" for place in range(3)]
        built.run(*names)
        built.sql("insert into odd values (1, 5), (2, 7)")
        with feeds_read(Feeds.IN_DRIVER):
            assert set(kinds(built.run(*names)).values()) == {"incremental"}
        built.check(*names)
