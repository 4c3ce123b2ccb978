"""Statistics from footers are those that Delta computes, so that no reader skips other files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from dbt.adapters.ivm_spark.session import transaction
from dbt.adapters.ivm_spark.session.delta_log import known_files, newest_snapshot
from dbt.adapters.ivm_spark.session.file_stats import footer
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from dbt.adapters.ivm_spark.session.transaction import changed
from dbt.adapters.ivm_spark.state.rewrite import Before, Rebuild, Replacement
from tests.functional.session.test_history import asked

pytestmark = pytest.mark.usefixtures("embedded")
BY_FOOTERS, BY_DELTA = "`default`.`by_footers`", "`default`.`by_delta`"


@pytest.fixture(autouse=True)
def tables(handle: SessionHandle, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(transaction, "FOOTER_ROWS", 0)
    handle.execute("set spark.sql.session.timeZone = UTC")
    yield
    for table in (BY_FOOTERS, BY_DELTA):
        handle.execute(f"drop table if exists {table}")


def rebuilt(
    handle: SessionHandle, query: str, properties: str = "delta.enableChangeDataFeed = true"
) -> list[dict[str, Any]]:
    """Rebuild a table by a transaction; the statistics of its files in the order of their rows."""
    handle.execute(
        f"create table {BY_FOOTERS} using delta tblproperties ({properties}) as {query} limit 0"
    )
    version = int(asked(handle)(f"describe history {BY_FOOTERS} limit 1")[0]["version"])
    replacement = Replacement(Before(BY_FOOTERS, version, 0, "unused"), "id", 1, Rebuild(query))
    assert changed(handle.session, replacement) is not None
    return statistics(handle, BY_FOOTERS)


def written(
    handle: SessionHandle, query: str, properties: str = "delta.enableChangeDataFeed = true"
) -> list[dict[str, Any]]:
    """Write the same by a statement; the statistics that Delta computes."""
    handle.execute(f"create table {BY_DELTA} using delta tblproperties ({properties}) as {query}")
    return statistics(handle, BY_DELTA)


def statistics(handle: SessionHandle, table: str) -> list[dict[str, Any]]:
    files = known_files(newest_snapshot(handle.session, table)[1])
    assert files is not None
    said = (json.loads(files.apply(n).stats(), parse_float=Decimal) for n in range(files.size()))
    return sorted(said, key=str)


VALUES = {
    "integers": "select cast(id - 50 as byte) as b, cast(id - 500 as short) as s, "
    "cast(id * 1000 as int) as i, id - 9000000000000000000 as l from range(100)",
    "decimals": "select cast(id - 3 as decimal(9, 2)) / 7 as small, "
    "cast(id * 123456789.123456 as decimal(18, 6)) as middle, "
    "cast(id * 1e20 as decimal(38, 10)) as large, cast(-id as decimal(30, 0)) as whole "
    "from range(10)",
    "times": "select date_add(date'1582-10-01', cast(id * 30000 as int)) as d, "
    "timestamp'1900-01-01 00:00:00.123456' + make_dt_interval(cast(id * 3000 as int)) as t, "
    "timestamp_ntz'1969-12-31 23:59:59.999999' + make_dt_interval(cast(id as int)) as n "
    "from range(10)",
    "texts": "select concat('', id) as short, repeat('ab', 16) as just, "
    "repeat('x', cast(30 + id as int)) as longer, repeat(char(233), 40) as accents, "
    "concat(repeat('y', 40), unhex('F09F9880')) as symbols, '' as empty from range(10)",
    "highest text": "select repeat(decode(unhex('F48FBFBF'), 'utf-8'), 40) as t",
    "without bounds": "select id > 3 as b, cast('x' as binary) as x from range(10)",
    "nulls": "select if(id % 3 = 0, null, id) as some, cast(null as string) as none, "
    "cast(null as timestamp) as never, if(id = 5, date'2024-02-29', null) as one from range(10)",
    "floats": "select cast((id + 1) / 3 as float) as f, double(1) / (id + 3) as d from range(10)",
    "names": 'select id as `a.b`, id as `ü"`, id as Id2 from range(10)',
    "many columns": "select "
    + ", ".join(f"id + {n} as c{n}" for n in range(40))
    + " from range(10)",
    "several files": "select /*+ repartition(3) */ id, concat('t', id) as t from range(1000)",
}


@pytest.mark.parametrize("query", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("vectors", ["true", "false"])
def test_they_are_those_of_delta(handle: SessionHandle, query: str, vectors: str) -> None:
    properties = f"delta.enableDeletionVectors = {vectors}"
    found = rebuilt(handle, query, properties)
    wanted = written(handle, query, properties)
    assert found == wanted


def test_other_columns_have_those_of_delta(handle: SessionHandle) -> None:
    query = "select id, array(id) as l, named_struct('a', id) as s from range(10)"
    found = rebuilt(handle, query)
    assert found == written(handle, query)
    assert found[0]["maxValues"].keys() == {"id", "s"}


@pytest.mark.parametrize(
    "wanted",
    [
        "delta.dataSkippingNumIndexedCols = 1",
        "delta.columnMapping.mode = 'name', delta.enableChangeDataFeed = false",
    ],
)
def test_properties_say_otherwise(handle: SessionHandle, wanted: str) -> None:
    query = "select id, id + 1 as j from range(10)"
    found = rebuilt(handle, query, wanted)
    assert len(found[0]["maxValues"]) == len(written(handle, query, wanted)[0]["maxValues"])
    assert asked(handle)(f"select id from {BY_FOOTERS} where j = 4") == [{"id": 3}]


@contextmanager
def set_to(handle: SessionHandle, key: str, value: str) -> Iterator[None]:
    handle.execute(f"set {key} = {value}")
    try:
        yield
    finally:
        handle.execute(f"reset {key}")


def test_the_form_of_timestamps_is_as_set(handle: SessionHandle) -> None:
    form = "spark.sql.parquet.outputTimestampType"
    query = "select timestamp'2024-01-01 00:00:00' as t, id from range(10)"
    with set_to(handle, form, "INT96"):
        assert rebuilt(handle, query) == written(handle, query)
        assert handle.session.conf.get(form) == "INT96"
    assert "int96" in _forms(handle, BY_FOOTERS)


def test_dates_of_another_calendar_are_compared_by_delta(handle: SessionHandle) -> None:
    query = "select date_add(date'1000-01-01', cast(id as int)) as d, id from range(10)"
    mode = "spark.sql.parquet.datetimeRebaseModeInWrite"
    with set_to(handle, mode, "LEGACY"):
        assert rebuilt(handle, query) == written(handle, query)
    assert asked(handle)(f"select id from {BY_FOOTERS} where d = '1000-01-03'") == [{"id": 2}]


def test_settings_are_as_before(handle: SessionHandle) -> None:
    before = _settings(handle)
    rebuilt(handle, "select timestamp'2024-01-01 00:00:00' as t, id from range(10)")
    assert _settings(handle) == before
    assert "int96" not in _forms(handle, BY_FOOTERS)


def _settings(handle: SessionHandle) -> set[str]:
    """The session's settings, without those that Delta changes with each commit."""
    known = str(handle.session._jsparkSession.conf().getAll().mkString("\n")).split("\n")
    return {said for said in known if "lastCommitVersionInSession" not in said}


