"""A table `k` of keys, asked by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql


def rows_for(query: exp.Query, keys: Sequence[int | None]) -> list[dict[str, object]]:
    """The rows of a query over `k`, whose column `key` has these values."""
    database = duckdb.connect(":memory:")
    database.execute("create table k as select unnest(?::bigint[]) as key", [list(keys)])
    rows = database.execute(sqlglot.transpile(to_sql(query), read="spark", write="duckdb")[0])
    names = [column[0] for column in rows.description or ()]
    return [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
