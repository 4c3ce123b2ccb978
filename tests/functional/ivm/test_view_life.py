"""Accidents and changes of a view, its state and its model."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.util import run_dbt_and_capture

from tests.budget import LONG
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

SUMS = "select k, sum(v) as total, count(*) as n from {{ target.schema }}.facts group by k"
OURS = "set spark.databricks.delta.commitInfo.userMetadata = {mark}"
NOBODYS = "reset spark.databricks.delta.commitInfo.userMetadata"


def model(sql: str = SUMS, materialized: str = "ivm", **config: Any) -> str:
    given = "".join(f", {key}={value!r}" for key, value in config.items())
    return f"{{{{ config(materialized='{materialized}'{given}) }}}}\n{sql}"


def strict() -> str:
    policy = "{{ config(refresh_policy=var('policy', 'incremental')) }}"
    return policy + model()


def create_facts(warehouse: Warehouse) -> None:
    warehouse.sql(
        f"create table facts (k string, v int) using delta {FEED}",
        "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
    )


REBUILT = {
    "state_dropped": ("STATE_MISSING", "drop table @__ivm"),
    "state_renamed": ("STATE_MISSING", "alter table @__ivm rename to @_mine"),
    "state_written": ("STATE_MODIFIED", "update @__ivm set total = total + 1"),
    "state_deleted_from": ("STATE_MODIFIED", "delete from @__ivm where k = 'a'"),
    "state_restored": (
        "STATE_MODIFIED",
        "insert into @__ivm select * from @__ivm", "restore table @__ivm to version as of 0",
    ),
    "state_reshaped": (
        "STATE_MODIFIED",
        "alter table @__ivm set tblproperties ('delta.columnMapping.mode' = 'name')",
        "alter table @__ivm rename column total to sum",
    ),
    "state_replaced_by_view": (
        "STATE_MODIFIED",
        "drop table @__ivm", "create view @__ivm as select 'a' as k, 1 as total, 1 as n",
    ),
    "state_replaced_by_files": (
        "STATE_MODIFIED", "drop table @__ivm", "create table @__ivm using parquet as select 1 as a",
    ),
    "state_of_a_later_version": (
        "STATE_FORMAT_CHANGED",
        OURS.format(mark="ivm2.eyJmb3JtYXQiOjJ9"), "update @__ivm set total = total + 1", NOBODYS,
    ),
}  # fmt: skip
KEPT = {
    "view_dropped": ("drop view @",),
    "view_replaced": ("create or replace view @ as select 'x' as k, 1L as total, 1L as n",),
    "view_altered": ("alter view @ as select 'x' as k, 1L as total, 1L as n",),
    "view_replaced_by_table": ("drop view @", "create table @ using delta as select 'x' as k"),
    "state_tidied": (
        "optimize @__ivm zorder by (k)",
        "set spark.databricks.delta.retentionDurationCheck.enabled = false",
        "vacuum @__ivm retain 0 hours",
        "alter table @__ivm set tblproperties ('note' = 'kept')",
        "comment on table @__ivm is 'a comment'",
    ),
    "state_feed_switched_off": (
        "alter table @__ivm set tblproperties ('delta.enableChangeDataFeed' = 'false')",
    ),
}
ONLY_LONG = frozenset(
    "state_dropped state_renamed state_deleted_from state_replaced_by_files view_dropped "
    "view_replaced".split()
)
"""What another file's tests tell too, or nearly the same as another accident here."""
LOST, SAFE = ([n for n in names if LONG or n not in ONLY_LONG] for names in (REBUILT, KEPT))
BOTH = (*LOST, *SAFE)


