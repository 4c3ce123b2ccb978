"""Turns a SELECT into operators, in the order in which SQL evaluates its clauses.

The order is FROM, WHERE, GROUP BY, HAVING, window functions, SELECT, DISTINCT, ORDER BY, LIMIT.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, passed, used_columns
from dbt.adapters.ivm_spark.algebra.expressions import aggregates_in, check
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import Distinct, Filter, Item, Limit, Node, Project, Sort
from dbt.adapters.ivm_spark.sql.block import BlockBuilder, Built, Ctes
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.from_clause import build_from
from dbt.adapters.ivm_spark.sql.grouping import Grouping
from dbt.adapters.ivm_spark.sql.grouping_sets import Set, has_sets, read_sets
from dbt.adapters.ivm_spark.sql.subquery import Subqueries, holds_subquery
from dbt.adapters.ivm_spark.sql.time_windows import TimeWindows
from dbt.adapters.ivm_spark.sql.window import Windows, spelled_out

_CLAUSES = frozenset(
    """with_ kind expressions hint distinct from_ joins laterals where group having order limit
    offset operation_modifiers sort distribute cluster windows""".split()
)


def build_select(
    builder: BlockBuilder, select: exp.Select, ctes: Ctes, outer: Environment | None = None
) -> Built:
    """Return the tree of a SELECT whose names sqlglot has qualified.

    outer: the scope of the outer block of a correlated subquery. Raises NotMaintained for a clause
    or a join that has no operator yet.
    """
    for clause, value in select.args.items():
        if value and clause not in _CLAUSES:
            raise not_supported(clause.strip("_").upper())
    environment = Environment(builder.sources, outer)
    node = build_from(builder, select, ctes, environment)
    time_windows = TimeWindows(builder.names, environment)
    select = time_windows.taken(select)
    node = time_windows.over(node)
    below = Subqueries(builder, ctes, environment)
    beside = Subqueries(builder, ctes, environment, below)
    items = [
        (
            item.alias_or_name or "c",
            environment.resolve(beside.taken(spelled_out(item.unalias(), select)), windows=True),
        )
        for item in select.expressions
    ]
    conditions = []
    for part in _having(select):
        own = Subqueries(builder, ctes, environment, below)
        conditions.append((environment.resolve(own.taken(part, condition=True)), own))
    order = _Order(select, items, environment)

    calls = any(aggregates_in(e) for e in [*(e for _, e in items), *order.resolved])
    node = below.over(node, environment)
    if not select.args.get("group") and not calls and not conditions:
        node = beside.over(node, environment)
        return _windowed(builder, select, node, items, order)
    keys, sets = _group_keys(select, items, environment)
    if any(key.find(exp.Window) for key, _ in keys):
        raise not_supported("GROUP BY a window function")
    taken = [beside, *(own for _, own in conditions)]
    given = {name for subqueries in taken for name in subqueries.names}
    if given & used_columns(*(e for e, _ in keys)):
        raise not_supported("GROUP BY a subquery")
    grouping = Grouping(builder.names, keys, sets, given | environment.outer_names())
    items = [(label, grouping.over(e, label)) for label, e in items]
    order.resolved = [grouping.over(e) for e in order.resolved]
    conditions = [(grouping.over(condition), own) for condition, own in conditions]
    for subqueries in taken:
        subqueries.regroup(grouping.over)
    node = grouping.node(node)
    above = environment.grouped(grouping.key)
    for condition, own in conditions:
        node = Filter(own.over(node, above), condition)
    node = beside.over(node, above)
    return _windowed(builder, select, node, items, order)


def _windowed(
    builder: BlockBuilder,
    select: exp.Select,
    node: Node,
    items: list[tuple[str, exp.Expr]],
    order: _Order,
) -> Built:
    windows = Windows(builder.names)
    items = [(label, windows.over(e, label)) for label, e in items]
    order.resolved = [windows.over(e) for e in order.resolved]
    return _finish(builder, select, windows.node(node), items, order)


def _having(select: exp.Select) -> list[exp.Expr]:
    """Return the conjuncts of HAVING if one has a subquery, otherwise HAVING as a whole."""
    having = select.args.get("having")
    if having is None:
        return []
    return conjuncts(having.this) if holds_subquery(having.this) else [having.this]


def _group_keys(
    select: exp.Select, items: list[tuple[str, exp.Expr]], environment: Environment
) -> tuple[list[tuple[exp.Expr, str]], list[Set] | None]:
    """Return the keys of the group, each with a wanted name, and their sets if there are several.

    A key that is selected as it is takes the output's name.
    """
    group = select.args.get("group")
    if group is None:
        return [], None
    if group.args.get("totals"):
        raise not_supported("TOTALS")
    if group.args.get("all"):
        return [(e, label) for label, e in items if not aggregates_in(e)], None
    names: dict[exp.Expr, str] = {}

    def read(key: exp.Expr) -> exp.Expr:
        expression = environment.resolve(key.unnest())
        if isinstance(expression, exp.Tuple) and not expression.expressions:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "GROUP BY ()")
        if isinstance(expression, exp.Literal) and expression.is_int:
            expression = _at_position(expression, items)
        label = next((label for label, e in items if e == expression), key.alias_or_name)
        names.setdefault(expression, label or "key")
        return expression

    if has_sets(group):
        expressions, sets = read_sets(group, read)
        return [(e, names[e]) for e in expressions], sets
    return [(e, names[e]) for e in map(read, group.expressions)], None


def _at_position(place: exp.Literal, items: list[tuple[str, exp.Expr]]) -> exp.Expr:
    """Return the output that an integer means, if sqlglot has left the integer.

    Any other literal is a constant key.
    """
    if not 0 < int(place.name) <= len(items):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"GROUP BY position {place.name}")
    return items[int(place.name) - 1][1]


class _Order:
    """ORDER BY: each ordering is over an output of the SELECT, or over the columns below it."""

    def __init__(
        self, select: exp.Select, items: list[tuple[str, exp.Expr]], environment: Environment
    ) -> None:
        clause = select.args.get("order")
        self.orderings: list[exp.Ordered] = list(clause.expressions) if clause else []
        self.resolved: list[exp.Expr] = []
        outputs = dict(items)
        for ordering in self.orderings:
            body = environment.spread(ordering.this.copy())
            if isinstance(body, exp.Literal):
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "ORDER BY a position")
            check(body)
            self.resolved.append(body.transform(self._resolved, outputs, environment))

    @staticmethod
    def _resolved(
        node: exp.Expr, outputs: dict[str, exp.Expr], environment: Environment
    ) -> exp.Expr:
        if isinstance(node, exp.Coalesce):
            return environment.resolve(node)
        if not isinstance(node, exp.Column):
            return node
        if not node.table:
            return outputs[node.name].copy() if node.name in outputs else node
        return environment.resolve(node)


def _finish(
    builder: BlockBuilder,
    select: exp.Select,
    node: Node,
    items: list[tuple[str, exp.Expr]],
    order: _Order,
) -> Built:
    outputs = [Item(builder.names.unique(label), expression) for label, expression in items]
    sort_keys: list[str] = []
    hidden: list[Item] = []
    for expression in order.resolved:
        found = next((i for i in (*outputs, *hidden) if i.expression == expression), None)
        if found is None:
            found = Item(builder.names.unique("sort_key"), expression)
            hidden.append(found)
        sort_keys.append(found.name)
    distinct = select.args.get("distinct")
    if distinct is not None and (distinct.args.get("on") or hidden):
        raise not_supported("this form of DISTINCT")
    node = Project(node, (*outputs, *hidden))
    if distinct is not None:
        node = Distinct(node)
    if order.orderings:
        node = Sort(
            node,
            tuple(
                exp.Ordered(
                    this=column(name),
                    desc=ordering.args.get("desc"),
                    nulls_first=ordering.args.get("nulls_first"),
                )
                for name, ordering in zip(sort_keys, order.orderings, strict=True)
            ),
        )
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if limit is not None or offset is not None:
        if hidden and free_columns(node):
            # Spark looks for the order only directly below the LIMIT. If it finds none there, it
            # numbers the rows in any order.
            raise not_supported("a correlated LIMIT ordered by an expression that is not selected")
        node = Limit(
            node,
            limit.expression if limit is not None else None,
            offset.expression if offset is not None else None,
        )
    if hidden:
        node = Project(node, passed(i.name for i in outputs))
    return Built(node, tuple((label, i.name) for (label, _), i in zip(items, outputs, strict=True)))
