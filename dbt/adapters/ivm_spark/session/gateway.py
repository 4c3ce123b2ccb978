"""The connections over which Spark's JVM answers this process."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession


def answer_at_once(session: SparkSession) -> None:
    """Let the JVM send long answers, such as a query's plans, without a pause.

    Py4J writes an answer in pieces of 8 KB. By default TCP holds the second piece back until the
    first one is acknowledged, and the receiver delays that by 40 ms. Py4J has no option for it, so
    this function sets it on each of the server's connections. If Py4J has no list of them, answers
    stay slow.

    Source: RFC 896 (Nagle's algorithm) and RFC 1122, 4.2.3.2 (delayed acknowledgements).
    """
    with suppress(Py4JError, AttributeError):
        gateway: Any = session.sparkContext._gateway
        server = gateway.java_gateway_server
        field = server.getClass().getSuperclass().getDeclaredField("connections")
        field.setAccessible(True)
        connections = field.get(server)
        for place in range(connections.size()):
            connections.get(place).getSocket().setTcpNoDelay(True)
