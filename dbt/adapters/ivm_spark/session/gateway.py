"""The gateway to Spark's JVM, which this process starts or which runs already."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from py4j.finalizer import ThreadSafeFinalizer  # type: ignore[import-untyped]
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.spark_log import SparkLog

if TYPE_CHECKING:
    from dbt.adapters.ivm_spark.session.place import Note

_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
"""The variables that tell PySpark of a JVM that runs already."""


class _Connection(threading.local):
    """This thread's connection to the JVM.

    Attributes:
        quick: the gateway to which it is, once it sends long answers without a pause.
    """

    quick: Any = None


_connection = _Connection()


def launched(settings: Mapping[str, str], log: SparkLog, fds: tuple[int, ...] = ()) -> Any:
    """Start a JVM with its output in the log, and return its gateway.

    By default, the output would go to dbt's console.

    fds: open files that the JVM inherits.
    """
    conf = SparkConf(loadDefaults=False, _jvm=None)
    for key, value in settings.items():
        conf.set(key, value)
    with log.path.open("ab") as output:
        popen: dict[str, Any] = {"stdout": output, "stderr": output, "pass_fds": fds}
        gateway = launch_gateway(conf, popen_kwargs=popen)
    SparkContext._ensure_initialized(gateway=gateway)
    return gateway


def attached(note: Note, within: float) -> SparkSession | None:
    """Return the session of a Spark that runs in another process, None if it does not answer.

    The process then has all that a Spark of its own would have.

    within: the seconds to wait for its first answer.
    """
    gateway = _connected(note, within)
    if gateway is None:
        return None
    try:
        session = _session(gateway)
    except Exception:
        # It has ended meanwhile.
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        return None
    atexit.register(_release, gateway)
    return session


def _session(gateway: Any) -> SparkSession:
    """Return the session of the Spark behind a gateway."""
    interrupted = signal.getsignal(signal.SIGINT)
    SparkContext._ensure_initialized(gateway=gateway)
    jvm: Any = gateway.jvm
    running = jvm.org.apache.spark.SparkContext.getOrCreate()
    jsc = jvm.org.apache.spark.api.java.JavaSparkContext.fromSparkContext(running)
    SparkContext(gateway=gateway, jsc=jsc, conf=SparkConf(_jvm=jvm, _jconf=jsc.getConf()))
    if threading.current_thread() is threading.main_thread():
        # PySpark's handler would cancel the jobs of all clients.
        signal.signal(signal.SIGINT, interrupted)
    return SparkSession.builder.getOrCreate()


def answer_at_once(session: SparkSession) -> None:
    """Let the JVM send long answers, such as a query's plans, without a pause.

    Py4J writes an answer in pieces of 8 KB. By default TCP holds the second piece back until the
    first one is acknowledged, and the receiver delays that by 40 ms. Py4J has no option for it, so
    this function sets it on each of the server's connections, once for each thread: a thread keeps
    its connection. If Py4J has no list of them, answers stay slow.

    Source: RFC 896 (Nagle's algorithm) and RFC 1122, 4.2.3.2 (delayed acknowledgements).
    """
    with suppress(Py4JError, AttributeError):
        gateway: Any = session.sparkContext._gateway
        if _connection.quick is gateway:
            return
        server = gateway.java_gateway_server
        field = server.getClass().getSuperclass().getDeclaredField("connections")
        field.setAccessible(True)
        connections = field.get(server)
        for place in range(connections.size()):
            connections.get(place).getSocket().setTcpNoDelay(True)
        _connection.quick = gateway


def forget_abandoned(gateway: Any) -> None:
    """Let the JVM forget the objects of clients that have ended.

    A JVM holds each object that it has sent to a client until the client releases it. Call this
    only while this process is the only client.
    """
    objects = gateway.java_gateway_server.getGateway().getBindings()
    names = set(str(gateway.jvm.java.lang.String.join(",", objects.keySet())).split(","))
    abandoned = names - _held(gateway)
    _forget(gateway, [name for name in abandoned if name.startswith("o") and name[1:].isdigit()])


def _connected(note: Note, within: float) -> Any:
    """Return a gateway to a JVM that runs already, None if it does not answer in time.

    A stopped process accepts a connection and is silent.

    PySpark is told of the JVM by two variables of the environment. It gets an environment of its
    own: this is a thread beside dbt's, and dbt fails if a variable goes while it reads them all.
    """
    found: list[Any] = []
    environ = {**os.environ, _PORT: str(note.port), _SECRET: note.secret}
    names = {**vars(java_gateway), "os": SimpleNamespace(environ=environ)}
    launch = FunctionType(launch_gateway.__code__, names, argdefs=launch_gateway.__defaults__)

    def connect() -> None:
        with suppress(Exception):
            found.append(launch())

    connecting = threading.Thread(target=connect, daemon=True)
    connecting.start()
    connecting.join(within)
    return found[0] if found else None


def _release(gateway: Any) -> None:
    """Let the JVM forget this process's objects."""
    with suppress(Exception):
        _forget(gateway, _held(gateway))


def _held(gateway: Any) -> set[str]:
    """Return the names of the JVM's objects that this process holds."""
    own = f"{gateway._gateway_client.address}{gateway._gateway_client.port}"
    return {key.removeprefix(own) for key in list(ThreadSafeFinalizer.finalizers)}


def _forget(gateway: Any, names: Iterable[str]) -> None:
    """Let the JVM forget objects, all at once; Py4J itself sends a command for each."""
    comma = gateway.jvm.java.util.regex.Pattern.compile(",")
    objects = gateway.java_gateway_server.getGateway().getBindings()
    objects.keySet().removeAll(comma.splitAsStream(",".join(names)).toList())
