"""Writes a tree as SQL that reads as if a person wrote it: one block wherever SQL allows it.

`Binding` says what a scan is in SQL: a versioned table or a change feed on Spark, a plain table in
DuckDB or for the comparison of plans. So the same tree runs on both engines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlglot import exp
from typing_extensions import assert_never

from dbt.adapters.ivm_spark.algebra.columns import by_place, columns_in, free_columns, used_columns
from dbt.adapters.ivm_spark.algebra.traversal import below_rows, walk
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    GroupingSets,
    Item,
    Join,
    Lateral,
    Limit,
    Mark,
    Materialize,
    Node,
    OuterJoin,
    Pivot,
    Project,
    RuntimeFilter,
    ScalarSubquery,
    Scan,
    SemiJoin,
    SetOp,
    Sort,
    TimeWindow,
    UnionAll,
    Unpivot,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.sql.names import Names
from dbt.adapters.ivm_spark.sql.parentheses import parenthesized
from dbt.adapters.ivm_spark.sql.pivot_clause import pivot_clause, pivot_inputs
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.sql.sql_block import SqlBlock, alias_of, aliased, columns_of


def render(node: Node, bind: Binding, nested: bool = False) -> exp.Query:
    """Return the tree as a query whose outputs have the tree's column names, in order.

    nested: what a Project computes becomes a table of its own, as in a query of many CTEs.
    """
    return parenthesized(_Renderer(node, bind, nested).query(node))


class _Renderer:
    def __init__(self, root: Node, bind: Binding, nested: bool) -> None:
        self._bind = bind
        self._nested = nested
        self._names = Names()
        for node in walk(root):
            if isinstance(node, Scan):
                self._names.unique(node.alias)

    def query(self, node: Node) -> exp.Query:
        match node:
            case UnionAll():
                branches = [self._positional(child, node.columns) for child in node.inputs]
                query: exp.Query = branches[0]
                for branch in branches[1:]:
                    query = exp.Union(this=query, expression=branch, distinct=False)
                return query
            case SetOp():
                operator = exp.Intersect if node.kind == "INTERSECT" else exp.Except
                left = self._positional(node.left, node.columns)
                right = self._positional(node.right, node.columns)
                return operator(this=left, expression=right, distinct=not node.all)
            case Aggregate():
                return self._aggregate(node)
            case GroupingSets():
                return self._grouping_sets(node)
            case Pivot() | Unpivot():
                return self._pivoted(node)
            case Distinct():
                select = self._select(node.input)
                select.set("distinct", exp.Distinct())
                return select
            case Sort():
                return self._sorted(node)
            case Limit():
                return self._limited(node)
            case _:
                return self._select(node)

    def _sorted(self, node: Sort) -> exp.Query:
        # Order by the outputs' names. With their expressions, Spark would sort below a Project, and
        # a LATERAL with a LIMIT above would not find its order.
        below = isinstance(node.input, (UnionAll, SetOp))
        query = self.query(node.input) if below else self._select(node.input)
        query.set("order", exp.Order(expressions=[o.copy() for o in node.orderings]))
        return query

    def _limited(self, node: Limit) -> exp.Query:
        query = self.query(node.input)
        if isinstance(node.input, (Limit, UnionAll, SetOp)):
            query = self._select(node.input)
        if node.limit is not None:
            query.set("limit", exp.Limit(expression=node.limit.copy()))
        if node.offset is not None:
            query.set("offset", exp.Offset(expression=node.offset.copy()))
        return query

    def _select(self, node: Node) -> exp.Select:
        block = self._block(node)
        return block.select([(c, block.columns[c]) for c in node.columns])

    def _positional(self, node: Node, names: tuple[str, ...]) -> exp.Select:
        """Return a branch of a union under the union's names; a weight matches by name."""
        block = self._block(node)
        return block.select([(n, block.columns[own]) for n, own in by_place(names, node)])

    def _aggregate(self, node: Aggregate) -> exp.Select:
        block = self._rows(node.input)
        keys = [(item.name, block.over(item.expression)) for item in node.keys]
        if any(_is_constant(e) for _, e in keys):
            block = self._keyed(node)
            own = {item.name for item in node.keys if _is_constant(item.expression)}
            keys = [
                (
                    item.name,
                    block.columns[item.name] if item.name in own else block.over(item.expression),
                )
                for item in node.keys
            ]
        select = block.select(
            keys + [(item.name, block.over(item.expression)) for item in node.aggregates]
        )
        if keys:
            select.set("group", exp.Group(expressions=[e.copy() for _, e in keys]))
        return select

    def _grouping_sets(self, node: GroupingSets) -> exp.Select:
        """Return a GROUP BY with GROUPING SETS, which tells keys apart by their text.

        Two keys of one text therefore become columns first. So does a literal, which SQL would read
        as a position.
        """
        block = self._block(node.input)
        keys = {item.name: block.over(item.expression) for item in node.keys}
        if len(set(keys.values())) < len(keys) or any(_is_constant(e) for e in keys.values()):
            block = self._closed(block, node.input)
            keys = {item.name: block.over(item.expression) for item in node.keys}
        select = block.select(
            [*keys.items(), *((item.name, block.over(item.expression)) for item in node.aggregates)]
        )
        sets = [exp.Tuple(expressions=[keys[name].copy() for name in names]) for names in node.sets]
        group = exp.Group(expressions=[e.copy() for e in keys.values()])
        group.set("grouping_sets", [exp.GroupingSets(expressions=sets)])
        select.set("group", group)
        return select

    def _pivoted(self, node: Pivot | Unpivot) -> exp.Select:
        """Return the input as a table with PIVOT or UNPIVOT after it."""
        block = self._block(node.input)
        used = [c for c in node.input.columns if c in pivot_inputs(node)]
        query = block.select([(c, block.columns[c]) for c in used])
        pivot, names = pivot_clause(node)
        table = exp.Subquery(this=query, alias=alias_of(self._names.unique("q")), pivots=[pivot])
        return SqlBlock(table, names).select([(c, names[c]) for c in node.columns])

    def _keyed(self, node: Aggregate) -> SqlBlock:
        """Return the input with each constant key as a column.

        SQL would read a number as a position.
        """
        block = self._rows(node.input)
        items = [(c, block.columns[c]) for c in node.input.columns]
        items += [
            (item.name, item.expression) for item in node.keys if _is_constant(item.expression)
        ]
        return self._derived(block.select(items), tuple(name for name, _ in items))

    def _block(self, node: Node) -> SqlBlock:
        match node:
            case Scan():
                bound = self._bind(node)
                return SqlBlock(bound.table, dict(bound.columns))
            case Values():
                return self._values(node)
            case Filter():
                block = self._rows(node.input)
                block.where.append(block.over(node.predicate))
                # Spark computes a filter of literals at once, if it is not one of a join.
                base = below_rows(node.input)
                of_the_text = isinstance(base, Values) and bool(base.columns)
                return self._closed(block, node) if of_the_text else block
            case Empty():
                block = self._rows(node.input)
                block.where.append(exp.false())
                return block
            case Project():
                return self._project(node)
            case Join():
                return self._join(node)
            case OuterJoin():
                return self._outer_join(node)
            case SemiJoin():
                return self._semi_join(node)
            case ScalarSubquery() | Mark():
                return self._subquery(node)
            case Lateral():
                return self._lateral(node)
            case Generate():
                return self._generate(node)
            case TimeWindow():
                return self._time_window(node)
            case Broadcast():
                return self._few(node)
            case Window():
                return self._window(node)
            case UnionAll() | SetOp() | Aggregate() | GroupingSets() | Pivot() | Unpivot():
                return self._derived(self.query(node), node.columns)
            case Distinct() | Sort() | Limit():
                return self._derived(self.query(node), node.columns)
            case Materialize() | RuntimeFilter():
                raise TypeError(f"{type(node).__name__} is lowered before it is written")
        assert_never(node)

    def _rows(self, node: Node) -> SqlBlock:
        """Return a block whose rows may be filtered, joined or grouped in the block itself.

        A subquery that is a column stays one. If it replaced every use of the column, Spark would
        plan it again for each use.
        """
        block = self._block(node)
        own = isinstance(node, Project) and block.has_subqueries
        return self._closed(block, node) if block.windowed or own else block

    def _operand(self, node: Node, predicates: Iterable[exp.Expr]) -> SqlBlock:
        """Return a block to join.

        A merged column of FULL JOIN USING stays a column below the join. Of a column, Spark knows
        that it is not NULL if it is equal to another; of a call of COALESCE it does not.
        """
        block = self._rows(node)
        used = used_columns(*predicates) & block.columns.keys()
        merged = any(isinstance(block.columns[name], exp.Coalesce) for name in used)
        return self._closed(block, node) if merged else block

    def _values(self, node: Values) -> SqlBlock:
        if not node.columns:
            return self._derived(exp.select("0 as nothing", dialect="spark"), ())
        alias = self._names.unique("v")
        rows = [exp.Tuple(expressions=[v.copy() for v in row]) for row in node.rows]
        table = exp.Values(expressions=rows, alias=alias_of(alias, node.columns))
        return SqlBlock(table, columns_of(alias, node.columns))

    def _project(self, node: Project) -> SqlBlock:
        block = self._block(node.input)
        if any(_computed(block.columns.get(name)) for name in _used_again(node.items)):
            used = used_columns(*(item.expression for item in node.items))
            needed = tuple(c for c in node.input.columns if c in used)
            block = self._derived(block.select([(c, block.columns[c]) for c in needed]), needed)
        block.columns = {item.name: block.over(item.expression) for item in node.items}
        if self._nested and any(_computed(e) for e in block.columns.values()):
            return self._closed(block, node)
        return block

    def _join(self, node: Join) -> SqlBlock:
        waiting = list(node.predicates)
        block = self._operand(node.inputs[0], waiting)
        if block.laterals:
            block = self._closed(block, node.inputs[0])
        for child in node.inputs[1:]:
            other = self._operand(child, waiting)
            if other.joins or other.laterals or other.aliases & block.aliases:
                other = self._closed(other, child)
            weight = _product(block.columns.get(WEIGHT), other.columns.get(WEIGHT))
            block.columns = {**block.columns, **other.columns}
            if weight is not None:
                block.columns[WEIGHT] = weight
            block.where.extend(other.where)
            block.broadcast.extend(other.broadcast)
            ready = [p for p in waiting if used_columns(p) <= block.columns.keys()]
            waiting = [p for p in waiting if p not in ready]
            join = exp.Join(this=other.table)
            if ready:
                join.set("on", exp.and_(*(block.over(p) for p in ready), wrap=True, copy=False))
            else:
                join.set("kind", "CROSS")
            block.joins.append(join)
        block.where.extend(block.over(p) for p in waiting)
        return block

    def _semi_join(self, node: SemiJoin) -> SqlBlock:
        block = self._operand(node.input, node.predicates)
        if block.laterals:
            block = self._closed(block, node.input)
        rows = node.among.input if isinstance(node.among, Broadcast) else node.among
        among = self._derived(self.query(rows), rows.columns)
        if rows is not node.among:
            block.broadcast.append(among.table.alias)
        both = SqlBlock(block.table, {**block.columns, **among.columns})
        block.joins.append(
            exp.Join(
                this=among.table,
                side="LEFT",
                kind="ANTI" if node.anti else "SEMI",
                on=_all(both.over(p) for p in node.predicates),
            )
        )
        return block

    def _outer_join(self, node: OuterJoin) -> SqlBlock:
        """Return a block with an outer join.

        A side that is filtered, or whose rows may be filled with NULLs, is a table of its own. Its
        expressions and filters belong below the join.
        """
        rows = node.right.input if isinstance(node.right, Broadcast) else node.right
        left, right = (self._operand(side, node.predicates) for side in (node.left, rows))
        if left.laterals or (node.side != "LEFT" and not left.plain):
            left = self._closed(left, node.left)
        if not right.plain or right.joins or right.aliases & left.aliases:
            right = self._closed(right, rows)
        if rows is not node.right:
            left.broadcast.append(right.table.alias)
        left.columns = {**left.columns, **right.columns}
        on = _all(left.over(p) for p in node.predicates)
        left.joins.append(exp.Join(this=right.table, side=node.side, on=on))
        return left

    def _subquery(self, node: ScalarSubquery | Mark) -> SqlBlock:
        """Return a block with a subquery as an expression.

        A correlated subquery takes the columns that it does not have itself from the block.
        """
        block = self._with_columns(self._rows(node.input), node.input, free_columns(node.query))
        query = block.over(self._subselect(node.query))
        value: exp.Expr = exp.Subquery(this=query)
        if isinstance(node, Mark):
            value = _predicate(query, [block.over(o) for o in node.operands], node.negated)
        block.columns = {**block.columns, node.name: value}
        return block

    def _lateral(self, node: Lateral) -> SqlBlock:
        block = self._with_columns(self._rows(node.input), node.input, free_columns(node.query))
        if block.laterals:
            block = self._closed(block, node.input)
        query = block.over(self._subselect(node.query))
        alias = self._names.unique("q")
        join = exp.Join(this=exp.Lateral(this=exp.Subquery(this=query), alias=alias_of(alias)))
        block.columns = {**block.columns, **columns_of(alias, node.query.columns)}
        if node.left:
            join.set("side", "LEFT")
        elif not node.predicates:
            join.set("kind", "CROSS")
        if node.left or node.predicates:
            join.set("on", _all(block.over(p) for p in node.predicates))
        block.joins.append(join)
        return block

    def _subselect(self, node: Node) -> exp.Query:
        """Return a subquery, with expressions and conditions over aggregates beside the aggregates.

        Spark can decorrelate that form, but not a SELECT around it.
        """
        below = node.input if isinstance(node, Project) else node
        having = below.predicate if isinstance(below, Filter) else None
        groups = below.input if isinstance(below, Filter) else below
        if not isinstance(groups, Aggregate) or groups is node:
            return self.query(node)
        select = self._aggregate(groups)
        grouped = SqlBlock(select, {item.alias: item.this for item in select.expressions})
        if isinstance(node, Project):
            items = [aliased(grouped.over(item.expression), item.name) for item in node.items]
            select.set("expressions", items)
        if having is not None:
            select.set("having", exp.Having(this=grouped.over(having)))
        return select

    def _window(self, node: Window) -> SqlBlock:
        """Return a block with windows over the same rows.

        A window over another window's output gets a block of its own.
        """
        block = self._block(node.input)
        used = used_columns(*(item.expression for item in node.items))
        if any(block.columns[c].find(exp.Window) is not None for c in used):
            block = self._closed(block, node.input)
        over = {item.name: block.over(item.expression) for item in node.items}
        block.columns = {**block.columns, **over}
        return block

    def _time_window(self, node: TimeWindow) -> SqlBlock:
        """Return a block of its own: Spark computes windows below what reads them."""
        block = self._rows(node.input)
        items = [(name, block.columns[name]) for name in node.columns if name != node.name]
        items.append((node.name, block.over(node.call)))
        return self._derived(block.select(items), tuple(name for name, _ in items))

    def _generate(self, node: Generate) -> SqlBlock:
        used = used_columns(node.generator)
        block = self._with_columns(self._rows(node.input), node.input, used)
        if block.where:
            block = self._closed(block, node.input)
        alias = self._names.unique("generated")
        block.laterals.append(
            exp.Lateral(
                this=block.over(node.generator),
                view=True,
                outer=node.outer,
                alias=alias_of(alias, node.outputs),
            )
        )
        block.columns = {**block.columns, **columns_of(alias, node.outputs)}
        return block

    def _few(self, node: Broadcast) -> SqlBlock:
        """Return one table, whose alias goes into the hint of the join around it."""
        block = self._rows(node.input)
        if block.joins or block.laterals:
            block = self._closed(block, node.input)
        block.broadcast.append(block.table.alias)
        return block

    def _with_columns(self, block: SqlBlock, node: Node, names: set[str]) -> SqlBlock:
        """Return a block in which none of these columns is a computed expression."""
        computed = any(_computed(block.columns.get(name)) for name in names)
        return self._closed(block, node) if computed else block

    def _closed(self, block: SqlBlock, node: Node) -> SqlBlock:
        """Return a block as a table of its own."""
        query = block.select([(c, block.columns[c]) for c in node.columns])
        return self._derived(query, node.columns)

    def _derived(self, query: exp.Query, columns: tuple[str, ...]) -> SqlBlock:
        alias = self._names.unique("q")
        table = exp.Subquery(this=query, alias=alias_of(alias))
        return SqlBlock(table, columns_of(alias, columns))


