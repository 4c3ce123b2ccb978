"""The delta of several operators at once, by a key that all changed inputs have in common.

    SELECT l.* FROM lines l JOIN (SELECT part, avg(qty) AS a FROM lines GROUP BY part) p
    ON l.part = p.part AND l.qty < p.a

For one part, this query's result depends only on the rows of that part, through all of its joins,
groups and subqueries. Orders without another late line and parents counted by their children are
such queries too. So the whole tree is one operator of touched keys (`delta.touched`). The delta
reads the touched keys' rows of each source once, however often the query reads the source. It
computes the new and the old result from them side by side.

    K = keys(Δ₁), keys(Δ₂) …      Δ = E(R₁ ⋉ K, R₂ ⋉ K, …) ⊎ -E(R₁_pre ⋉ K, R₂_pre ⋉ K, …)

The alternative is term by term: each operator slices its inputs again for the change of the
operator below. But a row that is only joined or preserved does not bring all rows of its key with
it there. So tables that are read for nothing else must be smaller than a table whose slice is
needed anyway (`_Sides.pay`).

Source: Griffin, Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD
Record 1998).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, by_place, column, passed
from dbt.adapters.ivm_spark.algebra.predicates import sides
from dbt.adapters.ivm_spark.algebra.traversal import children, substitute, walk
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    At,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    Sort,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.analysis.cardinality import rows_read
from dbt.adapters.ivm_spark.analysis.provenance import alike_columns, source_type
from dbt.adapters.ivm_spark.analysis.repeatability import check_repeatable
from dbt.adapters.ivm_spark.analysis.source_facts import rows_of
from dbt.adapters.ivm_spark.delta.bags import SIDE
from dbt.adapters.ivm_spark.delta.context import Context, Derive
from dbt.adapters.ivm_spark.delta.join_order import connected
from dbt.adapters.ivm_spark.delta.moved import is_moved
from dbt.adapters.ivm_spark.delta.sided import OverOne, sided
from dbt.adapters.ivm_spark.delta.touched import Input, touched_keys, touched_rows

Keys = tuple[str, ...]


def by_common_key(
    node: Join | SemiJoin | OuterJoin, derive: Derive, context: Context
) -> Node | None:
    """Return the delta of a join by the columns that join two of its inputs.

    An inner join has one if it reads a source that moved more than once, another join if both
    inputs moved. It returns None if the columns are no key of all inputs that moved, or if the
    slices would read more.
    """
    if isinstance(node, Join) and not _repeats(node, context):
        return None
    for keys in dict.fromkeys(_candidates(node, context)):
        found = _by_key(node, keys, derive, context)
        if found is not None:
            return found
    return None


def by_group_keys(node: Aggregate, derive: Derive, context: Context) -> Node | None:
    """Return the delta of groups by their group keys.

    It returns None if these are no key of all inputs that moved. It also returns None unless the
    delta of the groups' input would use touched keys itself.
    """
    keys = as_they_are(node.keys)
    if not keys or len(keys) < len(node.keys):
        return None
    if not _repeats(node, context) and not any(_has_partners(n, context) for n in walk(node)):
        return None
    return _by_key(node, tuple(keys), derive, context)


def _repeats(node: Node, context: Context) -> bool:
    read = Counter(n.relation for n in walk(node) if isinstance(n, Scan))
    return any(read[name] > 1 for name in context.moved)


def _has_partners(node: Node, context: Context) -> bool:
    """Return whether a changed row's result depends on partners that stay or changed too."""
    return isinstance(node, OuterJoin) or (
        isinstance(node, SemiJoin) and _moved(node.among, context)
    )


def _moved(node: Node, context: Context) -> bool:
    """Return whether a relation has changed, with a source that it reads or with the clock."""
    return any(
        n.relation in context.moved if isinstance(n, Scan) else is_moved(n) for n in walk(node)
    )


def _candidates(node: Join | SemiJoin | OuterJoin, context: Context) -> Iterator[Keys]:
    """Yield the columns that join two inputs which moved, as the join outputs them."""
    pairs = combinations(children(node), 2)
    if isinstance(node, OuterJoin) and node.side == "RIGHT":
        pairs = combinations((node.right, node.left), 2)
    for one, other in pairs:
        if not _moved(one, context) or not _moved(other, context):
            continue
        alike = alike_columns(node.predicates, one, other, context.sources)
        keys = tuple(dict.fromkeys(mine for mine, _, _ in alike))
        if keys:
            yield keys


def _by_key(node: Node, keys: Keys, derive: Derive, context: Context) -> Node | None:
    both = _Sides(context)
    found = both.of(node, keys)
    if found is None or not both.are_certain() or not both.pay():
        return None
    whole, side = found
    for leaf, rows in both.rows(derive):
        whole = substitute(whole, leaf, rows)
    return Project(whole, (*passed(node.columns), Item(WEIGHT, column(side))))