def _forms(handle: SessionHandle, table: str) -> str:
    """The columns of a table's first file, as its footer shows them."""
    log, snapshot = newest_snapshot(handle.session, table)
    files = known_files(snapshot)
    assert files is not None
    said = footer(handle.session._jvm, log, log.newDeltaHadoopConf(), files.apply(0))
    return str(said.getFileMetaData().getSchema().toString())


def test_a_footer_leaves_long_texts_out(handle: SessionHandle) -> None:
    (found,) = rebuilt(
        handle,
        "select /*+ coalesce(1) */ id, repeat('long ', cast(id as int) * 1000) as t from range(10)",
    )
    assert found["nullCount"] == found["minValues"] == {"id": 0}
    assert asked(handle)(f"select id from {BY_FOOTERS} where t = repeat('long ', 3000)") == [
        {"id": 3}
    ]


def test_numbers_that_a_footer_does_not_tell_are_left_out(handle: SessionHandle) -> None:
    query = (
        "select /*+ coalesce(1) */ if(id = 5, double('NaN'), id) as some, "
        "cast('NaN' as float) as none, cast(id as double) as up, -cast(id as double) as down, "
        "if(id = 3, double('-Infinity'), id) as endless from range(10)"
    )
    (found,) = rebuilt(handle, query)
    assert found["minValues"].keys() == {"down"}
    assert found["maxValues"].keys() == {"up", "endless"}
    asks = (
        "select min(some), max(some), min(none), min(up), max(up), min(down), max(down), "
        "min(endless), count(*) from {}",
        "select up from {} where some > 3 and up >= 0 and down <= 0",
        "select up from {} where some = double('NaN')",
    )
    for ask in asks:
        said = asked(handle)(ask.format(BY_FOOTERS))
        assert str(said) == str(asked(handle)(ask.format(f"({query})"))), ask


def test_a_file_without_rows_is_left_out(handle: SessionHandle) -> None:
    assert rebuilt(handle, "select id from range(10) where id > 20") == []
    assert asked(handle)(f"select count(*) as n from {BY_FOOTERS}") == [{"n": 0}]


def test_a_small_state_has_those_of_delta(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "FOOTER_ROWS", 1)
    rebuilt(handle, "select timestamp'2024-01-01 00:00:00' as t")
    assert "int96" in _forms(handle, BY_FOOTERS)
