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
