"""Classes of this process's JVM, by their full names.

`jvm.org.apache.spark.sql.Row` asks the JVM about each part of the name. It looks for a class of the
name "org" in every jar, then for "org.apache", and so on: about 40 ms in a refresh. Py4J also asks
for a static member each time that it is used. Here it is asked for once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from py4j.java_gateway import JavaClass, JavaMember  # type: ignore[import-untyped]

OPTION = "scala.Option"
PATH = "org.apache.hadoop.fs.Path"
BUFFER = "scala.collection.mutable.ArrayBuffer"
_OBJECT = "$"
"""The end of the name of a Scala object's class."""
_BETWEEN = "\x00"
"""A separator that no name contains."""
_INSTANCE = "MODULE$"
_MOST_CLASSES = 256
"""Classes that are remembered."""


class _KnownClass(JavaClass):  # type: ignore[misc]
    """A class that asks the JVM for each of its methods once, and for a Scala object's instance."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember) or name == _INSTANCE:
            setattr(self, name, member)
        return member


def java_class(jvm: Any, name: str) -> Any:
    """Return a class of the JVM, whose static members and constructor can be called.

    A class that does not exist shows as a Py4JError when it is used.

    Args:
        jvm: of a session.
        name: with its package.
    """
    return _known(jvm._gateway_client, name)


@lru_cache(_MOST_CLASSES)
def _known(client: Any, name: str) -> JavaClass:
    return _KnownClass(name, client)


def scala_object(jvm: Any, name: str) -> Any:
    """Return the single instance of a Scala object, by its name with its package."""
    return getattr(java_class(jvm, name + _OBJECT), _INSTANCE)


def names_in(collection: Any) -> list[str]:
    """Return the names in a Scala collection, none of which is empty, by one call."""
    joined = str(collection.mkString(_BETWEEN))
    return joined.split(_BETWEEN) if joined else []