@dataclass(frozen=True)
class _Leaf:
    """A relation of which the delta reads the rows of the touched keys.

    Attributes:
        node: a source that moved, or any relation that did not.
        keys: its columns of the common key.
        place: stands for these rows in the tree, with their side as the last column.
        anyway: an operator above needs all rows of a key of which one changed.
    """

    node: Node
    keys: Keys
    place: Values
    anyway: bool

    @property
    def side(self) -> str:
        return self.place.columns[-1]


class _Sides:
    """A tree over the touched keys' rows of its inputs on both sides, built from the top down."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._leaves: list[_Leaf] = []

    def of(self, node: Node, keys: Keys, anyway: bool = False) -> tuple[Node, str] | None:
        """Return the relation of both sides, and the column that tells the sides apart.

        It returns None if an operator below combines rows of different keys, or if a source below
        does not have the keys. It also returns None if the clock has moved in an operator below,
        whose delta then has terms of its own.
        """
        if not set(keys) <= set(node.columns):
            return None
        if isinstance(node, Scan) or not _moved(node, self._context):
            return self._leaf(node, keys, anyway)
        if is_moved(node):
            return None
        if isinstance(node, (Filter, Sort, Generate, Project, Aggregate, Distinct, Window)):
            return self._over_one(node, keys, anyway)
        if isinstance(node, SemiJoin):
            return self._semi_join(node, keys, anyway)
        if isinstance(node, OuterJoin) and node.side != "FULL":
            return self._outer_join(node, keys, anyway)
        if isinstance(node, Join):
            return self._join(node, keys, anyway)
        return self._union(node, keys, anyway) if isinstance(node, UnionAll) else None

    def are_certain(self) -> bool:
        """Return whether key equality is certain, and the pre-state too.

        The leaves' keys must be equal if the query says so. It must be possible to take back the
        rows of the leaves that moved.
        """
        sources = self._context.sources
        types = {tuple(source_type(x.node, k, sources) for k in x.keys) for x in self._leaves}
        return len(types) == 1 and None not in types.pop() and all(map(self._exact, self._leaves))

    def pay(self) -> bool:
        """Return whether each table is at most as big as one that is sliced anyway."""
        rows = rows_of(self._context.sources)
        uses = Counter(self._group(leaf) for leaf in self._leaves)
        sizes: dict[bool, list[int]] = {True: [], False: []}
        for leaf in self._leaves:
            anyway = leaf.anyway or uses[self._group(leaf)] > 1
            sizes[anyway].append(rows_read(leaf.node, rows))
        return bool(sizes[True]) and max(sizes[False], default=0) <= max(sizes[True])

    def rows(self, derive: Derive) -> Iterator[tuple[Node, Node]]:
        """Yield each leaf's place and its rows.

        If several leaves read one source by one key, it is read once, with the columns of all.
        """
        inputs: dict[object, Input] = {}
        names: dict[object, dict[str, str]] = {}
        groups = [self._group(leaf) for leaf in self._leaves]
        for group, leaf in zip(groups, self._leaves, strict=True):
            if isinstance(leaf.node, Scan):
                own = names.setdefault(group, {})
                for name, field in leaf.node.fields:
                    own.setdefault(field, name)
        for group, leaf in zip(groups, self._leaves, strict=True):
            read = leaf.node
            if isinstance(read, Scan):
                read = replace(read, fields=tuple((n, f) for f, n in names[group].items()))
            keys = tuple(column(k) for k in leaf.keys)
            inputs.setdefault(group, Input(read, derive(read), keys))
        given = tuple(inputs.values())
        among = touched_keys(tuple(i for i in given if i.delta is not None))
        both = dict(zip(inputs, touched_rows(given, among), strict=True))
        for group, leaf in zip(groups, self._leaves, strict=True):
            items = passed(leaf.node.columns)
            if isinstance(leaf.node, Scan):
                own = names[group]
                items = tuple(Item(n, column(own[field])) for n, field in leaf.node.fields)
            yield leaf.place, Project(both[group], (*items, Item(leaf.side, column(SIDE))))

    def _group(self, leaf: _Leaf) -> object:
        if not isinstance(leaf.node, Scan):
            return id(leaf)
        fields = dict(leaf.node.fields)
        return (leaf.node.relation, tuple(fields[k] for k in leaf.keys))

    def _exact(self, leaf: _Leaf) -> bool:
        if not isinstance(leaf.node, Scan):
            return True
        facts = self._context.sources.get(leaf.node.relation)
        return facts is not None and facts.tells_apart(field for _, field in leaf.node.fields)

    def _leaf(self, node: Node, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        if isinstance(node, Scan) and node.at is not At.POST:
            return None
        side = f"{SIDE}_{len(self._leaves) + 1}"
        leaf = _Leaf(node, keys, Values((*node.columns, side), ()), anyway)
        self._leaves.append(leaf)
        return leaf.place, side

    def _over_one(self, node: OverOne, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        if isinstance(node, Window):
            partitions = {k.name for k in node.keys if isinstance(k, exp.Column)}
            keys = keys if set(keys) <= partitions else ()
        elif isinstance(node, (Project, Aggregate)):
            own = as_they_are(node.items if isinstance(node, Project) else node.keys)
            keys = tuple(own[k] for k in keys) if set(keys) <= own.keys() else ()
        if isinstance(node, Aggregate):
            check_repeatable(node)
        anyway = anyway or isinstance(node, (Aggregate, Distinct, Window))
        found = self.of(node.input, keys, anyway) if keys else None
        if found is None:
            return None
        below, side = found
        return sided(node, below, side), side

    def _semi_join(self, node: SemiJoin, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        found = self._pair(node.input, node.among, node.predicates, keys, anyway)
        if found is None:
            return None
        rows, among, predicates, side = found
        return SemiJoin(rows, among, predicates, node.anti), side

    def _outer_join(self, node: OuterJoin, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        preserved, other = (
            (node.left, node.right) if node.side == "LEFT" else (node.right, node.left)
        )
        found = self._pair(preserved, other, node.predicates, keys, anyway)
        if found is None:
            return None
        preserved, other, predicates, side = found
        left, right = (preserved, other) if node.side == "LEFT" else (other, preserved)
        return OuterJoin(left, right, node.side, predicates), side

    def _pair(
        self,
        preserved: Node,
        other: Node,
        predicates: tuple[exp.Expr, ...],
        keys: Keys,
        anyway: bool,
    ) -> tuple[Node, Node, tuple[exp.Expr, ...], str] | None:
        """Return both inputs of a join that preserves one of them, its predicates and its side."""
        found = self.of(preserved, keys, anyway)
        if found is None:
            return None
        rows, side = found
        if not _moved(other, self._context):
            return rows, other, predicates, side
        alike = alike_columns(predicates, preserved, other, self._context.sources)
        theirs = {mine: own for mine, own, _ in alike}
        if not set(keys) <= theirs.keys():
            return None
        met = self.of(other, tuple(theirs[k] for k in keys), anyway=True)
        if met is None:
            return None
        partners, its_side = met
        return rows, partners, (*predicates, _same(side, its_side)), side

    def _join(self, node: Join, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        inputs: list[Node] = []
        still: list[Node] = []
        own_sides: list[str] = []
        equal = [_equal(node, key, self._context) for key in keys]
        for i in node.inputs:
            if not _moved(i, self._context):
                still.append(i)
                continue
            own = [next((c for c in i.columns if c in names), None) for names in equal]
            its = tuple(k for k in own if k is not None)
            found = self.of(i, its, anyway) if len(its) == len(keys) else None
            if found is None:
                return None
            inputs.append(found[0])
            own_sides.append(found[1])
        predicates = (*node.predicates, *(_same(own_sides[0], other) for other in own_sides[1:]))
        first, *more = inputs
        return Join(connected(first, (*more, *still), predicates), predicates), own_sides[0]

    def _union(self, node: UnionAll, keys: Keys, anyway: bool) -> tuple[Node, str] | None:
        branches: list[Node] = []
        name = ""
        for i in node.inputs:
            own: Mapping[str, str] = dict(by_place(node.columns, i))
            found = self.of(i, tuple(own[k] for k in keys), anyway)
            if found is None:
                return None
            name = name or found[1]
            items = [Item(c, column(own[c])) for c in node.columns]
            branches.append(Project(found[0], (*items, Item(name, column(found[1])))))
        return UnionAll(tuple(branches)), name


def _equal(node: Join, key: str, context: Context) -> set[str]:
    """Return the columns that a join equates with one of its columns.

    All are of one type: between different types, equality need not be transitive.
    """
    kind = source_type(node, key, context.sources)
    found: set[str] = {key}
    pairs = [pair for p in node.predicates for pair in sides(p) if kind is not None]
    while True:
        met = {o.name for i, o in pairs if i.name in found and _is_column(i) and _is_column(o)}
        more = {c for c in met - found if source_type(node, c, context.sources) == kind}
        if not more:
            return found
        found |= more


def _is_column(expression: exp.Expr) -> bool:
    return isinstance(expression, exp.Column)


def _same(one: str, other: str) -> exp.Expr:
    return exp.EQ(this=column(one), expression=column(other))