def _predicate(query: exp.Expr, operands: list[exp.Expr], negated: bool) -> exp.Expr:
    """Return EXISTS, IN or NOT IN."""
    if not operands:
        return exp.Exists(this=query)
    one = operands[0] if len(operands) == 1 else exp.Tuple(expressions=operands)
    among = exp.In(
        this=one if len(operands) > 1 else exp.paren(one), query=exp.Subquery(this=query)
    )
    return exp.Not(this=among) if negated else among


def _all(predicates: Iterable[exp.Expr]) -> exp.Expr:
    parts = list(predicates)
    return exp.and_(*parts, wrap=True, copy=False) if parts else exp.true()


def _used_again(items: Iterable[Item]) -> set[str]:
    """Return the columns that the items use more than once."""
    uses = Counter(c.name for item in items for c in columns_in(item.expression))
    return {name for name, count in uses.items() if count > 1}


def _is_constant(expression: exp.Expr) -> bool:
    return expression.find(exp.Column) is None


def _computed(expression: exp.Expr | None) -> bool:
    return expression is not None and not isinstance(expression, (exp.Column, exp.Literal))


def _product(left: exp.Expr | None, right: exp.Expr | None) -> exp.Expr | None:
    if left is None or right is None:
        return left if right is None else right
    return exp.Mul(this=exp.paren(left), expression=exp.paren(right))
