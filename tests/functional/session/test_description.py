"""What a table's log says of it is what DESCRIBE TABLE EXTENDED says."""

from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.view.catalog import RelationKind
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
def test_it_says_what_the_statement_says(handle: SessionHandle, table: str) -> None:
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
def test_what_is_not_plain_is_asked_for(handle: SessionHandle, table: str) -> None:
    assert handle.known(f"describe table extended {table}") is None
    assert SourceReader(asked(handle)).relation(table).columns


@pytest.mark.parametrize("table", [TABLES["empty"]], indirect=True)
def test_everything_else_is_sent(handle: SessionHandle, table: str) -> None:
    handle.execute("create view default.seen as select * from default.told")
    try:
        assert handle.known("describe table extended `default`.`seen`") is None
    finally:
        handle.execute("drop view default.seen")
    assert handle.known("describe table extended `default`.`gone`") is None
    assert handle.known("describe table extended `told`") is None
    assert handle.known(f"describe table extended {table} as json") is None
    assert handle.known(f"describe table {table}") is None
