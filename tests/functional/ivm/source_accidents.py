"""What happens to a source in its life, and what the refresh after it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.budget import LONG
from tests.functional.ivm.warehouse import Warehouse

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
        "SOURCE_REPLACED",
        "drop table @", "create table @ (k string, v int, u int) using parquet", START,
        later=(MORE,), then="full",
    ),
    "replaced_by_text_files": full(
        "SOURCE_REPLACED",
        "drop table @", "create table @ (k string, v int, u int) using csv", START,
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
