"""The old and the new tree of a query whose SQL has changed, as one tree with moved expressions.

    old:  SELECT … FROM orders WHERE amount > 1
    new:  SELECT … FROM orders WHERE amount > 2 AND note IS NOT NULL

    one:  filter(orders, moved(amount > 1 → amount > 2 AND note IS NOT NULL))

With the old expressions, the one tree is the old query's relation, and with the new ones the new
query's. So its delta (`dbt.adapters.ivm_spark.delta.moved`) takes the state of the old query to
that of the new one, together with the changes of the sources. A new branch of UNION ALL is one
whose filter has moved from false to true.

Columns of the one tree have the old tree's names. It may have more columns than either tree: those
that only one of them uses. Operators that differ in anything else have no one tree. Another join or
another GROUP BY changes how often a row appears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import (
    column,
    passed,
    tree_expressions,
    with_expressions,
)
from dbt.adapters.ivm_spark.algebra.moved import Edited, after_move, moves
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, nodes, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
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
    SetOp,
    TimeWindow,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.delta.query_forms import (
    Meaning,
    Names,
    OtherQuery,
    called,
    facing,
    kept_side,
    mapped,
    renamed,
    split,
    with_kept_side,
)


@dataclass(frozen=True)
class Merged:
    """Two trees as one.

    Attributes:
        node: the one tree.
        names: the column of `node` for each column of the new tree.
    """

    node: Node
    names: Names


@dataclass
class Merger:
    """Merges the operators of an old and a new tree.

    Attributes:
        same_types: pairs of trees, an old and a new one, whose columns must have the same types,
            by position. Otherwise rows that have not moved would change all the same.
        taken: names and aliases that the one tree must not use for a new column.
    """

    same_types: list[tuple[Node, Node]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, old: Node, new: Node) -> Merger:
        """Return a merger of two trees."""
        taken: set[str] = set()
        for node in (*nodes(old), *nodes(new)):
            taken.update(node.columns)
            if isinstance(node, Scan):
                taken.add(node.alias)
        return cls(taken=taken)

    def merge(self, old: Node, new: Node) -> Merged:
        """Return two trees as one. Raises OtherQuery if there is none."""
        if old == new:
            return Merged(old, {name: name for name in old.columns})
        (old_rows, before, outputs), (new_rows, after, wanted) = facing(old, new)
        rows = self._unfiltered(old_rows, new_rows)
        after = [mapped(e, rows.names) for e in after]
        meaning = Meaning(rows.node)
        known = {meaning.of(e) for e in after}
        kept = [e for e in before if meaning.of(e) in known]
        gone = [e for e in before if meaning.of(e) not in known]
        stayed = {meaning.of(e) for e in kept}
        come = [e for e in after if meaning.of(e) not in stayed]
        node = _filtered(rows.node, kept)
        node = _moved(node, gone, come) if gone or come else node
        names = {name: rows.names[c] for name, c in wanted.items()}
        if all(name == c for name, c in outputs.items()):
            return Merged(node, names)
        # The old tree has renamed the columns.
        renamed = {c: name for name, c in outputs.items()}
        extra = sorted({c for c in names.values() if c not in renamed})
        items = (*(Item(name, column(c)) for name, c in outputs.items()), *passed(extra))
        return Merged(Project(node, items), {n: renamed.get(c, c) for n, c in names.items()})

    def fresh(self, name: str) -> str:
        """Return a name that neither tree has, similar to a given one."""
        found, number = f"{name}_new", 1
        while found in self.taken:
            number += 1
            found = f"{name}_new_{number}"
        self.taken.add(found)
        return found

    def _unfiltered(self, old: Node, new: Node) -> Merged:
        if isinstance(old, Project) or isinstance(new, Project):
            return self._project(old, new)
        if isinstance(new, Window) and not isinstance(old, Window):
            rows = self.merge(old, new.input)
            items, names = self._matched([], new.items, rows)
            return Merged(Window(rows.node, tuple(items)), {**rows.names, **names})
        rule = _RULES.get(type(old))
        if rule is None or type(old) is not type(new):
            raise OtherQuery(f"{called(new)} in place of {called(old)}")
        return rule(self, old, new)

    def _scan(self, old: Scan, new: Scan) -> Merged:
        if old.relation != new.relation:
            raise OtherQuery(f"{new.relation} in place of {old.relation}")
        known = {source: name for name, source in old.fields}
        names, fields = dict[str, str](), list(old.fields)
        for name, source in new.fields:
            if source not in known:
                known[source] = self.fresh(name)
                fields.append((known[source], source))
            names[name] = known[source]
        return Merged(replace(old, fields=tuple(fields)), names)

    def _values(self, old: Values, new: Values) -> Merged:
        if old.rows != new.rows:
            raise OtherQuery("other VALUES")
        return Merged(old, dict(zip(new.names, old.names, strict=True)))

    def _project(self, old: Node, new: Node) -> Merged:
        """Merge projections. Where one side has none, it is a projection of its own columns."""
        above = old if isinstance(old, Project) else Project(old, passed(old.columns))
        below = new if isinstance(new, Project) else Project(new, passed(new.columns))
        rows = self.merge(above.input, below.input)
        items = list(above.items)
        if not isinstance(old, Project):
            items = [*passed(rows.node.columns)]
        meaning = Meaning(rows.node)
        known = {meaning.of(i.expression): i.name for i in reversed(items)}
        names = dict[str, str]()
        open_items = list[Item]()
        for item in below.items:
            value = mapped(item.expression, rows.names)
            found = known.get(meaning.of(value))
            if found is None:
                open_items.append(Item(item.name, value))
            else:
                names[item.name] = found
        replaceable = {i.name: i for i in items if i.name not in names.values()}
        for item in open_items:
            former = replaceable.pop(item.name, None)
            if former is None:
                names[item.name] = self.fresh(item.name)
                items.append(Item(names[item.name], item.expression))
                continue
            names[item.name] = former.name
            items[items.index(former)] = self.edited(rows.node, former, item.expression)
        return Merged(Project(rows.node, tuple(items)), names)

    def edited(self, rows: Node, former: Item, value: exp.Expr) -> Item:
        """Return an item of a projection with a new value; both values must have one type."""
        now = Item(former.name, value)
        self.same_types.append((Project(rows, (former,)), Project(rows, (now,))))
        return Item(former.name, Edited(this=value.copy(), old=former.expression.copy()))

    def _window(self, old: Window, new: Window) -> Merged:
        rows = self.merge(old.input, new.input)
        meaning = Meaning(rows.node)
        keys = [meaning.of(mapped(key, rows.names)) for key in new.keys]
        if keys != [meaning.of(key) for key in old.keys]:
            raise OtherQuery("a window with another PARTITION BY")
        items, names = self._matched(list(old.items), new.items, rows)
        return Merged(Window(rows.node, tuple(items)), {**rows.names, **names})

    def _join(self, old: Join, new: Join) -> Merged:
        if len(old.inputs) != len(new.inputs):
            raise OtherQuery("another number of joined relations")
        pairs = [self.merge(a, b) for a, b in zip(old.inputs, new.inputs, strict=True)]
        names = {name: c for pair in pairs for name, c in pair.names.items()}
        return Merged(Join(tuple(pair.node for pair in pairs)), names)

    def _outer_join(self, old: OuterJoin, new: OuterJoin) -> Merged:
        if old.side != new.side:
            raise OtherQuery(f"a {new.side} JOIN in place of a {old.side} JOIN")
        left, right = self.merge(old.left, new.left), self.merge(old.right, new.right)
        names = {**left.names, **right.names}
        node = replace(old, left=left.node, right=right.node)
        same = Meaning(Join((left.node, right.node))).same(old.predicates, new.predicates, names)
        if not same:
            raise OtherQuery("another ON")
        return Merged(node, names)

    def _semi_join(self, old: SemiJoin, new: SemiJoin) -> Merged:
        if old.anti != new.anti:
            raise OtherQuery("another EXISTS or IN")
        rows, among = self.merge(old.input, new.input), self.merge(old.among, new.among)
        names = {**rows.names, **among.names}
        meaning = Meaning(Join((rows.node, among.node)))
        if not meaning.same(old.predicates, new.predicates, names):
            raise OtherQuery("another EXISTS or IN")
        return Merged(replace(old, input=rows.node, among=among.node), rows.names)

    def aggregate(self, old: Aggregate, new: Aggregate) -> Merged:
        """Merge GROUP BYs with the same keys; aggregates that only the new one has come last."""
        rows = self.merge(old.input, new.input)
        meaning = Meaning(rows.node)
        keys = {meaning.of(key.expression): key.name for key in old.keys}
        wanted = {k.name: meaning.of(mapped(k.expression, rows.names)) for k in new.keys}
        if set(wanted.values()) != set(keys) or len(old.keys) != len(new.keys):
            raise OtherQuery("another GROUP BY")
        aggregates, names = self._matched(list(old.aggregates), new.aggregates, rows)
        names |= {name: keys[meant] for name, meant in wanted.items()}
        return Merged(Aggregate(rows.node, old.keys, tuple(aggregates)), names)

    def _matched(
        self, items: list[Item], new: Iterable[Item], rows: Merged
    ) -> tuple[list[Item], dict[str, str]]:
        """Return the old items, then the new ones that differ from all, and the new ones' names."""
        meaning = Meaning(rows.node)
        known = {meaning.of(i.expression): i.name for i in reversed(items)}
        found, all_items = dict[str, str](), list(items)
        for item in new:
            value = mapped(item.expression, rows.names)
            meant = meaning.of(value)
            if meant not in known:
                known[meant] = self.fresh(item.name)
                all_items.append(Item(known[meant], value))
            found[item.name] = known[meant]
        return all_items, found

    def distinct(self, old: Distinct, new: Distinct) -> Merged:
        """Merge DISTINCTs of the same columns."""
        rows = self.exact(old.input, new.input)
        return replace(rows, node=Distinct(rows.node))

    def _set_op(self, old: SetOp, new: SetOp) -> Merged:
        if (old.kind, old.all) != (new.kind, new.all):
            raise OtherQuery(f"{new.kind} in place of {old.kind}")
        left, right = self.exact(old.left, new.left), self.exact(old.right, new.right)
        if _places(old.left, new.left, left) != _places(old.right, new.right, right):
            raise OtherQuery(f"other columns of {old.kind}")
        return Merged(replace(old, left=left.node, right=right.node), left.names)

    def exact(self, old: Node, new: Node) -> Merged:
        """Merge two trees with the same columns: each column tells rows apart."""
        rows = self.merge(old, new)
        if sorted(rows.names[c] for c in new.columns) != sorted(old.columns):
            raise OtherQuery("other columns of DISTINCT, INTERSECT or EXCEPT")
        return replace(rows, node=_only(rows.node, old.columns))

    def _generate(self, old: Generate | TimeWindow, new: Generate | TimeWindow) -> Merged:
        rows = self.merge(old.input, new.input)
        mine, other = _generator(old), _generator(new)
        if mine[1:] != (mapped(other[1], rows.names), other[2]) or len(mine[0]) != len(other[0]):
            raise OtherQuery("another LATERAL VIEW or window of time")
        names = dict(zip(other[0], mine[0], strict=True))
        return Merged(with_children(old, (rows.node,)), {**rows.names, **names})

    def _union(self, old: UnionAll, new: UnionAll) -> Merged:
        """Merge unions: branches that only one of them has come or go as a whole."""
        pairs, come, gone = self._paired(old, new)
        if not pairs:
            raise OtherQuery("other branches of UNION ALL")
        places = pairs[0][1]
        order = [places.index(place) for place in range(len(places))]
        branches = [node for node, _ in pairs]
        for branch in come:
            own = self._apart(branch)
            aligned = _renamed_to(own, old.columns, [own.columns[place] for place in order])
            branches.append(Filter(aligned, Edited(this=exp.true(), old=exp.false())))
        branches += [Filter(b, Edited(this=exp.false(), old=exp.true())) for b in gone]
        if branches[0].columns != old.columns:
            branches[0] = _renamed_to(branches[0], old.columns, branches[0].columns)
        if come or gone:
            listed = _renamed_to(new, old.columns, [new.columns[place] for place in order])
            self.same_types.append((old, listed))
        names = {c: old.columns[place] for c, place in zip(new.columns, places, strict=True)}
        return Merged(replace(old, inputs=tuple(branches), widens=True), names)

    def _paired(
        self, old: UnionAll, new: UnionAll
    ) -> tuple[list[tuple[Node, list[int]]], list[Node], list[Node]]:
        """Return the pairs of an old and a new branch, and the branches of one union alone.

        The new union's come first. A branch pairs with an equal one, else with one that differs in
        expressions. Each pair has the columns in the same order.
        """
        gone, come = list(old.inputs), list(new.inputs)
        pairs = list[tuple[Node, list[int]]]()
        for unchanged in (True, False):
            for branch in list(come):
                for candidate in gone:
                    found = self._branch(candidate, branch)
                    if found is None or (unchanged and any(map(moves, tree_expressions(found[0])))):
                        continue
                    if pairs and found[1] != pairs[0][1]:
                        continue
                    pairs.append(found)
                    gone = [b for b in gone if b is not candidate]
                    come = [b for b in come if b is not branch]
                    break
        return pairs, come, gone

    def _branch(self, old: Node, new: Node) -> tuple[Node, list[int]] | None:
        """Return two branches of unions as one, and the old place of each new column."""
        if len(old.columns) != len(new.columns):
            return None
        before = len(self.same_types)
        try:
            rows = self.exact(old, new)
        except OtherQuery:
            del self.same_types[before:]
            return None
        return rows.node, _places(old, new, rows)

    def _apart(self, branch: Node) -> Node:
        """Return a tree that the old one does not have, under names and aliases of its own."""
        names = {c: self.fresh(c) for node in nodes(branch) for c in node.columns}
        aliases = {n.alias: self.fresh(n.alias) for n in nodes(branch) if isinstance(n, Scan)}
        return renamed(branch, names, aliases)


