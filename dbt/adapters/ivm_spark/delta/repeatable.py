"""Whether a group that is computed twice gives the same row twice."""

from __future__ import annotations

from dbt.adapters.ivm_spark.view.expressions import ORDER_DEPENDENT, function_name
from dbt.adapters.ivm_spark.view.reasons import not_supported
from dbt.adapters.ivm_spark.view.tree import Aggregate


def check_repeatable(node: Aggregate) -> None:
    """Raise NotMaintained for an aggregate that depends on the order of its rows."""
    for item in node.aggregates:
        for call in item.expression.walk():
            name = function_name(call)
            if name in ORDER_DEPENDENT:
                raise not_supported(f"{name}() below another operator")
