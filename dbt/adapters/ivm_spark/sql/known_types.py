"""Types of expressions that are certain without asking Spark."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Node, Project, Scan, SetOp, UnionAll

_INTEGERS = "year quarter month day dayofmonth dayofweek weekday dayofyear weekofyear hour minute"
_STRINGS = "upper lower ucase lcase date_format monthname dayname"
_FUNCTIONS = {
    **dict.fromkeys(_INTEGERS.split(), "int"),
    **dict.fromkeys(_STRINGS.split(), "string"),
}


def known_type(expression: exp.Expr, below: Node, sources: Mapping[str, Relation]) -> str | None:
    """Return Spark's type of an expression over the columns of a tree, None if it is not certain.

    sources: the relations that scans read, by name.
    """
    bare = expression.unnest()
    if isinstance(bare, exp.Cast):
        return to_sql(bare.to).lower()
    if isinstance(bare, exp.Dot) and isinstance(bare.expression, exp.Identifier):
        fields = _struct(known_type(bare.this, below, sources))
        return None if fields is None else fields.get(bare.expression.name.lower())
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


def fields_of(type_name: str | None) -> list[str] | None:
    """Return the names of a struct's fields.

    Return None for another type, or if two names differ only in case.
    """
    fields = _struct(type_name)
    return None if fields is None else list(fields)


def _struct(type_name: str | None) -> dict[str, str] | None:
    """Return the fields of a struct type: each type by its name in lower case."""
    if type_name is None or not type_name.lower().startswith("struct<"):
        return None
    try:
        parsed = exp.DataType.build(type_name, dialect="spark")
    except SqlglotError:
        return None
    fields = {field.name.lower(): to_sql(field.args["kind"]) for field in parsed.expressions}
    return fields if len(fields) == len(parsed.expressions) else None
