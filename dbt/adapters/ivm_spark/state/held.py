"""A view as it stays while its state is replaced: the same query, at the state's old version."""

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
    """The SELECT of a view of ours with its state read at a version.

    text: the view's SELECT; columns: its columns' names; state: quoted name. None where the text
    is not certain to mean the same when it is written back, or reads the state at a version
    already.
    """
    query, tables = _read(text, state)
    if not tables or any(table.args.get("version") for table in tables):
        return None
    for table in tables:
        read_at(table, version)
    return named(to_sql(query), columns)


def released(text: str, columns: Sequence[str], state: str, version: int) -> str | None:
    """The SELECT of a view that is held at a version, with its state read as it is; None for a view
    that is not."""
    query, tables = _read(text, state)
    at = {to_sql(table.args["version"]) for table in tables if table.args.get("version")}
    if at != {f"VERSION AS OF {version}"}:
        return None
    for table in tables:
        table.set("version", None)
    return named(to_sql(query), columns)


def _read(text: str, state: str) -> tuple[exp.Expr, list[exp.Table]]:
    """A view's text as a tree, and its readings of the state; none where it is not certain."""
    try:
        query = parse_one(text, dialect=IvmSpark)
    except SqlglotError:
        return exp.Null(), []
    if not isinstance(query, exp.Query) or _bare(to_sql(query)) != _bare(text):
        return query, []
    tables = {t: relation_name(name_parts(t), ()) for t in query.find_all(exp.Table)}
    return query, [t for t, name in tables.items() if relation_key(name) == relation_key(state)]


def named(text: str, columns: Sequence[str]) -> str:
    """A view's SELECT with the names of its columns in it: ALTER VIEW takes no list of them."""
    names = ", ".join(quote(name) for name in columns)
    return f"SELECT * FROM ({text}) AS ivm_view({names})"


def _bare(text: str) -> str:
    return _SPACE.sub("", text).lower()
