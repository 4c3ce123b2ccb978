"""Classes of the JVM, as they are asked for through Py4J. The answers are in Py4J's protocol."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError

from dbt.adapters.ivm_spark.session.jvm import java_class, scala_object

METHOD, TEXT, MISSING = "ym", "ysone", "x"


class Client:
    """A client of a JVM that gives one answer to every question."""

    def __init__(self, answer: str) -> None:
        self.gateway_property = SimpleNamespace(pool=None)
        self.converters: tuple[object, ...] = ()
        self.asked: list[str] = []
        self._answer = answer

    def send_command(self, command: str, *_: object, **__: object) -> str:
        self.asked.append(command)
        return self._answer


def _jvm(answer: str) -> tuple[SimpleNamespace, Client]:
    client = Client(answer)
    return SimpleNamespace(_gateway_client=client), client


def test_a_method_is_asked_for_once() -> None:
    jvm, client = _jvm(METHOD)
    for _ in range(3):
        assert java_class(jvm, "a.B").of.name == "of"
    assert len(client.asked) == 1


def test_each_jvm_is_asked() -> None:
    for _ in range(2):
        jvm, client = _jvm(METHOD)
        assert java_class(jvm, "a.B").of.name == "of"
        assert len(client.asked) == 1


def test_a_value_is_asked_for_at_each_use() -> None:
    jvm, client = _jvm(TEXT)
    for _ in range(2):
        assert java_class(jvm, "a.B").LAST == "one"
    assert len(client.asked) == 2


def test_a_scala_object_is_asked_for_once() -> None:
    jvm, client = _jvm(TEXT)
    for _ in range(2):
        assert scala_object(jvm, "a.C") == "one"
    assert len(client.asked) == 1


def test_a_missing_class_is_asked_for_again() -> None:
    jvm, client = _jvm(MISSING)
    for _ in range(2):
        with pytest.raises(Py4JError, match=r"a\.B\.of does not exist"):
            _ = java_class(jvm, "a.B").of
    assert len(client.asked) == 2
