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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import (
    as_they_are,
    column,
    over,
    passed,
    tree_expressions,
    used_columns,
    with_expressions,
)
from dbt.adapters.ivm_spark.algebra.moved import Edited, after_move, moves
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
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
    Sort,
    TimeWindow,
    UnionAll,
    Values,
    Window,
)

Names = Mapping[str, str]


class OtherQuery(Exception):
    """The two trees have no one tree; the message says what differs."""


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
        (old_rows, before, outputs), (new_rows, after, wanted) = _facing(old, new)
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
            below = self.merge(old, new.input)
            return self._widened(below, new.items, lambda items: Window(below.node, items))
        rule = _RULES.get(type(old))
        if rule is None or type(old) is not type(new):
            raise OtherQuery(f"{_called(new)} in place of {_called(old)}")
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
            edited = Edited(this=item.expression.copy(), old=former.expression.copy())
            items[items.index(former)] = Item(former.name, edited)
            now = Item(former.name, item.expression)
            self.same_types.append((Project(rows.node, (former,)), Project(rows.node, (now,))))
        return Merged(Project(rows.node, tuple(items)), names)

    def _widened(
        self, below: Merged, items: Iterable[Item], node: Callable[[tuple[Item, ...]], Node]
    ) -> Merged:
        """Return a node with new columns, made by `node`, over the columns of `below`."""
        names, added = dict(below.names), list[Item]()
        for item in items:
            names[item.name] = self.fresh(item.name)
            added.append(Item(names[item.name], mapped(item.expression, below.names)))
        return Merged(node(tuple(added)), names)

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
        """Return the branches that both unions have, the new ones, and those that are gone.

        A branch that has not changed at all is preferred to one whose filter has moved. All
        branches have the same place in the old union for a column of the new one.
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
        return _renamed(branch, names, aliases)


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


class Meaning:
    """What expressions over a node's columns mean, so that two spellings of one can be told.

    A column that a projection below computes means its expression. A column from the side of an
    outer join that may be padded with NULLs means itself, as does one of a union or of groups.
    """

    def __init__(self, node: Node) -> None:
        self._values = _computed(node)

    def of(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression that is equal for two spellings."""

        def bare(node: exp.Expr) -> exp.Expr:
            return node.unnest() if isinstance(node, exp.Paren) else node

        return over(expression, self._values).transform(bare)

    def same(self, old: Iterable[exp.Expr], new: Iterable[exp.Expr], names: Names) -> bool:
        """Return whether two conjunctions are the same; `names` maps the new one's columns."""
        before = {self.of(part) for e in old for part in conjuncts(e)}
        return before == {self.of(mapped(part, names)) for e in new for part in conjuncts(e)}


def _computed(node: Node) -> dict[str, exp.Expr]:
    """Return the expressions, over columns further below, of columns that projections compute."""
    match node:
        case Project():
            below = _computed(node.input)
            values = {i.name: over(i.expression, below) for i in node.items}
            return {n: v for n, v in values.items() if not moves(v)}
        case Filter() | Sort() | Window() | Generate() | TimeWindow() | SemiJoin():
            return _computed(node.input)
        case Join():
            return {n: v for below in node.inputs for n, v in _computed(below).items()}
        case OuterJoin():
            kept = {"LEFT": node.left, "RIGHT": node.right}.get(node.side)
            return {} if kept is None else _computed(kept)
    return {}


def settled(root: Node) -> Node:
    """Return a tree as it is after the move, without branches of unions that are gone."""

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


def filtered_early(root: Node) -> Node:
    """Return a tree with its filters as low as they can be, for two trees to be compared.

    A conjunct of WHERE and one in a CTE are the same then. It passes joins, and projections that
    leave its columns as they are.
    """

    def lowered(node: Node) -> Node:
        if not isinstance(node, (Filter, Join)):
            return node
        rows, predicates = _unfiltered(node)
        return _lowered(rows, predicates)

    return bottom_up(root, lowered)