class TestAccidentsOfViewAndState:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": strict() for name in BOTH}

    strict: dict[str, str]
    wrong: list[str]

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, Any]]:
        """After the accidents and a change; after one more change."""
        create_facts(warehouse)
        warehouse.run()
        for name in BOTH:
            steps = REBUILT[name][1:] if name in REBUILT else KEPT[name]
            warehouse.sql(*(step.replace("@", name) for step in steps))
        warehouse.sql("insert into facts values ('b', 4), ('c', 5)")
        type(self).strict = warehouse.fail(*LOST, flags=["--vars", "policy: incremental_strict"])
        first = warehouse.run()
        type(self).wrong = warehouse.all_differences(BOTH)
        warehouse.sql("delete from facts where v = 1")
        second = warehouse.run()
        return [first, second]

    @pytest.mark.parametrize("name", LOST)
    def test_an_accident_rebuilds_the_view(self, runs: Any, name: str) -> None:
        code = REBUILT[name][0]
        assert reasons(runs[0])[name] == code
        assert kinds(runs[0])[name] == "full"
        assert code in self.strict[name]
        assert "\tat " not in self.strict[name]

    @pytest.mark.parametrize("name", SAFE)
    def test_a_harmless_accident_stays_incremental(self, runs: Any, name: str) -> None:
        assert kinds(runs[0])[name] == "incremental", runs[0][name]

    def test_every_view_equals_its_query_afterwards(self, runs: Any, warehouse: Warehouse) -> None:
        assert not self.wrong
        assert set(kinds(runs[1]).values()) == {"incremental"}
        warehouse.check(*BOTH)
        views = {row[1] for row in warehouse.rows(f"show views in {warehouse.schema}")}
        assert views == set(BOTH)

    def test_a_feed_that_was_switched_off_is_on_again(
        self, runs: Any, warehouse: Warehouse
    ) -> None:
        assert runs[0]["state_feed_switched_off"]["altered"] == [
            "delta.enableChangeDataFeed = true"
        ]
        assert runs[0]["state_tidied"]["altered"] == []
        properties = dict(warehouse.rows("show tblproperties state_feed_switched_off__ivm"))
        assert properties["delta.enableChangeDataFeed"] == "true"
        assert dict(warehouse.rows("show tblproperties state_tidied__ivm"))["note"] == "kept"

    def test_a_foreign_table_is_never_dropped(self, runs: Any, warehouse: Warehouse) -> None:
        """A new model, where its state's name is taken by somebody's own table."""
        warehouse.sql("create table brand_new__ivm using parquet as select 1 as precious")
        warehouse.write("brand_new", model())
        message = warehouse.fail("brand_new")["brand_new"]
        assert "brand_new__ivm" in message
        assert "Rename or drop it" in message
        assert warehouse.rows("select precious from brand_new__ivm") == [(1,)]
        assert not warehouse.exists("brand_new")
        warehouse.sql("drop table brand_new__ivm")
        assert kinds(warehouse.run("brand_new")) == {"brand_new": "initial"}

    def test_a_count_below_zero_is_never_hidden(self, runs: Any, warehouse: Warehouse) -> None:
        """Somebody writes into the state and makes it look like a refresh."""
        name = "state_written"
        mark = warehouse.history(f"{name}__ivm")[0]["userMetadata"]
        warehouse.sql(
            OURS.format(mark=f"`{mark}`"),
            f"update {name}__ivm set __ivm_count = 0 where k = 'b'",
            NOBODYS,
            "delete from facts where k = 'b' and v = 3",
        )
        version = warehouse.version(f"{name}__ivm")
        message = warehouse.fail(name)[name]
        assert "negative count" in message
        assert "--full-refresh" in message
        assert "\tat " not in message
        assert warehouse.version(f"{name}__ivm") == version
        assert kinds(warehouse.run(name, flags=["--full-refresh"])) == {name: "full"}
        warehouse.check(name)


def tables(warehouse: Warehouse) -> set[str]:
    return {row[1] for row in warehouse.rows(f"show tables in {warehouse.schema}")}


DROP_SQL = """
{% macro drop_model(name) %}
  {% do adapter.drop_relation(
      adapter.get_relation(database=none, schema=target.schema, identifier=name)) %}
{% endmacro %}
"""


