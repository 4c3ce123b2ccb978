"""Outside UTC, Delta compares the files of a version after a commit, if timestamps may differ."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.checksum import compared_if_needed
from dbt.adapters.ivm_spark.session.handle import SessionHandle

pytestmark = pytest.mark.usefixtures("embedded")
TABLE = "`default`.`committed`"
ZONE = "spark.sql.session.timeZone"
COMPARED = "spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled"
PLAIN = "1 as k, 'a' as v, 1.50bd as n, date'1850-01-01' as d, 1.5d as f, X'01' as b"
WITH_TIME = {
    "timestamp": "1 as k, timestamp'1850-01-01 00:00:00' as t",
    "without zone": "1 as k, timestamp_ntz'1850-01-01 00:00:00' as t",
    "nested": "1 as k, named_struct('t', timestamp'1850-01-01 00:00:00') as s",
}


@pytest.fixture
def handle() -> Iterator[SessionHandle]:
    handle = SessionHandle({})
    yield handle
    handle.execute(f"drop table if exists {TABLE}")
    handle.close()


def _jobs(handle: SessionHandle, zone: str, columns: str) -> tuple[int, int]:
    """The jobs of a commit, as Delta makes it and with no more than the needed comparison."""
    handle.session.conf.set(ZONE, zone)
    handle.execute(f"create or replace table {TABLE} using delta as select {columns}")
    fields = json.loads(handle.session.table(TABLE).schema.json())["fields"]
    insert = f"insert into {TABLE} select {columns}"
    handle.execute(insert)
    with watch() as usual:
        handle.execute(insert)
    with watch() as needed, compared_if_needed(handle.session, fields):
        handle.execute(insert)
    return usual.jobs, needed.jobs


def test_a_table_without_timestamps_is_not_compared(handle: SessionHandle) -> None:
    in_utc, the_same = _jobs(handle, "UTC", PLAIN)
    elsewhere, needed = _jobs(handle, "Europe/Berlin", PLAIN)
    assert in_utc == the_same == needed < elsewhere
    assert handle.session.conf.get(COMPARED) == "true"


@pytest.mark.parametrize("columns", WITH_TIME.values(), ids=WITH_TIME)
def test_a_table_with_timestamps_is_compared(handle: SessionHandle, columns: str) -> None:
    in_utc, _ = _jobs(handle, "UTC", columns)
    elsewhere, needed = _jobs(handle, "Europe/Berlin", columns)
    assert in_utc < elsewhere == needed


@pytest.mark.parametrize("chosen", ["true", "false"])
def test_what_the_user_has_set_stays(handle: SessionHandle, chosen: str) -> None:
    handle.session.conf.set(COMPARED, chosen)
    elsewhere, needed = _jobs(handle, "Europe/Berlin", PLAIN)
    assert elsewhere == needed
    assert handle.session.conf.get(COMPARED) == chosen
