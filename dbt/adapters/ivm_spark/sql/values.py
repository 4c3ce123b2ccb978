"""VALUES: rows that the query contains.

Spark computes over such rows while it optimizes, and its plan does not show the values. So a
comparison of plans can't detect a misread value. Therefore only literals that every reader reads
alike are accepted, and over them only expressions that are as plain (`check_folded`).
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import used_columns
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.expressions import check
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    Generate,
    Join,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    Values,
)
from dbt.adapters.ivm_spark.sql.block import Built
from dbt.adapters.ivm_spark.sql.names import Names

_COMPARISONS = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In)


def name_values(query: exp.Expr) -> None:
    """Give every VALUES of a query, in place, the column names that Spark gives it."""
    for number, values in enumerate(list(query.find_all(exp.Values))):
        alias = values.args.get("alias")
        if alias is not None and alias.args.get("columns"):
            continue
        width = len(values.expressions[0].expressions) if values.expressions else 0
        name = alias.this if alias is not None and alias.this else None
        columns = [exp.to_identifier(f"col{place}") for place in range(1, width + 1)]
        this = name or exp.to_identifier(f"inline_table_{number}")
        values.set("alias", exp.TableAlias(this=this, columns=columns))


def build_values(names: Names, values: exp.Values) -> Built:
    """Return the relation of a VALUES clause.

    Raises NotMaintained for rows of different widths and for anything but plain literals.
    """
    labels = [c.name for c in values.args["alias"].args["columns"]]
    rows = tuple(tuple(row.expressions) for row in values.expressions)
    if any(len(row) != len(labels) for row in rows):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "VALUES of different widths")
    for value in (v for row in rows for v in row):
        check(value)
        if not _plain(value):
            detail = f"VALUES with {to_sql(value)}"
            raise not_supported(detail)
    outputs = tuple((label, names.unique(label)) for label in labels)
    return Built(Values(tuple(unique for _, unique in outputs), rows), outputs)


def check_folded(root: Node) -> None:
    """Raise NotMaintained if Spark may compute an expression over VALUES while it optimizes.

    A comparison of a column with a literal is allowed. For anything more, Spark's plan would not
    show what Spark has read.
    """
    given: set[str] = set()
    for node in reversed(list(walk(root))):
        if isinstance(node, Values):
            given |= set(node.columns)
        elif isinstance(node, Project):
            given |= {i.name for i in node.items if used_columns(i.expression) & given}
    for node in walk(root):
        if not any(isinstance(below, Values) and below.columns for below in walk(node)):
            continue
        if isinstance(node, Project):
            over = [i.expression for i in node.items if not isinstance(i.expression, exp.Column)]
        elif isinstance(node, Filter):
            over = [p for p in conjuncts(node.predicate) if not _comparison(p)]
        elif isinstance(node, (Join, OuterJoin, SemiJoin)):
            over = [p for e in node.predicates for p in conjuncts(e) if not _comparison(p)]
        else:
            over = [node.generator] if isinstance(node, Generate) else []
        for expression in over:
            used = used_columns(expression)
            if used and used <= given:
                detail = f"an expression over VALUES: {to_sql(expression)}"
                raise not_supported(detail)


def _comparison(predicate: exp.Expr) -> bool:
    bare = predicate.unnest()
    if isinstance(bare, exp.Not):
        bare = bare.this.unnest()
    operands = [o for o in bare.iter_expressions() if not isinstance(o, exp.Column)]
    return isinstance(bare, _COMPARISONS) and all(_plain(o) for o in operands)


def _plain(value: exp.Expr) -> bool:
    if isinstance(value, exp.Neg):
        return isinstance(value.this, exp.Literal) and not value.this.is_string
    if isinstance(value, exp.Cast):
        return isinstance(value.this, exp.Literal) and _plain(value.this)
    if isinstance(value, exp.Literal) and value.is_string:
        return value.name.isprintable() and not set(value.name) & set("\\'\"")
    return isinstance(value, (exp.Literal, exp.Null, exp.Boolean))