_RULES: dict[type, Callable[..., Merged]] = {
    Scan: Merger._scan,
    Values: Merger._values,
    Window: Merger._window,
    Join: Merger._join,
    OuterJoin: Merger._outer_join,
    SemiJoin: Merger._semi_join,
    Aggregate: Merger.aggregate,
    Distinct: Merger.distinct,
    SetOp: Merger._set_op,
    Generate: Merger._generate,
    TimeWindow: Merger._generate,
    UnionAll: Merger._union,
}
"""How each kind of operator is merged with one of its kind; what is not here must not change."""


def settled(root: Node) -> Node:
    """Return the tree with the new expressions, its unions without the branches that have left."""

    def left(node: Node) -> Node:
        if isinstance(node, UnionAll):
            kept = tuple(b for b in node.inputs if not _is_always(b, exp.false()))
            node = replace(node, inputs=tuple(_opened(b) for b in kept))
        return node

    return bottom_up(with_expressions(root, after_move), left)


def _opened(branch: Node) -> Node:
    return branch.input if isinstance(branch, Filter) and _is_always(branch, exp.true()) else branch


def _is_always(node: Node, value: exp.Expr) -> bool:
    return isinstance(node, Filter) and node.predicate == value


def _filtered(node: Node, predicates: Sequence[exp.Expr]) -> Node:
    if not predicates:
        return node
    if isinstance(node, Join):
        return Join(node.inputs, (*node.predicates, *predicates))
    return Filter(node, exp.and_(*predicates))


