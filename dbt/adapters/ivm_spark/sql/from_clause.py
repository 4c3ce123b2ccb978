"""Turns FROM, JOIN, LATERAL VIEW and WHERE into joins and filters.

Consecutive inner joins become one n-ary Join, whose predicates include the conjuncts of WHERE. An
outer, semi, anti or lateral join takes everything before it as its left input. So does a subquery
in the ON of an inner join; it means the same as in WHERE.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Filter,
    Item,
    Join,
    Lateral,
    Node,
    OuterJoin,
    Project,
    SemiJoin,
    Values,
)
from dbt.adapters.ivm_spark.sql.block import BlockBuilder, Ctes, rename
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.generators import build_lateral
from dbt.adapters.ivm_spark.sql.join_groups import CLOSES, NATURAL, OPENS, SHARED
from dbt.adapters.ivm_spark.sql.pivot import build_pivot
from dbt.adapters.ivm_spark.sql.subquery import Subqueries, holds_subquery
from dbt.adapters.ivm_spark.sql.values import build_values

_INNER = ("", "INNER", "CROSS")
_SIDES = ("LEFT", "RIGHT", "FULL")


def build_from(
    builder: BlockBuilder, select: exp.Select, ctes: Ctes, environment: Environment
) -> Node:
    """Return the rows that the rest of a SELECT works on, and bring their columns into scope.

    Raises NotMaintained for a join or a table expression without an operator.
    """
    clause = select.args.get("from_")
    joined = _Joined(builder, ctes, environment, clause.this if clause is not None else None)
    for join in _joins(select):
        joined.add(join)
    laterals = select.args.get("laterals") or ()
    node = joined.node()
    for lateral in laterals:
        node = build_lateral(builder.names, lateral, node, environment)
    where = select.args.get("where")
    filters = conjuncts(where.this) if where else []
    resolved = [environment.resolve(part) for part in filters if not holds_subquery(part)]
    across = [part for part in resolved if not environment.covers(part)]
    plain = [part for part in resolved if environment.covers(part)]
    if isinstance(node, Join) and not laterals and len(joined.inputs) > 1:
        node = Join(node.inputs, (*node.predicates, *plain))
    else:
        for part in plain:
            node = Filter(node, part)
    node = joined.filtered(node, [part for part in filters if holds_subquery(part)])
    for part in across:
        node = Filter(node, part)
    return node


@dataclass
class _Group:
    """The relations of a FROM clause, or of parentheses in it, left to right.

    Attributes:
        inputs: the relations that inner joins have added since the last join of another kind.
        aliases: the aliases of all relations.
        shared: the value of each column of a USING, by its label.
        predicates: the predicates of the inner joins between the inputs.
    """

    inputs: list[Node]
    aliases: list[str]
    shared: dict[str, exp.Expr] = field(default_factory=dict)
    predicates: list[exp.Expr] = field(default_factory=list)

    def node(self) -> Node:
        """Return everything so far as one relation."""
        if len(self.inputs) == 1:
            return self.inputs[0]
        return Join(tuple(self.inputs), tuple(self.predicates))

    def begin(self, node: Node) -> None:
        """Go on with one relation in place of everything so far."""
        self.inputs, self.predicates = [node], []


class _Joined:
    """The joins of a FROM clause."""

    def __init__(
        self, builder: BlockBuilder, ctes: Ctes, environment: Environment, first: exp.Expr | None
    ) -> None:
        self._builder = builder
        self._ctes = ctes
        self._environment = environment
        one_row = _Group([Values((), ((),))], [])
        self._groups = [one_row if first is None else self._relation(first)]

    @property
    def inputs(self) -> list[Node]:
        """Return the relations that inner joins have added since the last join of another kind."""
        return self._groups[0].inputs

    def node(self) -> Node:
        """Return everything so far as one relation."""
        return self._groups[0].node()

    def filtered(self, node: Node, parts: list[exp.Expr]) -> Node:
        """Return the rows for which predicates that contain subqueries are true."""
        for part in parts:
            subqueries = Subqueries(self._builder, self._ctes, self._environment)
            predicate = self._environment.resolve(subqueries.taken(part, condition=True))
            node = Filter(subqueries.over(node, self._environment), predicate)
        return node

    def add(self, join: exp.Join) -> None:
        """Add the next join, and the joins of the groups that end after it."""
        if join.args.get(OPENS):
            self._groups.append(self._relation(join.this))
        elif isinstance(join.this, exp.Lateral):
            self._add_lateral(join, _kind(join))
        else:
            self._join(join, self._relation(join.this))
        for end in join.args.get(CLOSES) or ():
            self._join(end, self._groups.pop())

    def _relation(self, source: exp.Expr) -> _Group:
        node = relation(self._builder, source, self._ctes, self._environment)
        return _Group([node], [_alias(source)])

    def _join(self, join: exp.Expr, right: _Group) -> None:
        """Join the innermost group with what is right of it."""
        kind, left = _kind(join), self._groups[-1]
        self._environment.shared = {**right.shared, **left.shared}
        shared = self._shared_columns(join, left, right)
        own: list[exp.Expr] = [exp.EQ(this=one, expression=other) for one, other in shared.values()]
        nested: list[exp.Expr] = []
        if not shared:
            own, nested = self._on(join)
        if nested and kind not in _INNER:
            raise not_supported(f"a subquery in the ON of a {kind} JOIN")
        if kind in _INNER:
            left.inputs.append(right.node())
            left.predicates.extend(own)
        elif kind in _SIDES:
            left.begin(OuterJoin(left.node(), right.node(), kind, tuple(own)))
        else:
            left.begin(SemiJoin(left.node(), right.node(), tuple(own), kind == "LEFT ANTI"))
            for alias in right.aliases:
                self._environment.remove(alias)
            self._environment.shared = left.shared
            return
        left.aliases.extend(right.aliases)
        left.shared = {**right.shared, **left.shared}
        self._share(kind, left, shared)
        self._environment.shared = left.shared
        if nested:
            left.begin(self.filtered(left.node(), nested))

    def _share(self, kind: str, left: _Group, shared: dict[str, tuple[exp.Expr, exp.Expr]]) -> None:
        """Keep what the columns of USING mean above the join.

        Source: `commonNaturalJoinProcessing` of Spark's Analyzer.
        """
        if kind != "FULL":
            place = int(kind == "RIGHT")
            left.shared.update({label: pair[place].copy() for label, pair in shared.items()})
            return
        items = []
        for label, (one, other) in shared.items():
            first = exp.Coalesce(this=one.copy(), expressions=[other.copy()])
            items.append(Item(self._builder.names.unique(label), first))
            left.shared[label] = column(items[-1].name)
        if items:
            rows = left.node()
            left.begin(Project(rows, (*passed(rows.columns), *items)))

    def _shared_columns(
        self, join: exp.Expr, left: _Group, right: _Group
    ) -> dict[str, tuple[exp.Expr, exp.Expr]]:
        """Return the columns of USING or of a NATURAL JOIN: the values of both sides by label."""
        labels = [name.name for name in join.args.get(SHARED) or ()]
        if join.args.get(NATURAL):
            there = self._labels(right)
            labels = [label for label in self._labels(left) if label in there]
        return {label: (self._value(left, label), self._value(right, label)) for label in labels}

    def _labels(self, group: _Group) -> dict[str, None]:
        own = (label for alias in group.aliases for label in self._environment.labels(alias))
        return dict.fromkeys((*group.shared, *own))

    def _value(self, group: _Group, label: str) -> exp.Expr:
        """Return what an unqualified name means on one side of a join."""
        if label in group.shared:
            return group.shared[label].copy()
        columns = [self._environment.labels(alias).get(label) for alias in group.aliases]
        found = [name for name in columns if name is not None]
        if len(found) != 1:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"{label} in USING")
        return column(found[0])

    def _add_lateral(self, join: exp.Join, kind: str) -> None:
        """Add a subquery that sees the columns of the relations before it."""
        lateral, left = join.this, self._groups[-1]
        if kind not in (*_INNER, "LEFT"):
            raise not_supported(f"{kind} JOIN LATERAL")
        if not isinstance(lateral.this, exp.Subquery):
            self._generate(join, kind)
            return
        query = self._builder.query(lateral.this, self._ctes, self._environment)
        block = rename(query, lateral.args.get("alias"))
        alias = lateral.alias_or_name
        self._environment.add(alias, block)
        own, nested = self._on(join)
        if nested:
            raise not_supported("a subquery in the ON of a JOIN LATERAL")
        name = self._builder.names.unique("lateral")
        left.begin(Lateral(left.node(), block.node, name, tuple(own), left=kind == "LEFT"))
        left.aliases.append(alias)

    def _generate(self, join: exp.Join, kind: str) -> None:
        """Add a generator after LATERAL, which means the same as a LATERAL VIEW."""
        lateral, left = join.this, self._groups[-1]
        on = join.args.get("on")
        if kind not in _INNER or (on is not None and on != exp.true()):
            raise not_supported("a condition or LEFT JOIN on a table function after LATERAL")
        left.begin(build_lateral(self._builder.names, lateral, left.node(), self._environment))
        left.aliases.append(lateral.alias_or_name)

    def _on(self, join: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """Return the resolved conjuncts of ON, and those with subqueries, unchanged."""
        on = join.args.get("on")
        parts = conjuncts(on) if on is not None else []
        plain = [self._environment.resolve(part) for part in parts if not holds_subquery(part)]
        return plain, [part for part in parts if holds_subquery(part)]


def relation(builder: BlockBuilder, source: exp.Expr, ctes: Ctes, environment: Environment) -> Node:
    """Return one table, CTE or subquery of a FROM clause, and bring its columns into scope."""
    if isinstance(source, exp.Table):
        block = ctes[source.name]() if source.name in ctes else builder.scan(source)
        block = rename(block, source.args.get("alias"))
    elif isinstance(source, exp.Subquery):
        if source.args.get("sample"):
            raise not_supported("TABLESAMPLE")
        block = builder.query(_without_pivot(source), ctes, environment.outer)
        block = rename(block, source.args.get("alias"))
    elif isinstance(source, exp.Values):
        block = build_values(builder.names, source)
    else:
        raise not_supported(type(source).__name__.upper())
    for pivot in source.args.get("pivots") or ():
        alias = source.alias_or_name
        block = build_pivot(builder.names, pivot, block, alias, builder.sources)
    environment.add(_alias(source), block)
    return block.node


def _without_pivot(source: exp.Subquery) -> exp.Subquery:
    if not source.args.get("pivots"):
        return source
    bare = source.copy()
    bare.set("pivots", None)
    return bare


def _alias(source: exp.Expr) -> str:
    """Return the alias of a relation's columns: its own, or that of its PIVOT."""
    pivots = source.args.get("pivots") or ()
    if len(pivots) > 1:
        raise not_supported("PIVOT of a PIVOT")
    return str(pivots[0].alias if pivots else source.alias_or_name)


def _joins(select: exp.Select) -> list[exp.Join]:
    joins: list[exp.Join] = []
    for join in select.args.get("joins") or ():
        nested = join.this.args.get("joins") or ()
        if nested and any(_kind(j) not in _INNER for j in (join, *nested)):
            raise not_supported("joins in parentheses")
        joins.extend((join, *nested))
    return joins


def _kind(join: exp.Expr) -> str:
    given = (str(join.args.get(part) or "") for part in ("method", "side", "kind"))
    words = " ".join(given).upper().replace("OUTER", "").split()
    if join.args.get(NATURAL):
        words = [word for word in words if word != "NATURAL"]
    kind = " ".join(words)
    if kind in ("SEMI", "ANTI"):
        kind = f"LEFT {kind}"
    if kind not in (*_INNER, *_SIDES, "LEFT SEMI", "LEFT ANTI"):
        raise not_supported(f"{kind} JOIN")
    if join.args.get("using"):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a USING that was not expanded")
    return kind
