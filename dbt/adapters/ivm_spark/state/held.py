"""A view as it stays while its state is replaced: the same query, at the state's old version."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.view.catalog import quote, relation_key, relation_name
from dbt.adapters.ivm_spark.view.dialect import IvmSpark, to_sql

_SPACE = re.compile(r"\s+")


def held(text: str, columns: Sequence[str], state: str, version: int) -> str | None:
    """The SELECT of a view of ours with its state read at a version.

    text: the view's SELECT; columns: its columns' names; state: quoted name. None where the text
    is not certain to mean the same when it is written back, or reads the state at a version
    already.
    """
    try:
        query = parse_one(text, dialect=IvmSpark)
    except SqlglotError:
        return None
    if not isinstance(query, exp.Query) or _bare(to_sql(query)) != _bare(text):
        return None
    tables = [
        table
        for table in query.find_all(exp.Table)
        if relation_key(relation_name(table, ())) == relation_key(state)
    ]
    if not tables or any(table.args.get("version") for table in tables):
        return None
    for table in tables:
        number = exp.Literal.number(version)
        table.set("version", exp.Version(this="VERSION", kind="AS OF", expression=number))
    return named(to_sql(query), columns)


def named(text: str, columns: Sequence[str]) -> str:
    """A view's SELECT with the names of its columns in it: ALTER VIEW takes no list of them."""
    names = ", ".join(quote(name) for name in columns)
    return f"SELECT * FROM ({text}) AS ivm_view({names})"


def _bare(text: str) -> str:
    return _SPACE.sub("", text).lower()