def _moved(node: Node, gone: Sequence[exp.Expr], come: Sequence[exp.Expr]) -> Node:
    """Return filtered rows after an edit of the filter.

    A conjunct over one input of a join filters that input, so that few rows are joined.

    Args:
        node: the rows, with the conjuncts that stay.
        gone: the conjuncts that only the old filter has.
        come: the conjuncts that only the new filter has.
    """
    if isinstance(node, Join):
        inputs = list[Node]()
        for below in node.inputs:
            mine, gone = split(gone, below)
            other, come = split(come, below)
            inputs.append(_moved(below, mine, other) if mine or other else below)
        node = Join(tuple(inputs), node.predicates)
    elif isinstance(node, OuterJoin) and (kept := kept_side(node)) is not None:
        mine, gone = split(gone, kept)
        other, come = split(come, kept)
        node = with_kept_side(node, _moved(kept, mine, other))
    elif isinstance(node, Filter):
        return replace(node, input=_moved(node.input, gone, come))
    if not gone and not come:
        return node
    return Filter(node, Edited(this=_all(come), old=_all(gone)))


def _all(predicates: Sequence[exp.Expr]) -> exp.Expr:
    return exp.and_(*(e.copy() for e in predicates)) if predicates else exp.true()


def _places(old: Node, new: Node, merged: Merged) -> list[int]:
    """Return the place among the old columns of each new column."""
    return [old.columns.index(merged.names[c]) for c in new.columns]


def _only(node: Node, columns: tuple[str, ...]) -> Node:
    return node if node.columns == columns else Project(node, passed(columns))


def _renamed_to(node: Node, names: Sequence[str], columns: Sequence[str]) -> Project:
    """Return a node's columns under other names."""
    return Project(node, tuple(Item(n, column(c)) for n, c in zip(names, columns, strict=True)))


def _generator(node: Generate | TimeWindow) -> tuple[tuple[str, ...], exp.Expr, bool]:
    if isinstance(node, Generate):
        return node.outputs, node.generator, node.outer
    return (node.name,), node.call, False
