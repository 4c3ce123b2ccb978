"""A pinned scan has the rows of its version, whatever the table is, and its plan takes no job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session import pinned_scan
from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.session.test_history import asked

pytestmark = pytest.mark.usefixtures("embedded")
TABLE = "`default`.`pinned`"
VIEW = "ivm_scan_0_test"
DELTA = "using delta tblproperties (delta.enableChangeDataFeed = true"
LIVES = {
    "plain": (
        f"create table {TABLE} (k int, v string) {DELTA})",
        f"insert into {TABLE} values (1, 'a'), (1, 'a'), (null, null)",
    ),
    "empty": (f"create table {TABLE} (k int, v string) {DELTA})",),
    "partitioned": (
        f"create table {TABLE} (k int, v string, d date) {DELTA}) partitioned by (k, d)",
        f"insert into {TABLE} values (1, 'a', null), (null, 'b', '2024-01-01'), (2, null, null)",
    ),
    "vectors": (
        f"create table {TABLE} (k int, v string) {DELTA}, delta.enableDeletionVectors = true)",
        f"insert into {TABLE} select id, 'c' from range(100)",
        f"delete from {TABLE} where k between 20 and 30",
        f"update {TABLE} set v = 'd' where k = 50",
    ),
    "mapped": (
        f"create table {TABLE} (k int, v string, old struct<a: int, b: string>) {DELTA}, "
        "delta.columnMapping.mode = 'name')",
        f"insert into {TABLE} values (1, 'a', named_struct('a', 1, 'b', 'x'))",
        f"alter table {TABLE} rename column v to k2",
        f"alter table {TABLE} rename column old.a to c",
        f"alter table {TABLE} drop column k",
        f"alter table {TABLE} add columns (k timestamp)",
        f"insert into {TABLE} values ('b', named_struct('a', 2, 'b', 'y'), timestamp'2024-01-01')",
    ),
    "clustered": (
        f"create table {TABLE} (k int, v string comment 'said') {DELTA}) cluster by (k)",
        f"insert into {TABLE} select id, 'c' from range(100)",
    ),
    "types": (
        f"create table {TABLE} {DELTA}) as select 1.50bd as n, cast('nan' as double) as f, -0.0d "
        "as z, timestamp_ntz'2024-03-31 02:30:00' as t, timestamp'1900-01-01 00:00:00' as u, "
        "array(1, null) as l, map('a', 1) as m, X'01' as b",
    ),
    "tracked": (
        f"create table {TABLE} (k int, v string) {DELTA}, delta.enableRowTracking = true)",
        f"insert into {TABLE} values (1, 'a')",
        f"update {TABLE} set v = 'b'",
    ),
    "many files": (
        f"create table {TABLE} (k int) {DELTA})",
        f"insert into {TABLE} select /*+ repartition(30) */ id from range(600)",
    ),
    "checked": (
        f"create table {TABLE} (k int not null, v string) {DELTA})",
        f"alter table {TABLE} add constraint few check (k < 1000)",
        f"insert into {TABLE} values (1, 'a')",
    ),
}
NOT_PINNED = {
    "chars": (
        f"create table {TABLE} (k int, v char(5)) {DELTA})",
        f"insert into {TABLE} values (1, 'a')",
    ),
    "defaults": (
        f"create table {TABLE} (k int, v string default 'x') {DELTA}, "
        "delta.feature.allowColumnDefaults = 'supported')",
        f"insert into {TABLE} (k) values (1)",
    ),
    "widened": (
        f"create table {TABLE} (k int) {DELTA}, delta.enableTypeWidening = true)",
        f"insert into {TABLE} values (1)",
        f"alter table {TABLE} alter column k type bigint",
    ),
    "too many files": (
        f"create table {TABLE} (k int) {DELTA})",
        f"insert into {TABLE} select /*+ repartition(60) */ id from range(600)",
    ),
    "no checksum": (
        f"create table {TABLE} (k int) {DELTA})",
        "set spark.databricks.delta.allFilesInCrc.enabled = false",
        f"insert into {TABLE} values (1)",
    ),
    "a view": (f"create view {TABLE} as select 1 as k",),
    "parquet": (f"create table {TABLE} using parquet as select 1 as k",),
    "gone": (),
}


@pytest.fixture(autouse=True)
def no_table(handle: SessionHandle) -> Iterator[None]:
    yield
    handle.execute(f"drop view if exists {VIEW}")
    kind = (
        "view"
        if handle.session.catalog.tableExists("default.pinned") and _is_view(handle)
        else "table"
    )
    handle.execute(f"drop {kind} if exists {TABLE}")


def _is_view(handle: SessionHandle) -> bool:
    return handle.session.catalog.getTable("default.pinned").tableType == "VIEW"


def _lived(handle: SessionHandle, life: tuple[str, ...]) -> int:
    """The newest version of the table after these statements."""
    for statement in life:
        handle.execute(statement)
    return int(asked(handle)(f"describe history {TABLE} limit 1")[0]["version"])


def _rows(handle: SessionHandle, relation: str) -> Counter[str]:
    return Counter(str(row) for row in asked(handle)(f"select * from {relation}"))


@pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)
def test_rows_are_those_of_the_version(handle: SessionHandle, life: tuple[str, ...]) -> None:
    version = _lived(handle, life)
    assert handle.pin_scan(VIEW, TABLE, version)
    wanted = _rows(handle, f"{TABLE} version as of {version}")
    assert _rows(handle, VIEW) == wanted
    names = [c.name for c in handle.session.table(TABLE).schema]
    assert [c.name for c in handle.session.table(VIEW).schema] == names
    assert handle.session.table(VIEW).dtypes == handle.session.table(TABLE).dtypes
    handle.execute(f"create or replace table {TABLE} using delta as select 1 as other")
    assert _rows(handle, VIEW) == wanted, "later commits do not show"
    assert not handle.pin_scan("later", TABLE, version)


@pytest.mark.parametrize("life", NOT_PINNED.values(), ids=NOT_PINNED)
def test_a_table_whose_files_do_not_say_all_is_not_pinned(
    handle: SessionHandle, life: tuple[str, ...]
) -> None:
    for statement in life:
        handle.execute(statement)
    for version in range(len(life) + 1):
        assert not handle.pin_scan(VIEW, TABLE, version)


def test_of_many_large_files_delta_chooses(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = _lived(handle, LIVES["many files"])
    monkeypatch.setattr(pinned_scan, "MOST_BYTES", 10_000)
    assert not handle.pin_scan(VIEW, TABLE, version)
    handle.execute(f"create or replace table {TABLE} using delta as select 1 as k")
    assert handle.pin_scan(VIEW, TABLE, version + 1), "it is small now"


def test_rows_of_chosen_partitions(handle: SessionHandle) -> None:
    version = _lived(handle, LIVES["partitioned"])
    assert handle.pin_scan(VIEW, TABLE, version)
    for condition in ("k = 1", "k is null", "d = '2024-01-01'", "k > 1 or d is not null"):
        wanted = _rows(handle, f"{TABLE} where {condition}")
        assert wanted
        assert _rows(handle, f"{VIEW} where {condition}") == wanted


def test_a_join_of_pinned_scans_is_planned_without_a_job(handle: SessionHandle) -> None:
    version = _lived(handle, LIVES["vectors"])
    join = "select count(*) as n from {t} a join {t} b on a.k = b.k where a.k > 3 and b.v = 'c'"
    assert handle.pin_scan(VIEW, TABLE, version)
    with watch() as named:
        wanted = asked(handle)(join.format(t=f"{TABLE} version as of {version}"))
    with watch() as pinned:
        assert asked(handle)(join.format(t=VIEW)) == wanted
    assert pinned.jobs <= named.jobs - 2


def test_a_statement_writes_what_it_reads_from_a_pinned_scan(handle: SessionHandle) -> None:
    version = _lived(handle, LIVES["vectors"])
    rows = asked(handle)(f"select * from {TABLE}")
    assert handle.pin_scan(VIEW, TABLE, version)
    handle.execute(f"insert overwrite {TABLE} select * from {VIEW} where v = 'c'")
    assert len(asked(handle)(f"select * from {TABLE}")) == len(rows) - 1
    handle.execute(
        f"merge into {TABLE} t using (select k, 'e' as v from {VIEW}) s on t.k = s.k "
        "when matched then update set v = s.v when not matched then insert *"
    )
    assert Counter(r["v"] for r in asked(handle)(f"select * from {TABLE}")) == {"e": len(rows)}
