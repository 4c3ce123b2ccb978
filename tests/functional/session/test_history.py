"""The history that is read from a table's log equals that of DESCRIBE HISTORY."""

from collections.abc import Callable, Iterator

import pytest

from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from dbt.adapters.ivm_spark.session.history import MOST
from dbt.adapters.ivm_spark.source.reader import SourceReader
from tests.functional.conftest import TINY_TABLES

pytestmark = pytest.mark.usefixtures("embedded")
TABLE = "`default`.`lived`"
LIFE = (
    f"create table {TABLE} (a int, b string) using delta "
    "tblproperties (delta.enableChangeDataFeed = true)",
    f"insert into {TABLE} values (1, 'x'), (2, 'y')",
    f"update {TABLE} set b = '\"quoted\"' where b = 'x'",
    f"delete from {TABLE} where a = 2",
    f"merge into {TABLE} t using (select 1 as a, 'm' as b union all select 5, 'n') s on t.a = s.a "
    "when matched then update set b = s.b when not matched then insert *",
    f"alter table {TABLE} set tblproperties ('some.property' = 'it''s')",
    f"alter table {TABLE} add columns (c int comment 'later', d struct<e: int>)",
    f"alter table {TABLE} alter column c comment 'now'",
    f"alter table {TABLE} unset tblproperties ('some.property')",
    f"alter table {TABLE} set tblproperties ('delta.columnMapping.mode' = 'name')",
    f"alter table {TABLE} rename column b to `b.2`",
    f"alter table {TABLE} drop columns (c)",
    f"restore table {TABLE} to version as of 3",
    f"create or replace table {TABLE} using delta partitioned by (a) comment 'anew' as "
    "select 1 as a, 'p' as b",
    f"insert overwrite {TABLE} values (1, 'q')",
    'set spark.databricks.delta.commitInfo.userMetadata={"it\'s": "mine"}',
    f"insert into {TABLE} values (2, 'r')",
    "reset spark.databricks.delta.commitInfo.userMetadata",
)


def asked(handle: SessionHandle) -> Callable[[str], list[dict[str, object]]]:
    """Sends a statement."""

    def rows(sql: str) -> list[dict[str, object]]:
        handle.execute(sql)
        return [row.asDict() for row in handle.fetchall()]

    return rows


def known(handle: SessionHandle) -> Callable[[str], list[dict[str, object]]]:
    """Answers a statement that need not be sent, with no statement and no job."""

    def rows(sql: str) -> list[dict[str, object]]:
        with watch() as work:
            found = handle.known(sql)
        assert (work.statements, work.jobs) == ([], 0)
        assert found is not None
        return found

    return rows


def clean_up(handle: SessionHandle) -> None:
    """Make a checkpoint and delete the older part of the log, as Delta does in time."""
    spark, jvm = handle.session._jsparkSession, handle.session._jvm
    assert jvm is not None
    name = spark.sessionState().sqlParser().parseTableIdentifier(TABLE)
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark, name)
    log.checkpoint()
    files = log.logPath().getFileSystem(log.newDeltaHadoopConf())
    for version in range(10):
        for kind in ("json", "crc"):
            path = jvm.org.apache.hadoop.fs.Path(log.logPath(), f"{version:020}.{kind}")
            files.delete(path, False)


@pytest.fixture
def life(handle: SessionHandle) -> Iterator[SessionHandle]:
    for key, value in TINY_TABLES.items():
        handle.execute(f"set {key}={value}")
    for statement in LIFE:
        handle.execute(statement)
    yield handle
    handle.execute(f"drop table {TABLE}")


def test_the_log_tells_the_history_that_spark_does(life: SessionHandle) -> None:
    told = SourceReader(asked(life)).recent(TABLE, MOST)
    assert len(told) == len(LIFE) - 2
    assert told[0].metadata == '{"it\'s": "mine"}'
    assert SourceReader(known(life)).recent(TABLE, MOST) == told
    assert SourceReader(known(life)).recent(f"spark_catalog.{TABLE}", 3) == told[:3]

    newest, upto = told[0].version, told[2].version
    reader = SourceReader(known(life))
    assert reader.commits(TABLE, upto) == told[:3], "the older ones are not read"
    assert reader.commits(TABLE, newest) == reader.commits(TABLE, newest + 1) == told[:1]
    assert reader.commits(TABLE, 2) == told[: newest - 1], "more than the first look"
    assert SourceReader(asked(life)).commits(TABLE, upto)[:3] == told[:3]

    clean_up(life)
    told = SourceReader(asked(life)).recent(TABLE, MOST)
    assert len(told) == len(LIFE) - 2 - 10
    assert SourceReader(known(life)).recent(TABLE, MOST) == told


@pytest.mark.parametrize(
    "statement",
    [
        "describe history `default`.`it_is_not_there` limit 3",
        "describe history `it_has_no_schema` limit 3",
        "describe history `other`.`default`.`t` limit 3",
        "describe history delta.`/nowhere` limit 3",
        f"describe history `default`.`t` limit {MOST + 1}",
        "describe history `default`.`t`",
        "select 1 limit 3",
    ],
)
def test_spark_answers_every_other_statement(handle: SessionHandle, statement: str) -> None:
    assert handle.known(statement) is None


def test_in_commit_timestamps_are_read_by_spark(handle: SessionHandle) -> None:
    handle.execute(
        "create table default.timed (a int) using delta "
        "tblproperties (delta.enableInCommitTimestamps = true)"
    )
    assert handle.known("describe history default.timed limit 1") is None
    assert len(SourceReader(asked(handle)).recent("default.timed", 1)) == 1
    handle.execute("drop table default.timed")
