"""A table's id and row count and a query's plans, read without a statement, equal Spark's own."""

from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.analysis.repeatability import plan_reads_only_sources
from dbt.adapters.ivm_spark.plan.spark_plans import whole_plans
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan
from tests.functional.session.test_history import asked, known

pytestmark = pytest.mark.usefixtures("embedded")
TABLE = "`default`.`counted`"
VECTORS = "tblproperties (delta.enableDeletionVectors = true)"


@pytest.fixture
def table(handle: SessionHandle) -> Iterator[str]:
    handle.execute(f"create table {TABLE} (k int, v string) using delta {VECTORS}")
    yield TABLE
    handle.execute(f"drop table {TABLE}")


def counted(handle: SessionHandle, version: int) -> tuple[str, int | None]:
    """The statement that counts, and what is known of it."""
    sql = f"select (select count(*) from {TABLE} version as of {version}) as c0"
    rows = handle.known(sql)
    return sql, None if rows is None else rows[0]["c0"]


def test_rows_are_counted_over_a_tables_life(handle: SessionHandle, table: str) -> None:
    life = (
        f"insert into {table} values (1, 'a'), (2, 'b'), (3, null)",
        f"insert into {table} select id, 'c' from range(1000)",
        f"delete from {table} where k = 2",
        f"update {table} set v = 'd' where k = 500",
        f"optimize {table}",
        f"alter table {table} add columns (later int)",
        f"create or replace table {table} using delta as select 1 as k where false",
    )
    reader, found = SourceReader(asked(handle)), list[int | None]()
    for statement in life:
        handle.execute(statement)
        version = reader.commits(table, None)[0].version
        sql, rows = counted(handle, version)
        found.append(rows)
        assert rows in (None, asked(handle)(sql)[0]["c0"]), statement
    assert None not in found[:4], "the checksum lists the files"


def test_two_tables_are_counted_at_once(handle: SessionHandle, table: str) -> None:
    handle.execute(f"insert into {table} values (1, 'a')")
    one = f"(select count(*) from {table} version as of 1)"
    assert handle.known(f"select {one} as c0, {one} as c1") == [{"c0": 1, "c1": 1}]


def test_an_incomplete_checksum_is_counted_by_spark(handle: SessionHandle, table: str) -> None:
    handle.execute(f"insert into {table} values (1, 'a')")
    assert counted(handle, 0)[1] is None, "the version is not the newest"
    handle.execute(f"insert into {table} select /*+ repartition(60) */ id, 'a' from range(600)")
    assert counted(handle, 2)[1] is None, "there are too many files"
    assert handle.known(f"select count(*) from {table} version as of 2") is None
    assert (
        handle.known("select (select count(*) from `default`.`gone` version as of 1) as c0") is None
    )


def test_the_id_equals_the_one_that_spark_reports(handle: SessionHandle, table: str) -> None:
    detail = asked(handle)(f"describe detail {table}")[0]
    assert SourceReader(known(handle)).table_id(table) == detail["id"]
    assert SourceReader(asked(handle)).table_id(table) == detail["id"]
    assert handle.known(f"describe detail {table}") is None


@pytest.mark.parametrize(
    "query",
    [
        "select k, sum(length(v)) as n from {t} where k > 1 group by k having count(*) > 1",
        "select a.k, row_number() over (partition by a.v order by b.k) from {t} a "
        "left join {t} b on a.k = b.k where a.k in (select k from {t} where v is not null)",
        "select current_date() as today, k from {t}",
    ],
)
def test_plans_equal_those_that_spark_explains(
    handle: SessionHandle, table: str, query: str
) -> None:
    handle.execute(f"insert into {table} values (1, 'a')")
    sql = f"explain extended\n{query.format(t=table)}"
    with whole_plans(asked(handle)):
        (row,) = handle.known(sql) or [{}]
        plan, stated = row["plan"], next(iter(asked(handle)(sql)[0].values()))
    assert normalized_plan(plan) is not None
    assert normalized_plan(plan) == normalized_plan(stated)
    assert plan_reads_only_sources(plan) == plan_reads_only_sources(stated)


