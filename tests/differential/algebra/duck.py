"""A tree of Spark SQL as DuckDB's SQL.

A source `t` is the table `t` (its new rows) and the table `t__changes` (rows with a weight).
"""

from __future__ import annotations

import re

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.moved import Moved
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Scan
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.merge import Merge

_WITH_UNIT = ("dateadd", "datediff")
_STRUCT_OF_STAR = re.compile(r"\{'_0': (\w+)\.\*\}")
_CALL_OF_STAR = re.compile(r"(GREATEST|LEAST|COALESCE)\((\w+)\.\*\)")
_NULLS = {"lag": exp.Lag, "first_value": exp.FirstValue, "last_value": exp.LastValue}
"""Functions that sqlglot writes with IGNORE NULLS only if it knows them."""


def bind(scan: Scan) -> Bound:
    """A scan as a DuckDB table: the source, or its change table with the weight."""
    bound = bind_plain(scan)
    if scan.at is At.CHANGES:
        bound.table.set("this", exp.to_identifier(f"{bound.table.name}__changes", quoted=True))
        bound.columns[WEIGHT] = exp.column("w", table=scan.alias, quoted=True)
    return bound


def duck(query: exp.Expr) -> str:
    """A tree of Spark SQL in DuckDB's SQL."""
    return query.transform(_values).transform(_to_duck).sql("duckdb")


def write_sql(statements: Statements) -> list[str]:
    """What changes the state."""
    write, source = statements.write, duck(statements.query(statements.write.source))
    if isinstance(write, Insert):
        return _insert_sql(write, source)
    return [_merge_sql(write, source, duck(statements.condition))]


def _merge_sql(parts: Merge, source: str, on: str) -> str:
    updates = ", ".join(f'"{name}" = {duck(value)}' for name, value in parts.updates)
    columns = ", ".join(f'"{name}"' for name, _ in parts.inserts)
    values = ", ".join(duck(value) for _, value in parts.inserts)
    clauses = ""
    if parts.delete_when is not None:
        clauses += f"when matched and {duck(parts.delete_when)} then delete "
    if parts.update_when is not None:
        clauses += f"when matched and ({duck(parts.update_when)}) then update set {updates} "
    return (
        f'merge into "v__ivm" as t using ({source}) as s on {on} {clauses}'
        f"when not matched and {duck(parts.insert_when)} then insert ({columns}) values ({values})"
    )


def _insert_sql(parts: Insert, source: str) -> list[str]:
    columns = ", ".join(f'"{name}"' for name in parts.columns)
    if not parts.overwrite:
        return [f'insert into "v__ivm" ({columns}) {source}']
    return [
        f"create or replace temp table added_up as {source}",
        'delete from "v__ivm"',
        f'insert into "v__ivm" ({columns}) select {columns} from added_up',
    ]


def _values(node: exp.Expr) -> exp.Expr:
    """Functions of a row, wherever they stand, before what is around them is another node."""
    if isinstance(node, Moved):
        return node.this.transform(_values)
    if isinstance(node, exp.Anonymous) and node.name in _WITH_UNIT:
        return _with_unit(node)
    if isinstance(node, exp.Anonymous) and node.name == "named_struct":
        names, values = node.expressions[0::2], node.expressions[1::2]
        pairs = zip(names, values, strict=True)
        fields = [
            exp.PropertyEQ(this=exp.to_identifier(n.name), expression=v.transform(_values))
            for n, v in pairs
        ]
        return exp.Struct(expressions=fields)
    return node


def _to_duck(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name == "raise_error":
        return exp.null()  # DuckDB evaluates error() ahead of its CASE; see `merge`
    if isinstance(node, exp.Anonymous) and node.name in ("try_add", "try_subtract"):
        operator = exp.Add if node.name == "try_add" else exp.Sub
        return operator(this=node.expressions[0], expression=node.expressions[1])
    if isinstance(node, exp.Anonymous) and node.name == "count_if":
        return counted(exp.CountIf(this=node.expressions[0]))
    if isinstance(node, exp.Anonymous) and node.name == "count" and len(node.expressions) > 1:
        return counted(exp.Count(this=node.expressions[0], expressions=node.expressions[1:]))
    if isinstance(node, exp.Anonymous) and node.name == "xxhash64":
        return exp.Anonymous(this="hash", expressions=node.expressions)
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.Anonymous):
        call = node.this
        return exp.IgnoreNulls(this=_NULLS[call.name](this=call.expressions[0]))
    if isinstance(node, exp.Join) and node.kind == "SEMI":
        node.set("side", None)
    if isinstance(node, exp.Select) and node.args.get("laterals"):
        laterals = node.args.pop("laterals")
        joins = node.args.get("joins") or []
        node.set("joins", [*joins, *(_unnested(lateral) for lateral in laterals)])
    return node


def spelled_out(sql: str) -> str:
    """DuckDB's SQL of a user's text with the columns of the stars in its calls."""
    sql = _STRUCT_OF_STAR.sub(r"\1", sql)
    return _CALL_OF_STAR.sub(r"\1(*COLUMNS(\2.*))", sql)


def _with_unit(call: exp.Expr) -> exp.Expr:
    """dateadd and datediff, whose unit is a word."""
    unit, *given = call.expressions
    one, other = (e.transform(_values) for e in given)
    if call.name == "datediff":
        name = exp.Literal.string(unit.name.lower())
        return exp.Anonymous(this="date_diff", expressions=[name, one, other])
    moved = exp.Anonymous(this=f"to_{unit.name.lower()}s", expressions=[exp.cast(one, "int")])
    return exp.cast(exp.Add(this=other, expression=moved), "date")


def counted(node: exp.Expr) -> exp.Expr:
    """count_if is NULL in DuckDB where every row is; Spark's is 0. DuckDB's count() has one
    argument."""
    if isinstance(node, exp.Count) and node.expressions:
        every = [node.this, *node.expressions]
        absent = (exp.Is(this=exp.paren(e), expression=exp.null()) for e in every)
        present = exp.and_(*(exp.Not(this=e) for e in absent))
        node = exp.CountIf(this=present)
    if not isinstance(node, exp.CountIf):
        return node
    hit = exp.If(this=node.this, true=exp.Literal.number(1))
    return exp.Count(this=exp.Case(ifs=[hit]))


def _unnested(lateral: exp.Lateral) -> exp.Join:
    """LATERAL VIEW explode(array_repeat(x, n)): n rows; explode(array(...)): one a value."""
    alias = lateral.args["alias"]
    call = lateral.this
    array = call.this if isinstance(call, exp.Explode) else call.expressions[0]
    series: exp.Expr = exp.Array(expressions=array.expressions)
    if array.name == "array_repeat":
        series = exp.Anonymous(this="range", expressions=[array.expressions[1]])
    unnest = exp.Anonymous(this="unnest", expressions=[series])
    select = exp.select(exp.alias_(unnest, alias.columns[0].name))
    subquery = exp.Subquery(this=select, alias=exp.TableAlias(this=alias.this))
    return exp.Join(this=exp.Lateral(this=subquery), kind="CROSS")
