"""What happens to a source in its life: the refresh after it is right at once, and says why it was
full where it was; `incremental_strict` fails with the same reason and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from dbt.adapters.ivm_spark.refresh.refresher import Refresher
from tests.budget import LONG
from tests.functional.ivm.warehouse import Warehouse, bag, kinds, reasons

GROUPS = "select k, sum(v) as total, count(*) as n from @ group by k"
ROWS = "select k, v from @"
START = "insert into @ (k, v, u) values ('a', 1, 1), ('a', 2, 2), ('b', 3, 3)"
MORE = "insert into @ (k, v) values ('b', 4), ('c', 5)"
LATER = ("insert into @ (k, v) values ('z', 9)", "delete from @ where k = 'z' and v > 9")
FEED_OFF = "alter table @ set tblproperties ('delta.enableChangeDataFeed' = 'false')"
FEED_ON = "alter table @ set tblproperties ('delta.enableChangeDataFeed' = 'true')"


def table(columns: str = "k string, v int, u int", extra: str = "", **properties: str) -> str:
    given = {"delta.enableChangeDataFeed": "true"} | {
        f"delta.{key.replace('_', '.')}": value for key, value in properties.items()
    }
    said = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    return f"create table @ ({columns}) using delta {extra} tblproperties ({said})"


def mapped() -> str:
    return table(columnMapping_mode="name")


def replaced(columns: str, feed: str = "true") -> str:
    return (
        "create or replace table @ using delta "
        f"tblproperties ('delta.enableChangeDataFeed' = '{feed}') as select {columns}"
    )


def stream(warehouse: Warehouse, name: str) -> None:
    warehouse.sql(f"create table {name}_arrivals (k string, v int, u int) using delta")
    warehouse.sql(f"insert into {name}_arrivals values ('a', 10, 1), ('s', 11, 2)")
    warehouse.append_stream(f"{name}_arrivals", name)


def clean_log(warehouse: Warehouse, name: str) -> None:
    """What Delta does after delta.logRetentionDuration: a checkpoint stands for what is gone."""
    warehouse.sql(*(f"insert into {name} values ('l', {n}, 0)" for n in range(5)))
    log = warehouse.location(name) / "_delta_log"
    newest = max(int(path.name[:20]) for path in log.glob("*.checkpoint*.parquet"))
    assert newest > 3
    for path in log.iterdir():
        if path.name[:20].isdigit() and int(path.name[:20]) < newest:
            path.unlink()
    for path in log.glob(".0*.crc"):
        path.unlink()


Step = str | Callable[[Warehouse, str], None]


@dataclass(frozen=True)
class Accident:
    """create: statements before the first build; steps: what happens then; kind and code of the
    refresh after it; later: an ordinary change after that, and the kind of its refresh. `@` is the
    source, `@_base` another table of the same columns."""

    steps: tuple[Step, ...]
    kind: str = "incremental"
    code: str = ""
    create: tuple[str, ...] = field(default_factory=lambda: (table(), START))
    query: str = GROUPS
    later: tuple[Step, ...] = LATER
    then: str = "incremental"


def full(code: str, *steps: Step, **given: Any) -> Accident:
    return Accident(steps, "full", code, **given)


def fine(*steps: Step, **given: Any) -> Accident:
    return Accident(steps, **given)


BASE = (table().replace("@", "@_base"), START.replace("@", "@_base"))
LATER_BASE = tuple(text.replace("@", "@_base") for text in LATER)
MERGE = (
    "merge into @ using (select 'a' as k, 2 as v union all select 'n', 8) as s "
    "on @.k = s.k and @.v = s.v when matched then update set v = 20 "
    "when not matched then insert (k, v) values (s.k, s.v)"
)
CHANGE_ALL = (MERGE, "update @ set k = 'moved' where v = 3", "delete from @ where v = 1")

WRITTEN_ANEW = {
    "replaced_same": fine(replaced("'a' as k, 7 as v, 1 as u")),
    "replaced_twice": fine(
        MORE, replaced("'a' as k, 7 as v, 1 as u"), MORE, replaced("'q' as k, 7 as v, 1 as u")
    ),
    "replaced_without_feed": full(
        "CDF_UNAVAILABLE",
        replaced("'a' as k, 7 as v, 1 as u", "false"),
        later=(FEED_ON, *LATER),
        then="full",
    ),
    "replaced_with_more": fine(replaced("'x' as more, 'a' as k, 7 as v, 1 as u")),
    "replaced_with_columns_by_id": full(
        "DATA_SCHEMA_CHANGED", MORE, replaced("'a' as k, 7 as v, 1 as u"),
        create=(mapped(), START),
    ),
    "replaced_with_fewer": fine(replaced("'a' as k, 7 as v"), MORE),
    "replaced_wider": full(
        "DATA_SCHEMA_CHANGED", replaced("'a' as k, 7L as v, 1 as u"), query=ROWS
    ),
    "replaced_incompatible": full(
        "DATA_SCHEMA_CHANGED", replaced("'a' as k, 'seven' as v"), query=ROWS,
        later=("insert into @ values ('z', 'nine')",),
    ),
    "replaced_incompatible_unused": fine(replaced("'a' as k, 7 as v, 'one' as u")),
    "recreated": full("SOURCE_REPLACED", "drop table @", table(), MORE),
    "recreated_with_more_versions": full(
        "SOURCE_REPLACED", "drop table @", table(), MORE, MORE, MORE
    ),
    "replaced_by_view": full(
        "QUERY_FINGERPRINT_CHANGED",
        "drop table @", "create view @ as select k, v + 1 as v from @_base",
        create=(table(), START, *BASE), later=LATER_BASE,
    ),
    "view_replaced_by_table": full(
        "QUERY_FINGERPRINT_CHANGED",
        "drop view @", table(), START,
        create=(*BASE, "create view @ as select k, v + 1 as v from @_base"),
    ),
    "view_redefined": full(
        "QUERY_FINGERPRINT_CHANGED",
        "create or replace view @ as select k, v * 2 as v from @_base where v > 1",
        create=(*BASE, "create view @ as select k, v from @_base"), later=LATER_BASE,
    ),
    "view_redefined_in_other_words": fine(
        "create or replace view @ as SELECT k, /* the value */ v FROM @_base",
        MORE.replace("@", "@_base"),
        create=(*BASE, "create view @ as select k, v from @_base"), later=LATER_BASE,
    ),
    "replaced_by_files": full(
        "INPUT_NOT_IN_DELTA",
        "drop table @", "create table @ (k string, v int, u int) using parquet", START,
        later=(MORE,), then="full",
    ),
}  # fmt: skip
OVERWRITTEN = {
    "overwritten_partitions": fine(
        "set spark.sql.sources.partitionOverwriteMode = dynamic",
        "insert overwrite @ values ('a', 50, 5), ('d', 6, 6)",
        "reset spark.sql.sources.partitionOverwriteMode",
        create=(table(extra="partitioned by (k)"), START),
    ),
    "replace_where": fine("insert into @ replace where k = 'a' values ('a', 50, 5), ('a', 51, 5)"),
    "emptied": fine("delete from @"),
    "emptied_by_overwrite": fine("insert overwrite @ select * from @ where false"),
}  # fmt: skip
CHANGED = {
    "changed_with_vectors": fine(
        *CHANGE_ALL, create=(table(enableDeletionVectors="true"), START)
    ),
    "changed_without_vectors": fine(
        *CHANGE_ALL, create=(table(enableDeletionVectors="false"), START)
    ),
    "changed_partitioned": fine(*CHANGE_ALL, create=(table(extra="partitioned by (k)"), START)),
    "changed_clustered": fine(
        *CHANGE_ALL, "optimize @", MORE, create=(table(extra="cluster by (k)"), START)
    ),
    "changed_external": fine(*CHANGE_ALL, create=(table(extra="location '#/@'"), START)),
    "changed_clone": fine(
        *CHANGE_ALL, create=(*BASE, "create table @ shallow clone @_base"),
    ),
    "streamed": fine(stream),
}  # fmt: skip
TIDIED = {
    "restored": fine(
        MORE, "delete from @ where k = 'a'", "restore table @ to version as of 1", MORE
    ),
    "restored_before_the_first_build": fine("restore table @ to version as of 0"),
    "restored_with_columns": full(
        "DATA_SCHEMA_CHANGED", "restore table @ to version as of 1",
        create=(
            mapped(), START,
            "alter table @ rename column v to x", "alter table @ rename column u to v",
        ),
    ),
    "optimized": Accident(("optimize @",), "none", create=(table(), START, MORE)),
    "zordered": fine(MORE, "optimize @ zorder by (v)"),
    "vacuumed": full(
        "CHANGE_SET_MISSING",
        "update @ set v = 40 where v = 3",
        "delete from @ where k = 'a'",
        "set spark.databricks.delta.retentionDurationCheck.enabled = false",
        "vacuum @ retain 0 hours",
    ),
    "log_cleaned": full(
        "CHANGE_SET_MISSING", clean_log, create=(table(checkpointInterval="2"), START)
    ),
    "state_before_expired": fine(
        "update @ set v = 40 where v = 3",
        create=(table(deletedFileRetentionDuration="interval 0 hours"), START),
    ),
    "changes_expired": full(
        "CHANGE_SET_MISSING", "update @ set v = 40 where v = 3", MORE,
        create=(table(deletedFileRetentionDuration="interval 0 hours"), START),
        later=LATER[:1],
    ),
}  # fmt: skip
ALTERED = {
    "used_columns_swapped": full(
        "DATA_SCHEMA_CHANGED",
        "alter table @ rename column v to x", "alter table @ rename column u to v",
        create=(mapped(), "insert into @ values ('a', 1, 100), ('b', 2, 200)"),
    ),
    "used_column_dropped_and_added": full(
        "DATA_SCHEMA_CHANGED", "alter table @ drop column v", "alter table @ add column v int",
        create=(mapped(), START),
    ),
    "used_column_widened": full(
        "DATA_SCHEMA_CHANGED", "alter table @ alter column v type bigint", MORE, query=ROWS,
        create=(table(enableTypeWidening="true"), START),
    ),
    "unused_column_added": fine(MORE, "alter table @ add column w int", MORE),
    "unused_column_renamed": fine(
        "alter table @ rename column u to w", MORE, create=(mapped(), START)
    ),
    "unused_column_renamed_after": full(
        "DATA_SCHEMA_CHANGED", MORE, "alter table @ rename column u to w",
        create=(mapped(), START),
    ),
    "unused_column_dropped": fine("alter table @ drop column u", MORE, create=(mapped(), START)),
    "unused_column_dropped_between": full(
        "DATA_SCHEMA_CHANGED", MORE, "alter table @ drop column u", MORE, create=(mapped(), START)
    ),
    "unused_column_widened": fine(
        "alter table @ alter column u type bigint", MORE,
        create=(table(enableTypeWidening="true"), START),
    ),
    "unused_column_only_dropped": Accident(
        ("alter table @ drop column u",), "none", create=(mapped(), START)
    ),
    "column_commented": fine(MORE, "alter table @ alter column v comment 'the value'", MORE),
    "column_moved": fine(MORE, "alter table @ alter column v first", MORE),
    "mapping_switched_on": fine(
        MORE, "alter table @ set tblproperties ('delta.columnMapping.mode' = 'name')", MORE
    ),
    "feed_off_and_on": fine(FEED_OFF, FEED_ON, MORE),
    "feed_off_and_on_around_rows": full("CDF_UNAVAILABLE", FEED_OFF, MORE, FEED_ON, MORE),
    "feed_switched_on_twice": fine(MORE, FEED_ON, MORE),
    "feed_switched_on_late": full(
        "CDF_UNAVAILABLE", "update @ set v = 40 where v = 3", FEED_ON,
        create=(table(), FEED_OFF, START),
    ),
    "feed_switched_off_after": full("CDF_UNAVAILABLE", MORE, FEED_OFF, later=(FEED_ON, *LATER)),
}  # fmt: skip
GROUPS_OF_ACCIDENTS = {
    "anew": WRITTEN_ANEW,
    "overwritten": OVERWRITTEN,
    "changed": CHANGED,
    "tidied": TIDIED,
    "altered": ALTERED,
}
ACCIDENTS = {n: a for accidents in GROUPS_OF_ACCIDENTS.values() for n, a in accidents.items()}
IN_CI = frozenset(
    """replaced_with_fewer recreated replaced_by_view replaced_by_files overwritten_partitions
    replace_where changed_clone streamed restored restored_with_columns log_cleaned
    changes_expired used_columns_swapped unused_column_dropped feed_off_and_on""".split()
)
"""Those that say most; the others are tried by `make test-long`."""
TRIED = [name for name in ACCIDENTS if LONG or name in IN_CI]


def model(sql: str, name: str) -> str:
    config = "{{ config(materialized='ivm', refresh_policy=var('policy', 'auto')) }}\n"
    return config + sql.replace("@", f"{{{{ target.schema }}}}.{name}_source")


def do(warehouse: Warehouse, name: str, steps: tuple[Step, ...]) -> None:
    source = f"{name}_source"
    for step in steps:
        if callable(step):
            step(warehouse, source)
        else:
            warehouse.sql(step.replace("#", str(warehouse.folder)).replace("@", source))


@dataclass(frozen=True)
class Seen:
    """The messages of `incremental_strict`, and what it left and found of the states; the refresh
    after the accidents, and what was wrong then; the refresh after the ordinary change."""

    strict: dict[str, str]
    before: dict[str, Any]
    after: dict[str, Any]
    refreshed: dict[str, dict[str, Any]]
    wrong: list[str]
    later: dict[str, dict[str, Any]]


class TestSources:
    """A group of accidents at a time: all happen, then dbt runs."""

    groups: dict[str, Seen] = {}  # noqa: RUF012

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(ACCIDENTS[name].query, name) for name in TRIED}

    @pytest.fixture
    def seen(self, warehouse: Warehouse, name: str) -> Seen:
        group = next(g for g, accidents in GROUPS_OF_ACCIDENTS.items() if name in accidents)
        if group not in self.groups:
            names = [n for n in GROUPS_OF_ACCIDENTS[group] if n in TRIED]
            self.groups[group] = self.let_happen(warehouse, names)
        return self.groups[group]

    @staticmethod
    def let_happen(warehouse: Warehouse, names: list[str]) -> Seen:
        def states() -> dict[str, Any]:
            return {
                n: (bag(warehouse.rows(f"select * from {n}__ivm")), warehouse.version(f"{n}__ivm"))
                for n in lost
            }

        lost = [name for name in names if ACCIDENTS[name].kind == "full"]
        for name in names:
            do(warehouse, name, ACCIDENTS[name].create)
        assert set(kinds(warehouse.run(*names)).values()) == {"initial"}
        before = states()
        for name in names:
            do(warehouse, name, ACCIDENTS[name].steps)
        strict = (
            warehouse.fail(*lost, flags=["--vars", "policy: incremental_strict"]) if lost else {}
        )
        after = states()
        refreshed = warehouse.run(*names)
        wrong = warehouse.all_differences(names)
        for name in names:
            do(warehouse, name, ACCIDENTS[name].later)
        later = warehouse.run(*names)
        wrong += warehouse.all_differences(names)
        return Seen(strict, before, after, refreshed, wrong, later)

    @pytest.mark.parametrize("name", TRIED)
    def test_the_refresh_after(self, seen: Seen, name: str) -> None:
        accident, response = ACCIDENTS[name], seen.refreshed[name]
        assert response["refresh_kind"] == accident.kind, response
        assert reasons({name: response}).get(name, "") == accident.code, response
        assert not [text for text in seen.wrong if text.startswith(f"{name}: ")]
        assert seen.later[name]["refresh_kind"] == accident.then, seen.later[name]

    @pytest.mark.parametrize("name", [n for n in TRIED if ACCIDENTS[n].kind == "full"])
    def test_strict_fails_and_changes_nothing(self, seen: Seen, name: str) -> None:
        message = seen.strict[name]
        assert ACCIDENTS[name].code in message
        assert "incremental_strict" in message
        assert name in message
        assert "\tat " not in message
        assert seen.after[name] == seen.before[name]


GONE = {
    "dropped": ("drop table @", "TABLE_OR_VIEW_NOT_FOUND"),
    "replaced_without_a_used_column": (replaced("'a' as k"), "UNRESOLVED_COLUMN"),
    "renamed_column": ("alter table @ rename column v to w", "UNRESOLVED_COLUMN"),
    "became_text": (replaced("'a' as k, array(1) as v"), "DATATYPE_MISMATCH"),
}


class TestSourcesThatTheQueryNoLongerFits:
    """dbt's own error, and readers have what they had."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(GROUPS, name) for name in GONE}

    def test_fail_and_change_nothing_until_they_fit_again(self, warehouse: Warehouse) -> None:
        for name in GONE:
            do(warehouse, name, (mapped(), START))
        warehouse.run()
        versions = {name: warehouse.version(f"{name}__ivm") for name in GONE}
        for name, (accident, _) in GONE.items():
            do(warehouse, name, (MORE, accident))
        for name, message in warehouse.fail(*GONE).items():
            assert GONE[name][1] in message
            assert f"{name}.sql" in message or f"model.test.{name}" in message
            assert "\tat " not in message
            assert versions[name] == warehouse.version(f"{name}__ivm")
            assert warehouse.bags(name) == bag([("a", 3, 2), ("b", 3, 1)])
        do(warehouse, "dropped", (mapped(), START))
        do(warehouse, "renamed_column", ("alter table @ rename column w to v",))
        responses = warehouse.run("dropped", "renamed_column")
        assert reasons(responses) == {
            "dropped": "SOURCE_REPLACED",
            "renamed_column": "DATA_SCHEMA_CHANGED",
        }
        warehouse.check("dropped", "renamed_column")


