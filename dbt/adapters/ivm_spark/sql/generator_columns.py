"""The names that Spark gives the columns of a generator for which the query gives none.

They depend on the type of the generator's argument: `explode` has the column `col` over an array,
`key` and `value` over a map. The type is found in the text of the query, before sqlglot resolves
names, because it needs the names of these columns for that.

Source: `elementSchema` of Spark's generators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.expressions import function_name

_ARRAYS = frozenset(
    """array array_agg array_append array_compact array_distinct array_except array_insert
    array_intersect array_prepend array_remove array_repeat array_sort array_union collect_list
    collect_set filter flatten json_object_keys map_entries map_keys map_values regexp_extract_all
    sequence slice sort_array split transform xpath zip_with""".split()
)
_MAPS = frozenset(
    """map map_concat map_filter map_from_arrays map_from_entries map_zip_with str_to_map
    transform_keys transform_values""".split()
)
_SAME = frozenset({"coalesce", "concat", "ifnull", "nvl", "reverse", "shuffle"})
"""Functions with the type of their arguments."""


def generated_columns(
    call: exp.Expr, select: exp.Expr, tables: Mapping[str, Relation]
) -> list[str] | None:
    """Return the names of a generator's columns, None if the type that decides is not known.

    select: the SELECT around the call. tables: the relation behind each table of the query.
    """
    name = (function_name(call) or "").removesuffix("_outer")
    arguments = call.expressions
    if not arguments:
        return None
    if name == "json_tuple":
        return [f"c{place}" for place in range(len(arguments) - 1)]
    if name == "stack":
        rows = arguments[0]
        if not isinstance(rows, exp.Literal) or not rows.is_int or not int(rows.name) > 0:
            return None
        width = -(-(len(arguments) - 1) // int(rows.name))
        return [f"col{place}" for place in range(width)]
    kind = _Types(tables).of(arguments[0], select)
    if name == "inline":
        fields = _element(kind)
        struct = fields is not None and fields.is_type(exp.DType.STRUCT) and fields.expressions
        return [field.name for field in fields.expressions] if fields and struct else None
    if kind is None or name not in ("explode", "posexplode"):
        return None
    columns = {exp.DType.ARRAY: ["col"], exp.DType.MAP: ["key", "value"]}.get(kind.this)
    return columns and (["pos", *columns] if name == "posexplode" else columns)


def _element(kind: exp.DataType | None) -> exp.DataType | None:
    """Return the type of an array's elements."""
    if kind is None or not kind.is_type(exp.DType.ARRAY) or not kind.expressions:
        return None
    found = kind.expressions[0]
    return found if isinstance(found, exp.DataType) else None


