from types import SimpleNamespace
from typing import Any

import pytest
from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.exceptions import FailedToConnectError
from dbt.adapters.spark.connections import SparkConnectionManager
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.ivm_spark.session import handle as handle_module
from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials
from dbt.adapters.ivm_spark.session.settings import PER_SESSION


class Cursor:
    def __init__(self) -> None:
        self.sent: list[str] = []

    def cursor(self) -> "Cursor":
        return self

    def execute(self, sql: str, bindings: Any = None) -> None:
        self.sent.append(sql)
        if "static" in sql:
            raise RuntimeError("[CANNOT_MODIFY_CONFIG] static")


def test_thrift_gets_every_setting_on_open(monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = Cursor()

    def open_thrift(cls: type, connection: Connection) -> Connection:
        connection.handle = cursor
        connection.state = ConnectionState.OPEN
        return connection

    monkeypatch.setattr(SparkConnectionManager, "open", classmethod(open_thrift))
    credentials = SimpleNamespace(
        method="thrift",
        server_side_parameters={"static": "1", "spark.x": "a;b`c"},
    )
    connection = Connection(type="ivm_spark", name="m", credentials=credentials)  # type: ignore[arg-type]
    IvmSparkConnectionManager.open(connection)
    own = [f"set `{key}`=`{value}`" for key, value in PER_SESSION.items()]
    assert cursor.sent == [*own, "set `static`=`1`", "set `spark.x`=`a;b``c`"]


def test_a_failed_start_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(parameters: dict[str, str], keep: float, archive: bool) -> None:
        raise DbtRuntimeError("No Java found")

    monkeypatch.setattr(handle_module, "SessionHandle", fail)
    connection = Connection(
        type="ivm_spark",  # type: ignore[arg-type]
        name="m",
        credentials=IvmSparkCredentials(schema="s"),
    )
    with pytest.raises(FailedToConnectError, match="No Java found"):
        IvmSparkConnectionManager.open(connection)
    assert connection.state == ConnectionState.FAIL


@pytest.mark.parametrize(
    ("raised", "expected", "message"),
    [
        (RuntimeError("java.lang.X: a\n\tat org.Y(Z)"), DbtDatabaseError, "java.lang.X: a"),
        (DbtDatabaseError("[A] b\n\tat org.Y(Z)"), DbtDatabaseError, "[A] b"),
        (DbtRuntimeError("as it is"), DbtRuntimeError, "as it is"),
    ],
)
def test_exception_handler(
    raised: Exception, expected: type[DbtRuntimeError], message: str
) -> None:
    manager = IvmSparkConnectionManager.__new__(IvmSparkConnectionManager)
    with pytest.raises(expected) as error, manager.exception_handler("select 1"):
        raise raised
    assert error.value.msg == message