INTRUSIONS = {
    "grown": "insert into @ values ('late', 1, 1), ('a', 1000, 1)",
    "shrunk": "delete from @ where k = 'a'",
    "rewritten": replaced("'late' as k, 7 as v, 1 as u"),
    "reshaped": "alter table @ rename column v to x",
}


class TestAWriterInTheMiddle:
    """A source changes after the versions were pinned and before the state is committed."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(GROUPS, name) for name in INTRUSIONS}

    @pytest.fixture
    def intruded(self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        plan = Refresher._committed
        done: set[str] = set()

        def commit(refresh: Refresher, sql: str) -> Any:
            name = refresh._model.split(".")[-1]
            if name not in done:
                done.add(name)
                do(warehouse, name, (INTRUSIONS[name],))
            return plan(refresh, sql)

        monkeypatch.setattr(Refresher, "_committed", commit)
        yield
        assert done == set(INTRUSIONS)

    def build(self, warehouse: Warehouse) -> None:
        for name in INTRUSIONS:
            do(warehouse, name, (mapped() if name == "reshaped" else table(), START))
        warehouse.run(*INTRUSIONS)
        for name in INTRUSIONS:
            do(warehouse, name, (MORE, "update @ set v = 30 where v = 3"))

    def test_the_view_is_that_of_the_pinned_versions(
        self, warehouse: Warehouse, request: pytest.FixtureRequest
    ) -> None:
        self.build(warehouse)
        request.getfixturevalue("intruded")
        responses = warehouse.run(*INTRUSIONS)
        assert set(kinds(responses).values()) <= {"incremental", "full"}
        for name in INTRUSIONS:
            (source,) = warehouse.watermark(name).sources.values()
            pinned = f"{name}_source version as of {source.version}"
            wanted = warehouse.rows(
                warehouse.queries[name].replace(f"{warehouse.schema}.{name}_source", pinned)
            )
            assert warehouse.bags(name) == bag(wanted), name
            assert source.version < warehouse.version(f"{name}_source")
        do(warehouse, "reshaped", ("alter table @ rename column x to v",))
        responses = warehouse.run(*INTRUSIONS)
        assert reasons(responses) == {"reshaped": "DATA_SCHEMA_CHANGED"}
        assert kinds(responses) == dict.fromkeys(INTRUSIONS, "incremental") | {"reshaped": "full"}
        warehouse.check(*INTRUSIONS)
