import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark import Plugin
from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from dbt.adapters.ivm_spark.session.credentials import ANSI, IvmSparkCredentials


def credentials(**fields: object) -> IvmSparkCredentials:
    data: dict[str, object] = {"schema": "analytics", **fields}
    IvmSparkCredentials.validate(data)
    return IvmSparkCredentials.from_dict(data)


def test_a_schema_is_enough() -> None:
    made = credentials()
    assert (made.type, made.method, made.schema, made.host) == (
        "ivm_spark",
        "session",
        "analytics",
        "local",
    )
    assert made.server_side_parameters == {ANSI: "false"}
    assert dict(made.connection_info()) == {"method": "session", "schema": "analytics"}
    assert made.unique_field == "local"


@pytest.mark.parametrize(("said", "kept"), [(True, "true"), ("true", "true"), (False, "false")])
def test_the_users_ansi_mode_wins(said: object, kept: str) -> None:
    assert credentials(server_side_parameters={ANSI: said}).server_side_parameters[ANSI] == kept


def test_settings_are_text_for_spark() -> None:
    made = credentials(server_side_parameters={"spark.sql.shuffle.partitions": 8})
    assert made.server_side_parameters["spark.sql.shuffle.partitions"] == "8"


def test_thrift_needs_a_host() -> None:
    with pytest.raises(DbtRuntimeError, match="host"):
        credentials(method="thrift")


def test_the_adapter_its_connections_and_its_credentials_have_one_type() -> None:
    assert Plugin.adapter.type() == "ivm_spark"
    assert IvmSparkConnectionManager.TYPE == "ivm_spark"
    assert Plugin.credentials is IvmSparkCredentials
    assert Plugin.dependencies == ["spark"]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("30m", 1800), ("2h", 7200), ("1.5 h", 5400), ("45s", 45), ("1d", 86400), (None, 0)]
    + [(off, 0) for off in (False, 0, "false", "off")],
)
def test_keep_spark_is_a_duration(said: object, seconds: float) -> None:
    assert credentials(keep_spark=said).keep_seconds == seconds


@pytest.mark.parametrize("said", ["soon", "30", 30, "30 minutes", True, "-1m"])
def test_a_keep_spark_that_is_no_duration(said: object) -> None:
    with pytest.raises(DbtRuntimeError, match="as in 30m"):
        credentials(keep_spark=said)


def test_keep_spark_is_refused_with_thrift() -> None:
    with pytest.raises(DbtRuntimeError, match="method: thrift"):
        credentials(method="thrift", host="h", keep_spark="30m")


@pytest.mark.parametrize("said", [None, "", "analytics", "spark_catalog"])
def test_sparks_own_catalog_needs_no_name(said: str | None) -> None:
    assert credentials(database=said).database is None


def test_a_database_is_a_catalog() -> None:
    made = credentials(database="lake")
    assert made.database == "lake"
    assert dict(made.connection_info())["database"] == "lake", "and so has `target` in Jinja"
