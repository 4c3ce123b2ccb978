"""What a scan is in SQL: a versioned table or a change feed on Spark, a plain table elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.view.tree import Scan


@dataclass(frozen=True)
class Bound:
    """A scan as SQL: what stands after FROM, and each column of the scan as an expression."""

    table: exp.Expr
    columns: dict[str, exp.Expr]


Binding = Callable[[Scan], Bound]
