"""dbt's connections to Spark: one session each, real execution, readable errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dbt.adapters.contracts.connection import AdapterResponse, Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt.adapters.spark.connections import PyhiveConnectionWrapper, SparkConnectionManager
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError

from dbt.adapters.ivm_spark.session.credentials import ConnectionMethod, IvmSparkCredentials
from dbt.adapters.ivm_spark.session.errors import best_message, chain, error_message
from dbt.adapters.ivm_spark.session.secrets import without_secret
from dbt.adapters.ivm_spark.session.settings import PER_SESSION

if TYPE_CHECKING:
    import agate

    from dbt.adapters.ivm_spark.session.handle import SessionHandle

logger = AdapterLogger("IvmSpark")


class IvmSparkConnectionManager(SparkConnectionManager):
    """dbt-spark's connection manager; under `session` each connection has a private session."""

    TYPE = "ivm_spark"

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        """Turn any error of Spark into one readable error.

        Raises:
            DbtDatabaseError: Spark or its transport failed; the JVM's stack is in the debug log.
        """
        try:
            yield
        except DbtDatabaseError as error:
            raise DbtDatabaseError(best_message(chain(error.msg))) from error
        except DbtRuntimeError:
            raise
        except Exception as error:
            logger.debug(f"Error while running:\n{sql}\n{error}")
            raise DbtDatabaseError(error_message(error)) from error

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Open a session, or dbt-spark's own connection with every setting SET on it.

        Raises:
            FailedToConnectError: the message says what to do.
        """
        if connection.state == ConnectionState.OPEN:
            return connection
        credentials = connection.credentials
        if credentials.method not in (ConnectionMethod.SESSION, ConnectionMethod.CONNECT):
            connection = super().open(connection)
            if type(connection.handle) is PyhiveConnectionWrapper:
                from dbt.adapters.ivm_spark.session.thrift_handle import ThriftHandle

                connection.handle = ThriftHandle(connection.handle)
            cls._send_settings(connection)
            return connection

        try:
            connection.handle = cls._session(credentials)
        except DbtRuntimeError as error:
            connection.state = ConnectionState.FAIL
            raise FailedToConnectError(error.msg) from error
        connection.state = ConnectionState.OPEN
        return connection

    @staticmethod
    def _session(credentials: IvmSparkCredentials) -> SessionHandle:
        """Return a session of the embedded Spark or of a Spark Connect server."""
        # Imported here so that no method needs the packages of another.
        if credentials.method == ConnectionMethod.CONNECT:
            from dbt.adapters.ivm_spark.session.connect_handle import ConnectHandle, connect_url

            return ConnectHandle(connect_url(credentials), _parameters(credentials))
        from dbt.adapters.ivm_spark.session.handle import SessionHandle

        return SessionHandle(
            credentials.server_side_parameters,
            keep=credentials.keep_seconds,
            archive=credentials.class_archive,
        )

    @classmethod
    def _send_settings(cls, connection: Connection) -> None:
        """Send a SET for each setting of dbt's sessions and of the profile.

        Thrift servers ignore the configuration of the handshake.
        """
        for key, value in _parameters(connection.credentials).items():
            cursor = connection.handle.cursor()
            try:
                cursor.execute(f"set {_quoted(key)}={_quoted(value)}")
            except Exception as error:
                why = without_secret(error_message(error), key, value)
                logger.warning(f"server_side_parameters: {key} not set: {why}")

    def execute(
        self,
        sql: str,
        auto_begin: bool = False,
        fetch: bool = False,
        limit: int | None = None,
    ) -> tuple[AdapterResponse, agate.Table]:
        """Run one statement to its end, even a query whose rows nobody fetches (a hook's).

        dbt-spark leaves such a query unevaluated, and passes on errors of the fetch as they are.
        """
        from dbt_common.clients.agate_helper import empty_table

        sql = self._add_query_comment(sql)
        with self.exception_handler(sql):
            _, cursor = self.add_query(sql, auto_begin)
            response = self.get_response(cursor)
            if fetch:
                return response, self.get_result_from_cursor(cursor, limit)
            if hasattr(cursor, "drain"):
                cursor.drain()
            return response, empty_table()


def _parameters(credentials: IvmSparkCredentials) -> dict[str, Any]:
    """Return the settings of a session on a Spark that is not dbt's own; the profile wins."""
    return {**PER_SESSION, **credentials.server_side_parameters}


def _quoted(text: str) -> str:
    """Return a key or a value of SET in backticks; only then may it contain a semicolon."""
    return "`" + text.replace("`", "``") + "`"