class TestChangedMaterialization:
    """No state is left where dbt drops or replaces the view."""

    OTHERS = ("table", "view", "incremental")

    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"drop_model.sql": DROP_SQL}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            **{f"to_{kind}.sql": model() for kind in self.OTHERS},
            **{f"from_{kind}.sql": model(materialized=kind) for kind in self.OTHERS},
            "kept.sql": model(),
            "removed.sql": model(),
        }

    def test_a_model_survives_another_materialization_and_a_drop(
        self, warehouse: Warehouse
    ) -> None:
        create_facts(warehouse)
        warehouse.run()
        for kind in self.OTHERS:
            warehouse.write(f"to_{kind}", model(materialized=kind))
            warehouse.write(f"from_{kind}", model())
        warehouse.sql("insert into facts values ('b', 4)")
        responses = warehouse.run()
        names = [f"{way}_{kind}" for way in ("from", "to") for kind in self.OTHERS]
        warehouse.check(*names)
        ours = {f"from_{kind}" for kind in self.OTHERS}
        assert kinds(responses) == dict.fromkeys(ours, "initial") | {
            "kept": "incremental",
            "removed": "incremental",
        }
        states = {name for name in tables(warehouse) if name.endswith("__ivm")}
        assert states == {f"{name}__ivm" for name in (*ours, "kept", "removed")}

        warehouse.drop_by_dbt("removed")
        assert not {"removed", "removed__ivm"} & tables(warehouse)
        assert {"kept", "kept__ivm", "facts"} <= tables(warehouse)

        for kind in self.OTHERS:
            warehouse.write(f"to_{kind}", model())
        responses = warehouse.run(*(f"to_{kind}" for kind in self.OTHERS), "removed")
        assert set(kinds(responses).values()) == {"initial"}
        warehouse.check(*names, "removed")


PROPERTY = "delta.logRetentionDuration"
BEFORE: dict[str, dict[str, Any]] = {
    "property_set": {"tblproperties": {PROPERTY: "interval 9 days", "mine": "x"}},
    "feed_silenced": {},
    "clustered": {},
    "partitioned": {},
    "partitioned_strict": {"refresh_policy": "incremental_strict"},
    "continued": {"on_configuration_change": "continue"},
    "failed": {"on_configuration_change": "fail", "partition_by": ["k"]},
    "moved": {},
    "clustered_to_partitioned": {"liquid_clustered_by": "k"},
    "untouched": {"liquid_clustered_by": "k", "tblproperties": {"mine": "x"}},
}
AFTER: dict[str, dict[str, Any]] = {
    "property_set": {"tblproperties": {PROPERTY: "interval 8 days"}},
    "feed_silenced": {"emit_changes": False},
    "clustered": {"liquid_clustered_by": ["k"]},
    "partitioned": {"partition_by": ["k"]},
    "partitioned_strict": {"refresh_policy": "incremental_strict", "partition_by": "k"},
    "continued": {"on_configuration_change": "continue", "partition_by": ["k"]},
    "failed": {"on_configuration_change": "fail"},
    "moved": {"location_root": "elsewhere"},
    "clustered_to_partitioned": {"partition_by": ["k"]},
    "untouched": {"liquid_clustered_by": "k", "tblproperties": {"mine": "x"}},
}
REFUSED = ("partitioned_strict", "failed", "moved", "clustered_to_partitioned")
TAKEN = tuple(name for name in AFTER if name not in REFUSED)