def _lowered(node: Node, predicates: Sequence[exp.Expr]) -> Node:
    if not predicates:
        return node
    if isinstance(node, Join):
        inputs = list[Node]()
        for below in node.inputs:
            mine, predicates = _split(predicates, below)
            inputs.append(_lowered(below, mine))
        return Join(tuple(inputs), (*node.predicates, *predicates))
    if isinstance(node, OuterJoin) and node.side in ("LEFT", "RIGHT"):
        kept = node.left if node.side == "LEFT" else node.right
        mine, predicates = _split(predicates, kept)
        rows = _lowered(kept, mine)
        node = replace(node, left=rows) if node.side == "LEFT" else replace(node, right=rows)
    elif isinstance(node, Project):
        plain = as_they_are(node.items)
        mine = [e for e in predicates if used_columns(e) and used_columns(e) <= plain.keys()]
        predicates = [e for e in predicates if not any(e is m for m in mine)]
        node = replace(node, input=_lowered(node.input, [mapped(e, plain) for e in mine]))
    elif isinstance(node, Filter):
        node = replace(node, input=_lowered(node.input, predicates))
        predicates = ()
    return Filter(node, exp.and_(*predicates)) if predicates else node


def _unfiltered(node: Node) -> tuple[Node, list[exp.Expr]]:
    """Return what a node filters, and the conjuncts; the order of rows means nothing here."""
    predicates = list[exp.Expr]()
    while isinstance(node, (Filter, Sort)):
        if isinstance(node, Filter):
            predicates += conjuncts(node.predicate)
        node = node.input
    if isinstance(node, Join):
        predicates += [part for e in node.predicates for part in conjuncts(e)]
        node = Join(node.inputs)
    return node, predicates


def bare(node: Node) -> Node:
    """Return what a tree filters, sorts and renames."""
    return _bare(node)[0]


_Bare = tuple[Node, list[exp.Expr], dict[str, str]]
"""What a node filters and renames, the conjuncts, and the column of each output."""


def _facing(old: Node, new: Node) -> tuple[_Bare, _Bare]:
    """Return two trees without their filters and names, as far as they can be compared like that.

    A value may stand in the place of a column, so projections of values are compared as they are.
    A union or a projection that only one side has is compared with all of the other side.
    """
    below = [_unfiltered(tree)[0] for tree in (old, new)]
    values = all(isinstance(n, Project) for n in below) and not all(map(_only_renames, below))
    left, right = _bare(old, values), _bare(new, values)
    for kind in (UnionAll, Project):
        if isinstance(left[0], kind) and not isinstance(right[0], kind):
            return left, _whole(new, kind)
        if isinstance(right[0], kind) and not isinstance(left[0], kind):
            return _whole(old, kind), right
    return left, right


def _whole(node: Node, kind: type) -> _Bare:
    found = UnionAll((node,)) if kind is UnionAll else node
    return found, [], {name: name for name in node.columns}


def _only_renames(node: Node) -> bool:
    return isinstance(node, Project) and len(as_they_are(node.items)) == len(node.items)


def _bare(node: Node, projected: bool = False) -> _Bare:
    """Return a node without what it filters and renames.

    projected: leave a projection below the filters as it is.
    """
    names = {name: name for name in node.columns}
    rows, predicates = _unfiltered(node)
    while not projected and isinstance(rows, Project) and _only_renames(rows):
        plain = as_they_are(rows.items)
        names = {name: plain[c] for name, c in names.items()}
        predicates = [mapped(e, plain) for e in predicates]
        rows, more = _unfiltered(rows.input)
        predicates += more
    return rows, predicates, names


def _filtered(node: Node, predicates: Sequence[exp.Expr]) -> Node:
    if not predicates:
        return node
    if isinstance(node, Join):
        return Join(node.inputs, (*node.predicates, *predicates))
    return Filter(node, exp.and_(*predicates))


