"""A dbt connection through Spark Connect, with the interface of a database cursor."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dbt_common.exceptions import DbtRuntimeError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ivm_spark.session.errors import error_message
from dbt.adapters.ivm_spark.session.handle import SessionHandle

if TYPE_CHECKING:
    from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials


class ConnectHandle(SessionHandle):
    """A connection to one session of a Spark Connect server; nothing of Spark runs here.

    Raises:
        DbtRuntimeError: a package is missing, or the server does not answer.
    """

    def __init__(self, url: str, parameters: Mapping[str, str]) -> None:
        super().__init__(parameters, _session(url))

    def _sent(self, sql: str) -> DataFrame:
        # RESET is sent too: only the server knows which settings it was started with.
        return self.session.sql(sql)

    def known(self, sql: str) -> None:
        """Return None: only the server has the table's log."""

    @staticmethod
    def _is_command(result: DataFrame) -> bool:
        """Return whether the server has run the result's statement.

        The server runs a command at once and answers with its rows. It answers a query with the
        query itself.
        """
        relation: Any = getattr(getattr(result, "_plan", None), "_plan", None)
        return relation is not None and relation.WhichOneof("rel_type") == "local_relation"

    def close(self) -> None:
        """Drop the temporary views and end the session."""
        super().close()
        with suppress(PySparkException, OSError):  # the server may have ended
            self.session.stop()

    def _temporary_views(self) -> list[str]:
        views = self.session.sql("show views").collect()
        return [row["viewName"] for row in views if row["isTemporary"]]


def connect_url(credentials: IvmSparkCredentials) -> str:
    """Return the connection string of a profile.

    Source: Spark's documentation, "Client connection string".
    """
    host = str(credentials.host)
    if host.startswith("sc://"):
        return host
    ssl = "true" if credentials.use_ssl else None
    said = {"use_ssl": ssl, "token": credentials.token, "user_id": credentials.user}
    options = [f"{key}={quote(str(value), safe='')}" for key, value in said.items() if value]
    return ";".join([f"sc://{host}:{credentials.port}/", *options])


def _session(url: str) -> SparkSession:
    try:
        from pyspark.sql.connect.session import SparkSession as RemoteSession

        session: Any = RemoteSession.builder.remote(url).create()
        session.version  # noqa: B018  # asks the server, so that a failure appears here
    except ImportError as error:
        raise DbtRuntimeError(
            "method connect needs packages that are not installed: pip install "
            f"'dbt-ivm-spark[connect]'. {error.msg}"
        ) from error
    except PySparkException as error:
        raise DbtRuntimeError(f"No Spark Connect server answers: {error_message(error)}") from error
    return session  # type: ignore[no-any-return]