class TestChangedConfiguration:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(**config) for name, config in BEFORE.items()}

    messages: dict[str, str]
    log: str

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[dict[str, Any]]:
        """With the new configuration; without a change; after a change of the source."""
        create_facts(warehouse)
        warehouse.run()
        for name, config in AFTER.items():
            warehouse.write(name, model(**config))
        type(self).messages = warehouse.fail(*REFUSED)
        results, log = run_dbt_and_capture(["run", "--select", *TAKEN])
        first = {result.node.name: result.adapter_response for result in results}
        type(self).log = log
        second = warehouse.run(*TAKEN)
        warehouse.sql("insert into facts values ('b', 4), ('c', 5)")
        third = warehouse.run(*TAKEN)
        warehouse.check(*TAKEN)
        return [first, second, third]

    def detail(self, warehouse: Warehouse, name: str) -> dict[str, Any]:
        columns = [column for column, _ in warehouse.columns(f"describe detail {name}__ivm")]
        (row,) = warehouse.rows(f"describe detail {name}__ivm")
        return dict(zip(columns, row, strict=True))

    def test_apply_alters_or_rebuilds(self, runs: Any, warehouse: Warehouse) -> None:
        assert kinds(runs[0]) == dict.fromkeys(TAKEN, "none") | {"partitioned": "full"}
        assert reasons(runs[0]) == {"partitioned": "CONFIGURATION_CHANGED"}
        assert {name: response["altered"] for name, response in runs[0].items()} == {
            "property_set": [f"{PROPERTY} = interval 8 days", "no mine"],
            "feed_silenced": ["delta.enableChangeDataFeed = false"],
            "clustered": ["clustered by (k)"],
            "partitioned": [],
            "continued": [],
            "untouched": [],
        }
        assert runs[0]["clustered"]["_message"] == "NO CHANGES, ALTERED"
        assert runs[0]["untouched"]["_message"] == "NO CHANGES"
        properties = self.detail(warehouse, "property_set")["properties"]
        assert properties[PROPERTY] == "interval 8 days"
        assert "mine" not in properties
        silenced = self.detail(warehouse, "feed_silenced")["properties"]
        assert silenced["delta.enableChangeDataFeed"] == "false"
        assert self.detail(warehouse, "clustered")["clusteringColumns"] == ["k"]
        assert self.detail(warehouse, "partitioned")["partitionColumns"] == ["k"]

    def test_an_applied_change_is_not_applied_again(self, runs: Any) -> None:
        assert set(kinds(runs[1]).values()) == {"none"}
        assert {tuple(response["altered"]) for response in runs[1].values()} == {()}
        assert set(kinds(runs[2]).values()) == {"incremental"}

    def test_continue_warns_and_leaves_it(self, runs: Any, warehouse: Warehouse) -> None:
        warned = [line for line in self.log.splitlines() if "on_configuration_change" in line]
        assert warned
        assert all("continued" in line and "partitioned by (k)" in line for line in warned)
        assert self.detail(warehouse, "continued")["partitionColumns"] == []
        _, log = run_dbt_and_capture(["run", "--select", "continued"])
        assert "on_configuration_change" in log, "every run says it"
        assert kinds(warehouse.run("continued", flags=["--full-refresh"])) == {"continued": "full"}
        assert self.detail(warehouse, "continued")["partitionColumns"] == ["k"]

    @pytest.mark.parametrize(
        ("name", "parts"),
        [
            ("partitioned_strict", ["CONFIGURATION_CHANGED", "incremental_strict"]),
            ("failed", ["on_configuration_change is fail", "partitioned by ()"]),
            ("moved", ["location_root elsewhere", "DROP TABLE"]),
            ("clustered_to_partitioned", ["partitioned by (k) instead of clustered", "DROP TABLE"]),
        ],
    )
    def test_a_refused_change_leaves_the_table_unchanged(
        self, runs: Any, warehouse: Warehouse, name: str, parts: list[str]
    ) -> None:
        assert all(part in self.messages[name] for part in (name, *parts)), self.messages[name]
        assert warehouse.version(f"{name}__ivm") == 0
        assert warehouse.bags(name) == bag([("a", 3, 2), ("b", 3, 1)])

    def test_the_remedies_work(self, runs: Any, warehouse: Warehouse) -> None:
        warehouse.sql("drop table clustered_to_partitioned__ivm")
        warehouse.write("failed", model(**BEFORE["failed"]))
        remedied = ("clustered_to_partitioned", "failed")
        assert kinds(warehouse.run(*remedied)) == {
            "clustered_to_partitioned": "full",
            "failed": "incremental",
        }
        warehouse.check(*remedied)
        assert self.detail(warehouse, remedied[0])["partitionColumns"] == ["k"]
