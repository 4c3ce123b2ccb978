"""A pinned scan has the rows of its version, whatever the table is, and its plan takes no job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys
from dbt.adapters.ivm_spark.session import pinned_scan, table_files
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
    "more files than a checksum lists": (
        f"create table {TABLE} (k int, v string) {DELTA}, delta.enableDeletionVectors = true)",
        f"insert into {TABLE} select /*+ repartition_by_range(60, id) */ id, 'a' from range(600)",
        f"delete from {TABLE} where k between 15 and 30",
    ),
    "no file of the checksum": (
        f"create table {TABLE} (k int) {DELTA})",
        "set spark.databricks.delta.writeChecksumFile.enabled = false",
        f"insert into {TABLE} values (1)",
    ),
    "a checksum without files": (
        "set spark.databricks.delta.allFilesInCrc.enabled = false",
        f"create table {TABLE} (k int) {DELTA})",
        f"insert into {TABLE} values (1), (null)",
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


@pytest.fixture
def not_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table of more than a few files counts as large."""
    monkeypatch.setattr(pinned_scan, "FEW_BYTES", 0)


@pytest.mark.usefixtures("not_small")
def test_of_many_large_files_delta_chooses(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "id as k, id % 7 as mixed, timestamp_seconds(id) as t, struct(id) as s from range(600)"
    version = _lived(
        handle,
        (
            f"create table {TABLE} (k bigint, mixed bigint, t timestamp, s struct<of: bigint>) "
            f"{DELTA})",
            f"insert into {TABLE} select /*+ repartition_by_range(30, k) */ {rows}",
        ),
    )
    assert not handle.pin_scan(VIEW, TABLE, version), "what conditions restrict is not known"
    for column in ("k", "t", "s"):
        assert not handle.pin_scan(VIEW, TABLE, version, None, {column, "mixed"})
    assert handle.pin_scan(VIEW, TABLE, version, None, {"mixed"}), "it would leave out none"
    monkeypatch.setattr(pinned_scan, "MANY_FILES", 29)
    assert not handle.pin_scan(VIEW, TABLE, version, None, {"mixed"})
    assert handle.pin_scan(VIEW, TABLE, version, None, set()), "nothing to choose files by"
    handle.execute(f"create or replace table {TABLE} using delta as select 1 as k")
    assert handle.pin_scan(VIEW, TABLE, version + 1), "it is small now"


def test_files_are_asked_for_once_a_version(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = _lived(handle, LIVES["more files than a checksum lists"])
    assert handle.pin_scan(VIEW, TABLE, version)
    with watch() as again:
        assert handle.pin_scan(VIEW, TABLE, version)
        assert handle.pin_scan("ivm_scan_1_test", TABLE, version, None, {"k"})
    assert again.jobs == 0
    handle.execute(f"insert into {TABLE} values (-1, 'b')")
    assert not handle.pin_scan(VIEW, TABLE, version)
    assert handle.pin_scan(VIEW, TABLE, version + 1)
    assert _rows(handle, VIEW) == _rows(handle, TABLE)
    handle.execute(f"drop table {TABLE}")
    assert _lived(handle, LIVES["more files than a checksum lists"]) == version
    assert handle.pin_scan(VIEW, TABLE, version), "another table at this version"
    assert _rows(handle, VIEW) == _rows(handle, TABLE)
    monkeypatch.setattr(table_files, "MOST_KNOWN", 59)
    handle.execute(f"insert into {TABLE} values (-1, 'b')")
    assert not handle.pin_scan(VIEW, TABLE, version + 1), "they are too many to be kept"


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


RANGED = f"insert into {TABLE} select /*+ repartition_by_range(10, k) */ "
SPREAD = {
    "numbers": (
        f"create table {TABLE} (k bigint, v string) {DELTA})",
        f"{RANGED} id as k, 'a' from range(200)",
        f"insert into {TABLE} values (null, 'b'), (45, 'c'), (1000000, 'd')",
    ),
    "other numbers": (
        f"create table {TABLE} (v string, k smallint) {DELTA})",
        f"{RANGED} 'a', id as k from range(200)",
    ),
    "vectors": (
        f"create table {TABLE} (k int, v string) {DELTA}, delta.enableDeletionVectors = true)",
        f"{RANGED} id as k, 'a' from range(200)",
        f"delete from {TABLE} where k between 41 and 43",
        f"update {TABLE} set v = 'd' where k = 150",
    ),
    "only nulls": (
        f"create table {TABLE} (k int, v string) {DELTA})",
        f"{RANGED} id as k, 'a' from range(200)",
        f"insert into {TABLE} select null, 'n' from range(5)",
    ),
    "more files than a checksum lists": (
        f"create table {TABLE} (k int, v string) {DELTA}, delta.enableDeletionVectors = true)",
        f"insert into {TABLE} select /*+ repartition_by_range(70, k) */ id as k, 'a' "
        "from range(210)",
        f"delete from {TABLE} where k between 41 and 43",
    ),
    "dates": (
        f"create table {TABLE} (k date, v string) {DELTA})",
        f"{RANGED} date_add(date'1970-01-01', int(id)) as k, 'a' from range(200)",
    ),
}
KEYS = FileKeys("k", False, (40, 150), (45, 150), "int")
DAYS = FileKeys("k", True, (719203, 719313), (719208, 719313), "date")
"""The days of the same numbers since 1970, or none."""


def _kept(handle: SessionHandle, life: str) -> str:
    """The condition of the keys in a life's table."""
    days = "datediff(k, date'1970-01-01')" if life == "dates" else "k"
    return f"{days} between 40 and 45 or {days} = 150 or (k is null and {life == 'dates'})"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table counts as one of many large files."""
    monkeypatch.setattr(pinned_scan, "_are_few", lambda _: False)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("life", SPREAD)
def test_a_scan_of_keys_has_all_their_rows(handle: SessionHandle, life: str) -> None:
    version = _lived(handle, SPREAD[life])
    assert handle.pin_scan(VIEW, TABLE, version, DAYS if life == "dates" else KEYS)
    condition = _kept(handle, life)
    wanted = _rows(handle, f"{TABLE} where {condition}")
    assert wanted
    with watch() as pinned:
        assert _rows(handle, f"{VIEW} where {condition}") == wanted
    assert pinned.jobs == 1
    assert 0 < _rows(handle, VIEW).total() < 100, "of other files, there are no rows"


@pytest.mark.usefixtures("large")
def test_a_scan_of_nulls_has_the_files_with_some(handle: SessionHandle) -> None:
    version = _lived(handle, SPREAD["only nulls"])
    assert handle.pin_scan(VIEW, TABLE, version, FileKeys("k", True, (), (), "int"))
    # A file of nothing but NULLs has neither a least nor a greatest key.
    assert _rows(handle, VIEW) == _rows(handle, f"{TABLE} where k is null")


@pytest.mark.usefixtures("large")
def test_keys_of_no_file_leave_no_row(handle: SessionHandle) -> None:
    version = _lived(handle, SPREAD["other numbers"])
    keys = FileKeys("k", False, (2_000_000,), (3_000_000,), "int")
    assert handle.pin_scan(VIEW, TABLE, version, keys)
    assert not _rows(handle, VIEW)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("life", LIVES)
def test_a_scan_of_keys_lacks_none_of_them(handle: SessionHandle, life: str) -> None:
    """Whatever the table is: without a column of this name and type, all files stay."""
    version = _lived(handle, LIVES[life])
    if handle.pin_scan(VIEW, TABLE, version, FileKeys("k", False, (1, 24), (1, 60), "int")):
        has_keys = "k" in handle.session.table(TABLE).columns
        of_keys = "k = 1 or k between 24 and 60" if has_keys else "true"
        assert _rows(handle, f"{VIEW} where {of_keys}") == _rows(handle, f"{TABLE} where {of_keys}")


@pytest.mark.usefixtures("large")
def test_columns_that_have_changed_names_are_not_looked_up(handle: SessionHandle) -> None:
    """The statistics of `k` are under the name that it had at first."""
    version = _lived(
        handle,
        (
            f"create table {TABLE} (k int, other int) {DELTA})",
            f"insert into {TABLE} values (1, 100)",
            f"alter table {TABLE} set tblproperties (delta.columnMapping.mode = 'name')",
            f"alter table {TABLE} rename column k to old",
            f"alter table {TABLE} rename column other to k",
        ),
    )
    assert not handle.pin_scan(VIEW, TABLE, version, FileKeys("k", False, (100,), (100,), "int"))


@pytest.mark.usefixtures("large", "not_small")
def test_keys_in_many_large_files_are_left_to_delta(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = _lived(handle, SPREAD["other numbers"])
    keys = replace(KEYS, type_name="smallint")
    monkeypatch.setattr(pinned_scan, "FEW_FILES", 1)
    assert not handle.pin_scan(VIEW, TABLE, version, keys)
    assert handle.pin_scan(VIEW, TABLE, version, keys, {"v"})
    monkeypatch.setattr(pinned_scan, "MANY_FILES", 1)
    assert not handle.pin_scan(VIEW, TABLE, version, keys, {"v"})


def test_a_table_of_few_files_is_read_whole(handle: SessionHandle) -> None:
    version = _lived(handle, SPREAD["vectors"])
    assert handle.pin_scan(VIEW, TABLE, version)
    assert not handle.pin_scan(VIEW, TABLE, version, KEYS)


@pytest.mark.usefixtures("large")
def test_without_skipping_no_file_is_left_out(handle: SessionHandle) -> None:
    version = _lived(handle, SPREAD["numbers"])
    handle.execute("set spark.databricks.delta.stats.skipping = false")
    assert not handle.pin_scan(VIEW, TABLE, version, KEYS)
