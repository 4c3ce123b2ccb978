"""The log and the catalog describe a relation as DESCRIBE TABLE EXTENDED does."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from pyspark.errors import AnalysisException

from dbt.adapters.ivm_spark.algebra.catalog import RelationKind
from dbt.adapters.ivm_spark.session import handle as session_handle
from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from dbt.adapters.ivm_spark.source.reader import SourceReader
from tests.functional.session.test_history import asked, known

pytestmark = pytest.mark.usefixtures("embedded")
PLAIN = (
    "a bigint, b int, c smallint, d tinyint, e string comment 'a, b=c', f boolean, g binary, "
    "h date, i timestamp, j timestamp_ntz, k float, l double, m decimal(12, 2), `n.o` int"
)
TABLES = {
    "plain": f"({PLAIN}) using delta",
    "upper": "(A int, Type string) USING DELTA",
    "fed": "(a int) using delta tblproperties (delta.enableChangeDataFeed = true, x = 'y, z = 1')",
    "partitioned": "(a int, provider string, b int) using delta partitioned by (provider, a)",
    "clustered": "(a int, b string) using delta cluster by (a)",
    "mapped": "(`a b` int) using delta tblproperties (delta.columnMapping.mode = 'name')",
    "empty": "using delta as select 1 as a where false",
}
SPELLED = {
    "nested": "(a int, b struct<c: array<int>, d: map<string, int>>) using delta",
    "short_texts": "(a varchar(3), b char(2)) using delta",
    "spans": "using delta as select 1 as a, array(1) as b",
    "parquet": "(a int) using parquet",
}


TABLE = "`default`.`told`"


@pytest.fixture
def table(handle: SessionHandle, request: pytest.FixtureRequest) -> Iterator[str]:
    """A table that is created so."""
    handle.execute(f"create table {TABLE} {request.param}")
    yield TABLE
    handle.execute(f"drop table {TABLE}")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES, indirect=True)
def test_the_log_describes_a_table_as_spark_does(handle: SessionHandle, table: str) -> None:
    by_statement, by_log = SourceReader(asked(handle)), SourceReader(known(handle))
    told = by_statement.relation(table)
    assert told.kind is RelationKind.DELTA
    assert by_log.relation(table) == told
    handle.execute(f"alter table {table} add columns (later decimal(38, 0))")
    handle.execute(f"alter table {table} set tblproperties (delta.enableChangeDataFeed = true)")
    handle.execute(f"alter table {table} set tblproperties (delta.columnMapping.mode = 'name')")
    told = by_statement.relation(table)
    assert (told.feed, told.mapped, told.columns[-1]) == (True, True, ("later", "decimal(38,0)"))
    assert by_log.relation(table) == told


@pytest.mark.parametrize("table", SPELLED.values(), ids=SPELLED, indirect=True)
def test_a_table_that_is_not_plain_is_described_by_spark(handle: SessionHandle, table: str) -> None:
    assert handle.known(f"describe table extended {table}") is None
    assert SourceReader(asked(handle)).relation(table).columns


@pytest.mark.parametrize("table", [TABLES["empty"]], indirect=True)
def test_spark_answers_every_other_describe(handle: SessionHandle, table: str) -> None:
    assert handle.known("describe table extended `default`.`gone`") is None
    assert handle.known("describe table extended `told`") is None
    assert handle.known(f"describe table extended {table} as json") is None
    assert handle.known(f"describe table {table}") is None


VIEW = "`default`.`seen`"
VIEWS = {
    "star": "as select * from default.told",
    "named": "(`a b`, c comment 'it''s') as select k, count(*) as n from default.told group by k",
    "described": "comment 'x -> y' tblproperties ('view.mine' = 'a -> b', 'k' = '}') as select 1 a",
    "columns": "(a) as select k as `b -> c` from (select 1 as k)",
    "duplicates": "(a, b) as select k, k from default.told",
}


@pytest.fixture
def view(handle: SessionHandle, request: pytest.FixtureRequest) -> Iterator[str]:
    handle.execute("create table default.told (k int, v string) using delta")
    handle.execute("set spark.sql.ansi.enabled=false")
    handle.execute(f"create view {VIEW} {request.param}")
    handle.execute("reset spark.sql.ansi.enabled")
    yield VIEW
    handle.execute(f"drop view {VIEW}")
    handle.execute("drop table default.told")


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS, indirect=True)
def test_a_view_has_its_columns_text_and_settings(handle: SessionHandle, view: str) -> None:
    told = SourceReader(asked(handle)).relation(view)
    assert told.kind is RelationKind.VIEW
    assert dict(told.settings)["spark.sql.ansi.enabled"] == "false"
    assert SourceReader(known(handle)).relation(view) == told
    handle.execute(f"alter view {view} as select 2 as `other`")
    told = SourceReader(asked(handle)).relation(view)
    assert told.text == "select 2 as `other`"
    assert SourceReader(known(handle)).relation(view) == told


@pytest.mark.parametrize("comment", ["", '/* {"app": "dbt",\n"select": 1} */ '])
def test_a_replaced_relation_is_described_again(handle: SessionHandle, comment: str) -> None:
    reader = SourceReader(known(handle))
    handle.execute(f"{comment}create view {VIEW} as select 1 as a")
    assert reader.relation(VIEW).kind is RelationKind.VIEW
    handle.execute(f"{comment}drop view {VIEW}")
    handle.execute(f"{comment}create table {VIEW} (b int) using delta")
    assert reader.relation(VIEW).kind is RelationKind.DELTA
    handle.execute(f"{comment}drop table {VIEW}")


def test_the_catalog_is_asked_again_only_after_what_may_change_it(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = list[str]()
    monkeypatch.setattr(session_handle, "forget_tables", lambda _: forgotten.append(""))
    for sql in ("set x.y = 1", "/* set */ SELECT 1", "show tables", "describe table default.told"):
        with suppress(AnalysisException):
            handle.execute(sql)
    assert not forgotten
    may_change = (
        "drop table if exists default.none",
        "/* select */ drop view if exists default.none",
        "/* app */ create or replace temporary view none as /* now */ select 1 as a",
    )
    for sql in may_change:
        handle.execute(sql)
    assert len(forgotten) == len(may_change)


def test_the_catalog_is_asked_again_after_a_statement_that_failed(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = list[str]()
    monkeypatch.setattr(session_handle, "forget_tables", lambda _: forgotten.append(""))
    with pytest.raises(AnalysisException):
        handle.execute("drop table default.none")
    assert len(forgotten) == 1


@pytest.mark.parametrize(
    "view", ["as select array(k) as a from default.told"], indirect=True, ids=["nested"]
)
def test_a_view_of_other_types_is_described_by_spark(handle: SessionHandle, view: str) -> None:
    assert handle.known(f"describe table extended {view}") is None
    assert SourceReader(asked(handle)).relation(view).columns == (("a", "array<int>"),)


@pytest.mark.parametrize(
    "view", ["with schema evolution as select * from default.told"], indirect=True, ids=["evolves"]
)
def test_an_evolving_view_is_described_by_spark(handle: SessionHandle, view: str) -> None:
    assert handle.known(f"describe table extended {view} as json") is None
    assert SourceReader(asked(handle)).relation(view).text_columns == ("k", "v")


def test_a_temporary_view_is_described_by_spark(handle: SessionHandle) -> None:
    handle.execute("create temporary view seen as select 1 as a")
    assert handle.known("describe table extended `seen`") is None


def test_settings_equal_those_that_spark_reports(handle: SessionHandle) -> None:
    def known_settings() -> dict[str, str]:
        rows = handle.known("set")
        assert rows is not None
        return {row["key"]: row["value"] for row in rows}

    for statement in ("set x.y=1", "set spark.sql.shuffle.partitions=7", "set x.y= a -> b"):
        handle.execute(statement)
        assert known_settings() == SourceReader(asked(handle)).settings()
        with watch() as work:
            known_settings()
        assert work.statements == [], "nothing was set since"
