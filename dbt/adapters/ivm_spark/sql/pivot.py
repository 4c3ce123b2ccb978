"""Builds PIVOT and UNPIVOT of a relation in FROM.

Source: Spark's `PivotTransformer` and `UnpivotTransformer`. A PIVOT groups by every column of its
input that it does not name. If Spark can keep the types of all aggregates in a buffer, it evaluates
the PIVOT in two phases. Then a count of no rows is NULL. Otherwise Spark uses one phase, and the
count is 0.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Pivot, Unpivot
from dbt.adapters.ivm_spark.sql.block import Built
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.known_types import known_type
from dbt.adapters.ivm_spark.sql.names import Names

COUNTS = ("count", "count_if")
_CALLS = ("sum", "avg", "mean", "min", "max", *COUNTS)
_MATCHED = ("string", "date", "boolean", "tinyint", "smallint", "int", "bigint")
_BUFFERED = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def build_pivot(
    names: Names, pivot: exp.Pivot, block: Built, alias: str, sources: dict[str, Relation]
) -> Built:
    """Return the relation of a PIVOT or UNPIVOT over a block that is called `alias`.

    sources: the relations that scans read, by name. Raises NotMaintained for a form, an aggregate
    or a type for which Spark's result is not certain.
    """
    environment = Environment(sources)
    environment.add(alias, block)
    if pivot.args.get("unpivot"):
        built = _unpivot(names, pivot, block, environment)
    else:
        built = _pivot(names, pivot, block, environment, sources)
    if len({label for label, _ in built.outputs}) < len(built.outputs):
        raise not_supported("PIVOT or UNPIVOT into two columns of the same name")
    return built


def _parts(expression: exp.Expr) -> list[exp.Expr]:
    bare = expression.unnest()
    return list(bare.expressions) if isinstance(bare, exp.Tuple) else [bare]


def _pivot(
    names: Names,
    pivot: exp.Pivot,
    block: Built,
    environment: Environment,
    sources: dict[str, Relation],
) -> Built:
    calls = tuple(environment.resolve(e.unalias()) for e in pivot.expressions)
    for call in calls:
        if not isinstance(call, exp.Anonymous) or function_name(call) not in _CALLS:
            raise not_supported("PIVOT of this aggregate")
        if call.find(exp.Distinct):
            raise not_supported("PIVOT of a DISTINCT aggregate")
    if len(pivot.args["fields"]) != 1 or not isinstance(pivot.args["fields"][0], exp.In):
        raise not_supported("this form of PIVOT")
    field = pivot.args["fields"][0]
    by = tuple(environment.resolve(e) for e in _parts(field.this))
    types = tuple(known_type(e, block.node, sources) or "" for e in by)
    if any(kind not in _MATCHED for kind in types):
        raise not_supported("PIVOT by a column of unknown type")
    values = []
    for given in field.expressions:
        value = tuple(_parts(given.this if isinstance(given, exp.PivotAlias) else given))
        if len(value) != len(by) or not all(_literal(v) for v in value):
            raise not_supported("PIVOT by a value that is not a literal")
        values.append(value)
    labels = [c.name for c in pivot.args.get("columns") or ()]
    if len(labels) != len(values) * len(calls) or len(set(labels)) < len(labels):
        raise not_supported("PIVOT into columns without names")
    used = used_columns(*by, *calls)
    kept = [(label, unique) for label, unique in block.outputs if unique not in used]
    outputs = tuple((label, names.unique(label)) for label in labels)
    node = Pivot(
        block.node,
        tuple(unique for _, unique in kept),
        by,
        types,
        tuple(values),
        calls,
        tuple(unique for _, unique in outputs),
        _missing_is_null(calls, block, sources),
    )
    return Built(node, (*kept, *outputs))


def _missing_is_null(
    calls: tuple[exp.Expr, ...], block: Built, sources: dict[str, Relation]
) -> bool:
    counts = [function_name(call) in COUNTS for call in calls]
    if not any(counts):
        return True
    buffered = []
    for call, is_count in zip(calls, counts, strict=True):
        if is_count:
            continue
        kind = known_type(call.expressions[0], block.node, sources)
        fits = kind is not None and kind.split("(")[0] in _BUFFERED
        if kind is None or not (fits or function_name(call) in ("min", "max")):
            raise not_supported("PIVOT of count() beside an aggregate of unknown type")
        buffered.append(fits)
    return all(buffered)


def _literal(value: exp.Expr) -> bool:
    if isinstance(value, exp.Neg):
        return isinstance(value.this, exp.Literal)
    if isinstance(value, exp.Cast):
        return isinstance(value.this, exp.Literal)
    return isinstance(value, (exp.Literal, exp.Boolean, exp.Null))


def _unpivot(names: Names, pivot: exp.Pivot, block: Built, environment: Environment) -> Built:
    fields = pivot.args["fields"]
    if len(fields) != 1 or not isinstance(fields[0], exp.In) or len(pivot.expressions) != 1:
        raise not_supported("this form of UNPIVOT")
    parts = []
    for given in fields[0].expressions:
        columns = _parts(given.this if isinstance(given, exp.PivotAlias) else given)
        resolved = [environment.resolve(c) for c in columns]
        if not all(isinstance(c, exp.Column) for c in resolved):
            raise not_supported("UNPIVOT of an expression")
        label = given.alias if isinstance(given, exp.PivotAlias) else ""
        parts.append((label or "_".join(c.name for c in columns), tuple(c.name for c in resolved)))
    labels = [v.name for v in _parts(pivot.expressions[0])]
    if any(len(columns) != len(labels) for _, columns in parts):
        raise not_supported("UNPIVOT of parts of different widths")
    used = {c for _, columns in parts for c in columns}
    kept = [(label, unique) for label, unique in block.outputs if unique not in used]
    name = (fields[0].this.name, names.unique(fields[0].this.name))
    values = tuple((label, names.unique(label)) for label in labels)
    node = Unpivot(
        block.node,
        tuple(unique for _, unique in kept),
        name[1],
        tuple(unique for _, unique in values),
        tuple(parts),
        bool(pivot.args.get("include_nulls")),
    )
    return Built(node, (*kept, name, *values))
