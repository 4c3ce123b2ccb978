"""The profile of an `ivm_spark` target."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.spark.connections import SparkCredentials
from dbt_common.dataclass_schema import StrEnum
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.session.relation import OWN_CATALOG

ANSI = "spark.sql.ansi.enabled"
EMBEDDED_HOST = "local"
CONNECT_PORT = 15002
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")


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

    With `keep_spark: 30m`, the Spark of `session` is a process of its own. Later dbt processes use
    it too, and it ends 30 minutes after the last one. With `class_archive` (the default), the first
    run leaves an archive of Spark's classes, and later ones start faster.

    `connect` is Spark Connect. It takes `host` and `port` (15002), and `token`, `user` and
    `use_ssl` if the server asks for them. `host` may also be the whole connection string.
    """

    method: ConnectionMethod = ConnectionMethod.SESSION  # type: ignore[assignment]
    # A wider type than in dbt-spark: a profile may say `true` or `8` without quotes.
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    keep_spark: str | int | bool | None = None
    class_archive: bool = True

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
            DbtRuntimeError: a field that the chosen method needs is missing, or `keep_spark` is not
                a duration, or the method is another one.
        """
        if self.method == ConnectionMethod.SESSION and self.host is None:
            self.host = EMBEDDED_HOST
        said = {str(key): _spark_text(value) for key, value in self.server_side_parameters.items()}
        # dbt-spark takes a database only if it is named like the schema.
        catalog, self.database = self.database, None
        super().__post_init__()
        if catalog not in (None, "", self.schema, OWN_CATALOG):
            self.database = catalog
        # dbt-spark overwrites the user's ANSI mode with "false"; here that is only the default.
        self.server_side_parameters = {ANSI: "false", **said}
        if self.keep_seconds and self.method != ConnectionMethod.SESSION:
            raise DbtRuntimeError(
                f"keep_spark keeps dbt's own Spark, but `method: {self.method.value}` uses "
                "another one. Remove keep_spark, or use `method: session`."
            )

    @property
    def keep_seconds(self) -> float:
        """Return for how many seconds Spark stays after its last client; 0 if it ends with dbt.

        Raises DbtRuntimeError if `keep_spark` is not a duration.
        """
        said = str(self.keep_spark or "0").strip().lower()
        if said in ("0", "false", "off", "no"):
            return 0.0
        found = _DURATION.fullmatch(said)
        if found is None:
            raise DbtRuntimeError(
                f"keep_spark is {self.keep_spark!r}. Write a number with s, m, h or d, as in 30m "
                "or 2h; or false."
            )
        return float(found[1]) * _SECONDS[found[2]]

    def _connection_keys(self) -> tuple[str, ...]:
        # What dbt shows of a connection is also what `target` has in Jinja.
        catalog = ("database",) if self.database else ()
        if self.method == ConnectionMethod.SESSION:
            return ("method", *catalog, "schema")
        return ("method", *catalog, *super()._connection_keys())
