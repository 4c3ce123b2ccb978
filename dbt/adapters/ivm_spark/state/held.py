"""A view that keeps its contents while its state is replaced: it reads the state's old version."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import name_parts, quote, relation_key, relation_name
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.sql.scans import read_at

_SPACE = re.compile(r"\s+")


def held(text: str, columns: Sequence[str], state: str, version: int) -> str | None:
    """Return the SELECT of a view of this package with its state read at a version.

    It returns None if the text might change its meaning when it is written back, or if it reads the
    state at a version already.

    Args:
        text: the view's SELECT.
        columns: names of the view's columns.
        state: quoted name.
        version: of the state.
    """
    query, tables = _read(text, state)
    if not tables or any(table.args.get("version") for table in tables):
        return None
    for table in tables:
        read_at(table, version)
    return named(to_sql(query), columns)


def released(text: str, columns: Sequence[str], state: str, version: int) -> str | None:
    """Return the SELECT of a view that is held at a version, with its state's newest version read.

    It returns None for a view that is not held at this version. The arguments are those of `held`.
    """
    query, tables = _read(text, state)
    at = {to_sql(table.args["version"]) for table in tables if table.args.get("version")}
    if at != {f"VERSION AS OF {version}"}:
        return None
    for table in tables:
        table.set("version", None)
    return named(to_sql(query), columns)


def _read(text: str, state: str) -> tuple[exp.Expr, list[exp.Table]]:
    """Return a view's text as a tree, and its scans of the state; no scans if it is not certain."""
    try:
        query = parse_one(text, dialect=IvmSpark)
    except SqlglotError:
        return exp.Null(), []
    if not isinstance(query, exp.Query) or _bare(to_sql(query)) != _bare(text):
        return query, []
    tables = {t: relation_name(name_parts(t), ()) for t in query.find_all(exp.Table)}
    return query, [t for t, name in tables.items() if relation_key(name) == relation_key(state)]


def named(text: str, columns: Sequence[str]) -> str:
    """Return a view's SELECT with its columns' names inside: ALTER VIEW takes no column list."""
    names = ", ".join(quote(name) for name in columns)
    return f"SELECT * FROM ({text}) AS ivm_view({names})"


def _bare(text: str) -> str:
    return _SPACE.sub("", text).lower()
