import threading
import time
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture
from dbt_common.exceptions import DbtDatabaseError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.session.errors import error_message
from dbt.adapters.ivm_spark.session.handle import SessionHandle

FAILING_HOOK = """
{{ config(materialized='table', pre_hook="select raise_error('the hook ran')") }} select 1 as id
"""
FAILING_QUERY = """
{{ config(materialized='table') }}
select cast(raise_error('bad row ' || id) as string) as x from range(3)
"""
SEED = """id,text,amount
1,it's,12345678901234567
2,,
3,back\\slash,3
"""


class TestStatements:
    @pytest.fixture(scope="class")
    def models(self):
        return {"hook.sql": FAILING_HOOK, "query.sql": FAILING_QUERY}

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"odd.csv": SEED}

    def test_a_select_in_a_hook_runs(self, project):
        (result,) = run_dbt(["run", "--select", "hook"], expect_pass=False)
        assert "[USER_RAISED_EXCEPTION] the hook ran" in result.message

    def test_a_failing_job_is_one_clear_error(self, project):
        result, output = run_dbt_and_capture(["run", "--select", "query"], expect_pass=False)
        assert "[USER_RAISED_EXCEPTION] bad row " in result.results[0].message
        assert "Database Error" in output
        assert "at org.apache" not in result.results[0].message

    def test_a_failing_fetch_is_one_clear_error(self, project):
        with (
            project.adapter.connection_named("fetch"),
            pytest.raises(DbtDatabaseError, match="the fetch ran") as error,
        ):
            project.adapter.execute("select raise_error('the fetch ran')", fetch=True)
        assert "org.apache" not in str(error.value)

    def test_seeds_keep_nulls_quotes_and_big_numbers(self, project):
        run_dbt(["seed"])
        rows = project.run_sql(f"select * from {project.test_schema}.odd order by id", fetch="all")
        assert [tuple(row) for row in rows] == [
            (1, "it's", 12345678901234567),
            (2, None, None),
            (3, "back\\slash", 3),
        ]

    def test_tables_are_delta_unless_the_model_says_otherwise(self, project):
        run_dbt(["seed"])
        rows = project.run_sql(f"describe detail {project.test_schema}.odd", fetch="all")
        assert rows[0].format == "delta"
        assert rows[0].properties == {"delta.enableChangeDataFeed": "true"}


def test_draining_does_not_run_a_command_again(handle: SessionHandle) -> None:
    handle.execute("create or replace table default.once (id int) using delta")
    for _ in range(2):
        handle.cursor().execute("insert into default.once values (1);")
        handle.drain()
    assert handle.statements == 3
    handle.cursor().execute("select count(*) as rows from default.once")
    assert handle.fetchall()[0].rows == 2
    handle.execute("drop table default.once")


@pytest.mark.parametrize(
    "query", ["select 1 as a, 2 as a", "select null as n", "select interval 3 days as i"]
)
def test_any_query_can_be_drained(handle: SessionHandle, query: str) -> None:
    handle.execute(query)
    handle.drain()


def test_watch_counts_statements_and_jobs(handle: SessionHandle) -> None:
    with watch() as idle:
        handle.execute("show databases")
        handle.fetchall()
    assert (idle.statements, idle.jobs) == (["show databases"], 0)
    with watch() as busy:
        handle.execute("select sum(id) from range(10)")
        handle.fetchall()
    assert len(busy.statements) == 1
    assert busy.jobs >= 1


def test_cancel_stops_the_connections_own_job(
    handle: SessionHandle, spark_parameters: dict[str, str]
) -> None:
    errors: list[str] = []

    def run() -> None:
        try:
            handle.execute("select count_if(sha2(cast(id as string), 512) > 'z') from range(1e10)")
            handle.drain()
        except Exception as error:
            errors.append(error_message(error))

    jobs = handle.session.sparkContext.statusTracker()
    thread = threading.Thread(target=run)
    thread.start()
    deadline = time.monotonic() + 30
    while not jobs.getActiveJobsIds() and time.monotonic() < deadline:
        time.sleep(0.05)
    SessionHandle(spark_parameters).cancel()
    assert thread.is_alive()
    handle.cancel()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert len(errors) == 1
    assert "cancelled" in errors[0]


class TestExistingSession:
    @pytest.fixture(scope="class")
    def models(self):
        hook = "set spark.sql.session.timeZone=Asia/Tokyo"
        return {"m.sql": f"{{{{ config(pre_hook='{hook}') }}}} select 1 as id"}

    def test_the_root_session_is_never_changed(self, project):
        root = SparkSession.active()
        before = {row.key: row.value for row in root.sql("set").collect()}
        views = root.catalog.listTables()
        run_dbt(["run"])
        assert {row.key: row.value for row in root.sql("set").collect()} == before
        assert root.catalog.listTables() == views
        assert SparkSession.active() is root


@pytest.mark.parametrize(
    ("key", "value"),
    [("spark.sql.shuffle.partitions", "3"), ("spark.sql.ansi.enabled", "false"), ("spark.a", "b")],
)
def test_set_and_reset_do_what_spark_does(project, spark_parameters, key, value):
    handle, session = SessionHandle(spark_parameters), SessionHandle(spark_parameters).session

    def both(sql):
        handle.execute(sql)
        assert handle.fetchall() == []
        session.sql(sql)
        assert handle.session.conf.get(key, None) == session.conf.get(key, None)
        return handle.session.conf.get(key, None)

    first = both(f"reset {key}")
    assert both(f"set {key}={value}") == value
    assert both(f"reset {key}") == first


def test_set_is_refused_as_spark_refuses_it(project, spark_parameters):
    handle = SessionHandle(spark_parameters)
    for sql in ("set spark.sql.shuffle.partitions=many", "set spark.sql.extensions=x"):
        with pytest.raises(PySparkException) as ours:
            handle.execute(sql)
        with pytest.raises(PySparkException) as theirs:
            handle.session.sql(sql)
        assert error_message(ours.value) == error_message(theirs.value)


def test_a_long_jvm_answer_arrives_without_delay(embedded: None, handle: SessionHandle) -> None:
    jvm: Any = handle.session._jvm

    def seconds() -> float:
        begun = time.perf_counter()
        assert len(jvm.java.util.Collections.nCopies(20_000, "x").toString()) > 50_000
        return time.perf_counter() - begun

    assert min(seconds() for _ in range(5)) < 0.03, "an acknowledgement is waited for, 40 ms"
