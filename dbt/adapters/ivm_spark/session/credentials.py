"""The profile of an `ivm_spark` target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.spark.connections import SparkCredentials
from dbt_common.dataclass_schema import StrEnum

ANSI = "spark.sql.ansi.enabled"
EMBEDDED_HOST = "local"
CONNECT_PORT = 15002


class ConnectionMethod(StrEnum):
    """A way to connect: dbt-spark's methods, and Spark Connect."""

    THRIFT = "thrift"
    HTTP = "http"
    ODBC = "odbc"
    SESSION = "session"
    CONNECT = "connect"


def _spark_text(value: object) -> str:
    """Return a setting as Spark writes it: YAML's `true` is Spark's "true"."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class IvmSparkCredentials(SparkCredentials):
    """dbt-spark's credentials, of which only `schema` is required.

    `method` defaults to `session` (Spark in dbt's own process), which needs no `host`.

    `connect` is Spark Connect. It takes `host` and `port` (15002), and `token`, `user` and
    `use_ssl` if the server asks for them. `host` may also be the whole connection string.
    """

    method: ConnectionMethod = ConnectionMethod.SESSION  # type: ignore[assignment]
    # A wider type than in dbt-spark: a profile may say `true` or `8` without quotes.
    server_side_parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def __pre_deserialize__(cls, data: Any) -> Any:
        data = super().__pre_deserialize__(data)
        if data.get("method") == ConnectionMethod.CONNECT:
            data.setdefault("port", CONNECT_PORT)
        return data

    @property
    def type(self) -> str:
        return "ivm_spark"

    @property
    def unique_field(self) -> str:
        return str(self.host)

    def __post_init__(self) -> None:
        """Fill in the embedded defaults.

        Raises:
            DbtRuntimeError: a field that the chosen method needs is missing, or `database` is
                not `schema`.
        """
        if self.method == ConnectionMethod.SESSION and self.host is None:
            self.host = EMBEDDED_HOST
        said = {str(key): _spark_text(value) for key, value in self.server_side_parameters.items()}
        super().__post_init__()
        # dbt-spark overwrites the user's ANSI mode with "false"; here that is only the default.
        self.server_side_parameters = {ANSI: "false", **said}

    def _connection_keys(self) -> tuple[str, ...]:
        if self.method == ConnectionMethod.SESSION:
            return ("method", "schema")
        return ("method", *super()._connection_keys())