class _Types:
    """Types of expressions over the relations of a SELECT whose names are not resolved.

    tables: the relation behind each table of the query.
    """

    def __init__(self, tables: Mapping[str, Relation]) -> None:
        self._tables = tables
        self._open: set[int] = set()
        """The generators whose arguments are being looked up."""

    def of(self, expression: exp.Expr, select: exp.Expr) -> exp.DataType | None:
        """Return the type of an expression, None if it is not certain.

        Of an array or a map the inner types may be missing.
        """
        bare = expression.unnest()
        if isinstance(bare, exp.Cast):
            return bare.to
        if isinstance(bare, exp.Column):
            return self._of_column(bare, select)
        if isinstance(bare, exp.Bracket):
            return _element(self.of(bare.this, select))
        name = function_name(bare) or ""
        if name in ("struct", "named_struct"):
            return self._of_struct(bare, select)
        schema = bare.expressions[1:2] if name == "from_json" else []
        if schema and isinstance(schema[0], exp.Literal):
            return _parsed(schema[0].name)
        if isinstance(bare, (exp.If, exp.Case)) or name in _SAME:
            known = (self.of(part, select) for part in _choices(bare))
            return next((kind for kind in known if kind is not None), None)
        if name == "array":
            inner = self.of(bare.expressions[0], select) if bare.expressions else None
            return exp.DataType(this=exp.DType.ARRAY, expressions=[inner] if inner else [])
        if name in _ARRAYS:
            return exp.DataType(this=exp.DType.ARRAY)
        return exp.DataType(this=exp.DType.MAP) if name in _MAPS else None

    def _of_struct(self, call: exp.Expr, select: exp.Expr) -> exp.DataType:
        """Return the type of struct(), which is spelled as named_struct(); fields have no types."""
        names = [argument.name for argument in call.expressions[::2]]
        fields = [exp.ColumnDef(this=exp.to_identifier(name)) for name in names]
        return exp.DataType(this=exp.DType.STRUCT, expressions=fields)

    def _of_column(self, column: exp.Column, select: exp.Expr) -> exp.DataType | None:
        """Return the type of a column, or of a field of a struct column."""
        for around in _selects(select):
            parts = [part.name.lower() for part in column.parts]
            found = [
                kind
                for alias, source in _sources(around)
                for kind in self._parts(alias, source, parts, around)
            ]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def _parts(
        self, alias: str, source: exp.Expr, parts: list[str], select: exp.Expr
    ) -> Iterator[exp.DataType | None]:
        """Yield the type of a column if the relation has it; parts: the column's name, lower."""
        if len(parts) > 1 and parts[0] == alias.lower():
            parts = parts[1:]
        has, kind = self._column(source, parts[0], select)
        if has:
            for field in parts[1:]:
                kind = _field(kind, field)
            yield kind

    def _column(
        self, source: exp.Expr, name: str, select: exp.Expr
    ) -> tuple[bool, exp.DataType | None]:
        """Return whether a relation has a column, and the column's type."""
        alias = source.args.get("alias")
        renamed = [c.name.lower() for c in (alias.args.get("columns") or ())] if alias else []
        if source.args.get("pivots"):
            return True, None
        if isinstance(source, exp.Lateral) and not isinstance(source.this, exp.Subquery):
            return self._generated(source, renamed, name, select)
        outputs = self._outputs(source, select)
        for place, (label, kind) in enumerate(outputs):
            own = renamed[place] if place < len(renamed) else label
            if own == name:
                return True, kind
        return False, None

    def _generated(
        self, lateral: exp.Expr, renamed: list[str], name: str, select: exp.Expr
    ) -> tuple[bool, exp.DataType | None]:
        call = lateral.this
        if name not in renamed:
            return False, None
        function = (function_name(call) or "").removesuffix("_outer")
        element = function in ("explode", "posexplode") and name == renamed[-1]
        if not element or id(lateral) in self._open:
            return not element, None
        self._open.add(id(lateral))
        kind = self.of(call.expressions[0], select)
        self._open.remove(id(lateral))
        return True, _element(kind)

    def _outputs(self, source: exp.Expr, select: exp.Expr) -> list[tuple[str, exp.DataType | None]]:
        """Return the columns of a table, CTE or subquery, in order."""
        if isinstance(source, exp.Table):
            relation = self._tables.get(source.name)
            if relation is not None:
                return [(name.lower(), _parsed(kind)) for name, kind in relation.columns]
            body: exp.Expr | None = _cte(source, select)
        else:
            body = source.this if isinstance(source, (exp.Subquery, exp.Lateral)) else None
        return self._of_query(body) if body is not None else []

    def _of_query(self, query: exp.Expr) -> list[tuple[str, exp.DataType | None]]:
        while isinstance(query, (exp.Subquery, exp.SetOperation)):
            query = query.this
        if not isinstance(query, exp.Select):
            return []
        outputs: list[tuple[str, exp.DataType | None]] = []
        for item in query.expressions:
            if not item.is_star:
                outputs.append((item.alias_or_name.lower(), self.of(item.unalias(), query)))
                continue
            wanted = item.table.lower() if isinstance(item, exp.Column) else ""
            for alias, source in _sources(query):
                if wanted in ("", alias.lower()):
                    outputs.extend(self._outputs(source, query))
        return outputs


def _selects(select: exp.Expr) -> Iterator[exp.Expr]:
    """Yield a SELECT and the SELECTs around it, whose columns a correlated subquery sees."""
    around: exp.Expr | None = select
    while around is not None:
        yield around
        around = around.find_ancestor(exp.Select)


def _sources(select: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Yield (alias, relation) of the FROM clause."""
    clause = select.args.get("from_")
    sources = [clause.this] if clause is not None else []
    sources += [join.this for join in select.args.get("joins") or ()]
    sources += select.args.get("laterals") or ()
    for source in sources:
        yield source.alias_or_name, source


def _cte(table: exp.Table, select: exp.Expr) -> exp.Expr | None:
    """Return the query of the CTE that a table's name means."""
    around: exp.Expr | None = select
    while around is not None:
        clause = around.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            if cte.alias.lower() == table.name.lower() and not table.db:
                inner: exp.Expr = cte.this
                return inner
        around = around.parent
    return None


def _choices(expression: exp.Expr) -> list[exp.Expr]:
    """Return the expressions of which an expression has the value, or at least the type."""
    if isinstance(expression, exp.Case):
        branches = [branch.args["true"] for branch in expression.args["ifs"]]
        return [*branches, *filter(None, [expression.args.get("default")])]
    if isinstance(expression, exp.If):
        return [expression.args[k] for k in ("true", "false") if expression.args.get(k)]
    return list(expression.expressions)


def _field(kind: exp.DataType | None, name: str) -> exp.DataType | None:
    if kind is None or not kind.is_type(exp.DType.STRUCT):
        return None
    fields = {f.name.lower(): f.args.get("kind") for f in kind.expressions}
    found = fields.get(name)
    return found if isinstance(found, exp.DataType) else None


def _parsed(type_name: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(type_name, dialect="spark")
    except SqlglotError:
        return None
