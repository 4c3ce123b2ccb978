"""Floats by their text, where rows are told apart by GROUP BY: it holds 0.0 and -0.0 equal."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt.adapters.ivm_spark.view.columns import column
from dbt.adapters.ivm_spark.view.tree import Item
from dbt.adapters.ivm_spark.view.types import is_float

TEXT = "__ivm_text_"
"""The prefix of the columns with such texts; a cast of one back is the float itself."""


def float_texts(columns: Iterable[tuple[str, str]]) -> dict[str, Item]:
    """Return the text of each FLOAT and DOUBLE column, by its name.

    columns: (name, Spark type).
    """
    return {
        name: Item(f"{TEXT}{place}", exp.cast(column(name), "string"))
        for place, (name, kind) in enumerate(columns)
        if is_float(kind)
    }
