"""Types of expressions that are certain without asking Spark."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.catalog import Relation
from dbt.adapters.ivm_spark.view.dialect import to_sql
from dbt.adapters.ivm_spark.view.expressions import function_name
from dbt.adapters.ivm_spark.view.tree import Aggregate, Node, Project, Scan, SetOp, UnionAll
from dbt.adapters.ivm_spark.view.walk import walk

_INTEGERS = "year quarter month day dayofmonth dayofweek weekday dayofyear weekofyear hour minute"
_STRINGS = "upper lower ucase lcase date_format monthname dayname"
_FUNCTIONS = {
    **dict.fromkeys(_INTEGERS.split(), "int"),
    **dict.fromkeys(_STRINGS.split(), "string"),
}


def known_type(expression: exp.Expr, below: Node, sources: dict[str, Relation]) -> str | None:
    """Spark's type of an expression over the columns of a tree, None where it is not certain.

    sources: the relations that scans read, by name.
    """
    bare = expression.unnest()
    if isinstance(bare, exp.Cast):
        return to_sql(bare.to).lower()
    if not isinstance(bare, exp.Column):
        return _FUNCTIONS.get(function_name(bare) or "")
    for node in walk(below):
        if isinstance(node, (UnionAll, SetOp)) and bare.name in node.columns:
            return None
        if isinstance(node, Scan):
            for name, of_source in node.fields:
                if name == bare.name:
                    return dict(sources[node.relation].columns).get(of_source)
        items = node.items if isinstance(node, Project) else ()
        items = node.keys if isinstance(node, Aggregate) else items
        for item in items:
            if item.name == bare.name and item.expression != bare:
                return known_type(item.expression, node, sources)
    return None
