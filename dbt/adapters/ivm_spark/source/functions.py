"""Reads what Spark says of a function that is not its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import Function
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.sql.user_functions import RANDOM, parameters_of

_CLASS = "Class: "
_USAGE = "Usage: "
_FUNCTION = "Function: "
_SQL = "sqlFunction."
_CONFIG = "sqlConfig."


def function_from(name: str, rows: Iterable[Mapping[str, Any]]) -> Function:
    """Return a function from the rows of DESCRIBE FUNCTION EXTENDED.

    Source: `SQLFunction.toExpressionInfo` of Spark, which keeps an SQL function's properties in its
    usage.
    """
    lines = [str(next(iter(row.values()))) for row in rows]
    shown = _after(_FUNCTION, lines) or name
    if not _after(_CLASS, lines).startswith(_SQL):
        return Function(shown)
    try:
        said: dict[str, str] = json.loads(_after(_USAGE, lines))
    except ValueError:
        return Function(shown, unsupported="which Spark describes in an unknown form")
    numbers = range(int(said.get("catalogAndNamespace.numParts", "0")))
    parameters = parameters_of(said.get(_SQL + "inputParam", ""))
    returns = said.get(_SQL + "returnType", "")
    return Function(
        name=shown,
        parameters=parameters or (),
        returns=returns,
        body=said.get(_SQL + "expression") or said.get(_SQL + "query", ""),
        namespace=tuple(said[f"catalogAndNamespace.part.{number}"] for number in numbers),
        settings=tuple(
            (key.removeprefix(_CONFIG), value)
            for key, value in sorted(said.items())
            if key.startswith(_CONFIG)
        ),
        unsupported=_unsupported(said, parameters is not None and _is_type(returns)),
    )


def _unsupported(said: Mapping[str, str], readable: bool) -> str:
    """Return why a function can't be expanded, empty if it can."""
    if said.get(_SQL + "isTableFunc") == "true":
        return "a table function"
    if said.get(_SQL + "expression") is None:
        return "whose body is a query"
    if any(said.get(key, "[]") != "[]" for key in _TEMPORARY):
        return "whose body uses something temporary"
    if not readable:
        return "whose types can't be read"
    return RANDOM if said.get(_SQL + "deterministic") == "false" else ""


_TEMPORARY = ("referredTempViewNames", "referredTempFunctionsNames", "referredTempVariableNames")


def _is_type(text: str) -> bool:
    try:
        exp.DataType.build(text, dialect=IvmSpark)
    except SqlglotError:
        return False
    return True


def _after(prefix: str, lines: Iterable[str]) -> str:
    return next((line.removeprefix(prefix) for line in lines if line.startswith(prefix)), "")