@pytest.mark.parametrize(
    ("setting", "query"),
    [
        ("spark.sql.session.timeZone=America/Los_Angeles", "select timestamp'2024-01-01 00:00:00'"),
        ("spark.sql.timestampType=TIMESTAMP_NTZ", "select timestamp'2024-01-01 00:00:00'"),
        ("spark.sql.ansi.enabled=false", "select cast(v as int) / 0, k from {t}"),
        ("spark.sql.ansi.enabled=true", "select cast(v as int) / 0, k from {t}"),
        ("spark.sql.parser.escapedStringLiterals=true", "select '\\\\d' as d from {t}"),
        ("spark.sql.caseSensitive=true", "select K from {t}"),
    ],
)
def test_the_sessions_own_settings_hold(
    handle: SessionHandle, table: str, setting: str, query: str
) -> None:
    """Not those of the session that the thread used last."""
    key = setting.partition("=")[0]
    asked(handle)(f"set {setting}")
    try:
        for kind in ("explain extended", "describe query"):
            sql = f"{kind}\n{query.format(t=table)}"
            found = handle.known(sql)
            if "caseSensitive" in setting:
                assert found is None, "there is no such column"
            elif kind == "explain extended":
                stated = next(iter(asked(handle)(sql)[0].values()))
                assert found is not None
                assert normalized_plan(found[0]["plan"]) == normalized_plan(stated)
            elif found is not None:
                stated = asked(handle)(sql)
                assert [row["data_type"] for row in found] == [row["data_type"] for row in stated]
    finally:
        asked(handle)(f"reset {key}")


def test_columns_equal_those_that_spark_describes(handle: SessionHandle) -> None:
    types = (
        "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(7,2)", "string",
        "binary", "boolean", "date", "timestamp", "timestamp_ntz", "array<int>", "void", "char(3)",
        "struct<a:int,`b c`:string>", "interval day", "map<string,int>", "varchar(5)",
    )  # fmt: skip
    for kind in types:
        value = "null" if kind == "void" else f"cast(null as {kind})"
        sql = f"describe query\nselect {value} as `Some Name`, 1 as n"
        stated = asked(handle)(sql)
        found = handle.known(sql)
        if "<" in kind or " " in kind:
            assert found is None, kind
        assert found is None or found == [
            {key: row[key] for key in ("col_name", "data_type")} for row in stated
        ], kind
    assert handle.known("describe query\nselect 1 as n") == [{"col_name": "n", "data_type": "int"}]


def test_a_described_query_is_analyzed_once(handle: SessionHandle, table: str) -> None:
    """Its plan is then that of EXPLAIN with the settings and the tables of now."""
    query = f"select count(*) as n, 1 / 2 as half from {table} where k > 0"
    between = [
        "set spark.sql.optimizer.runtime.bloomFilter.enabled=false",
        "set spark.sql.ansi.enabled=false",
        "set spark.sql.ansi.enabled=true",
        f"alter table {table} add columns (added int)",
    ]
    try:
        for statement in between:
            assert handle.known(f"describe query\n{query}")
            asked(handle)(statement)
            found = handle.known(f"explain extended\n{query}")
            stated = next(iter(asked(handle)(f"explain extended\n{query}")[0].values()))
            assert found is not None
            assert normalized_plan(found[0]["plan"]) == normalized_plan(stated)
    finally:
        for key in ("optimizer.runtime.bloomFilter.enabled", "ansi.enabled"):
            asked(handle)(f"reset spark.sql.{key}")


def test_a_query_that_spark_rejects_has_no_plan(handle: SessionHandle) -> None:
    assert handle.known("explain extended\nselect nothing from `default`.`gone`") is None
    assert handle.known("explain extended\nselect from where") is None
    assert handle.known("describe query\nselect nothing from `default`.`gone`") is None


def test_a_plan_runs_no_job(handle: SessionHandle) -> None:
    handle.known(f"explain extended\ncreate table {TABLE} (k int) using delta")
    assert not handle.session.catalog.tableExists(TABLE)
