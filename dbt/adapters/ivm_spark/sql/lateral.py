"""Turns LATERAL VIEW, and a generator after LATERAL, into a Generate operator."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.functions import GENERATORS
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Generate, Node
from dbt.adapters.ivm_spark.sql.block import Built
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.names import Names


def build_lateral(
    names: Names, lateral: exp.Expr, node: Node, environment: Environment
) -> Generate:
    """Return the Generate of one LATERAL VIEW clause, and bring its columns into scope."""
    call = lateral.this
    name = function_name(call)
    alias = lateral.args.get("alias")
    columns = [c.name for c in alias.args.get("columns") or ()] if alias is not None else []
    if name not in GENERATORS or not columns:
        raise not_supported("LATERAL")
    generator = environment.spread(call.copy())
    for key, value in list(generator.args.items()):
        if isinstance(value, exp.Expr):
            generator.set(key, environment.resolve(value))
        elif isinstance(value, list):
            generator.set(key, [environment.resolve(v) for v in value])
    outputs = tuple((label, names.unique(label)) for label in columns)
    result = Generate(
        node, generator, tuple(u for _, u in outputs), bool(lateral.args.get("outer"))
    )
    environment.add(
        (alias.name if alias is not None else "") or names.unique("lateral"), Built(result, outputs)
    )
    return result