def _moved(node: Node, gone: Sequence[exp.Expr], come: Sequence[exp.Expr]) -> Node:
    """Return rows with conjuncts that are gone in place of others that have come.

    They filter the input of a join whose columns they use, so that its rows are few before they are
    joined.
    """
    if isinstance(node, Join):
        inputs = list[Node]()
        for below in node.inputs:
            mine, gone = _split(gone, below)
            other, come = _split(come, below)
            inputs.append(_moved(below, mine, other) if mine or other else below)
        node = Join(tuple(inputs), node.predicates)
    elif isinstance(node, OuterJoin) and node.side in ("LEFT", "RIGHT"):
        below = node.left if node.side == "LEFT" else node.right
        mine, gone = _split(gone, below)
        other, come = _split(come, below)
        rows = _moved(below, mine, other)
        node = replace(node, left=rows) if node.side == "LEFT" else replace(node, right=rows)
    elif isinstance(node, Filter):
        return replace(node, input=_moved(node.input, gone, come))
    if not gone and not come:
        return node
    return Filter(node, Edited(this=_all(come), old=_all(gone)))


def _split(predicates: Sequence[exp.Expr], node: Node) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """Return the predicates over a node's columns alone, and the others."""
    columns = set(node.columns)
    mine = [e for e in predicates if used_columns(e) and used_columns(e) <= columns]
    return mine, [e for e in predicates if not any(e is m for m in mine)]


def _all(predicates: Sequence[exp.Expr]) -> exp.Expr:
    return exp.and_(*(e.copy() for e in predicates)) if predicates else exp.true()


def mapped(expression: exp.Expr, names: Names) -> exp.Expr:
    """Return an expression of the new tree over the columns of the one tree.

    Raises OtherQuery for a lambda function whose parameter has the name of a column.
    """
    for function in expression.find_all(exp.Lambda):
        if any(names.get(p.name, p.name) != p.name for p in function.expressions):
            raise OtherQuery("a lambda function with a column's name")
    return over(expression, {name: column(c) for name, c in names.items()})


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


def _renamed(root: Node, names: Names, aliases: Names) -> Node:
    """Return a tree with all its columns and aliases under other names."""

    def items(given: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(Item(names[i.name], mapped(i.expression, names)) for i in given)

    def renamed(node: Node) -> Node:
        match node:
            case Scan():
                fields = tuple((names[name], source) for name, source in node.fields)
                return replace(node, alias=aliases[node.alias], fields=fields)
            case Values():
                return replace(node, names=tuple(names[name] for name in node.names))
            case Project() | Window():
                return replace(node, items=items(node.items))
            case Aggregate():
                return Aggregate(node.input, items(node.keys), items(node.aggregates))
            case Generate():
                outputs = tuple(names[name] for name in node.outputs)
                return replace(node, generator=mapped(node.generator, names), outputs=outputs)
            case TimeWindow():
                return replace(node, call=mapped(node.call, names), name=names[node.name])
            case Filter():
                return replace(node, predicate=mapped(node.predicate, names))
            case Join() | OuterJoin() | SemiJoin():
                return replace(node, predicates=tuple(mapped(e, names) for e in node.predicates))
            case Sort():
                return node.input
            case Distinct() | SetOp() | UnionAll():
                return node
            case _:
                raise OtherQuery(f"{_called(node)} in a new branch")

    return bottom_up(root, renamed)


def _called(node: Node) -> str:
    """Return what people call an operator."""
    return node.relation if isinstance(node, Scan) else _WORDS.get(type(node), type(node).__name__)


_WORDS: dict[type, str] = {
    Aggregate: "a GROUP BY",
    Distinct: "a DISTINCT",
    Filter: "a filter",
    Generate: "a LATERAL VIEW",
    Join: "a join",
    OuterJoin: "an outer join",
    SemiJoin: "an EXISTS or IN",
    UnionAll: "a UNION ALL",
    Values: "constant rows",
    Window: "a window function",
}
