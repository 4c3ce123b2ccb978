"""The forms in which an old and a new tree are compared.

Two spellings of one query differ in where a filter stands, in what a projection renames, and in
names. These forms leave that out:

    SELECT x * 2 FROM (SELECT amount AS x FROM orders WHERE amount > 1)
    SELECT amount * 2 FROM orders WHERE amount > 1

`delta/query_change.py` compares what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, column, over, used_columns
from dbt.adapters.ivm_spark.algebra.moved import moves
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up
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
            kept = kept_side(node)
            return {} if kept is None else _computed(kept)
    return {}


def filtered_early(root: Node) -> Node:
    """Return a tree with its filters as low as they can be, for two trees to be compared.

    A conjunct of WHERE and one in a CTE are the same then. It passes joins, and projections that
    leave its columns as they are.
    """

    def lowered(node: Node) -> Node:
        if not isinstance(node, (Filter, Join)):
            return node
        rows, predicates = unfiltered(node)
        return _lowered(rows, predicates)

    return bottom_up(root, lowered)


def _lowered(node: Node, predicates: Sequence[exp.Expr]) -> Node:
    if not predicates:
        return node
    if isinstance(node, Join):
        inputs = list[Node]()
        for below in node.inputs:
            mine, predicates = split(predicates, below)
            inputs.append(_lowered(below, mine))
        return Join(tuple(inputs), (*node.predicates, *predicates))
    kept = kept_side(node) if isinstance(node, OuterJoin) else None
    if isinstance(node, OuterJoin) and kept is not None:
        mine, predicates = split(predicates, kept)
        below = _lowered(kept, mine)
        node = with_kept_side(node, below)
    elif isinstance(node, Project):
        plain = as_they_are(node.items)
        mine = [e for e in predicates if used_columns(e) and used_columns(e) <= plain.keys()]
        predicates = [e for e in predicates if not any(e is m for m in mine)]
        node = replace(node, input=_lowered(node.input, [mapped(e, plain) for e in mine]))
    elif isinstance(node, Filter):
        node = replace(node, input=_lowered(node.input, predicates))
        predicates = ()
    return Filter(node, exp.and_(*predicates)) if predicates else node


def kept_side(node: OuterJoin) -> Node | None:
    """Return the side of a LEFT or RIGHT join whose rows always stay, None for a FULL join."""
    return {"LEFT": node.left, "RIGHT": node.right}.get(node.side)


def with_kept_side(node: OuterJoin, rows: Node) -> Node:
    """Return a LEFT or RIGHT join with other rows on that side."""
    return replace(node, left=rows) if node.side == "LEFT" else replace(node, right=rows)


def unfiltered(node: Node) -> tuple[Node, list[exp.Expr]]:
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


def split(predicates: Sequence[exp.Expr], node: Node) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """Return the predicates over a node's columns alone, and the others."""
    columns = set(node.columns)
    mine = [e for e in predicates if used_columns(e) and used_columns(e) <= columns]
    return mine, [e for e in predicates if not any(e is m for m in mine)]


def bare(node: Node) -> Node:
    """Return what a tree filters, sorts and renames."""
    return _bare(node)[0]


_Bare = tuple[Node, list[exp.Expr], dict[str, str]]
"""What a node filters and renames, the conjuncts, and the column of each output."""


def facing(old: Node, new: Node) -> tuple[_Bare, _Bare]:
    """Return two trees without their filters and names, as far as they can be compared like that.

    A value may stand in the place of a column, so projections of values are compared as they are.
    A union or a projection that only one side has is compared with all of the other side.
    """
    below = [unfiltered(tree)[0] for tree in (old, new)]
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
    rows, predicates = unfiltered(node)
    while not projected and isinstance(rows, Project) and _only_renames(rows):
        plain = as_they_are(rows.items)
        names = {name: plain[c] for name, c in names.items()}
        predicates = [mapped(e, plain) for e in predicates]
        rows, more = unfiltered(rows.input)
        predicates += more
    return rows, predicates, names


def mapped(expression: exp.Expr, names: Names) -> exp.Expr:
    """Return an expression of the new tree over the columns of the one tree.

    Raises OtherQuery for a lambda function whose parameter has the name of a column.
    """
    for function in expression.find_all(exp.Lambda):
        if any(names.get(p.name, p.name) != p.name for p in function.expressions):
            raise OtherQuery("a lambda function with a column's name")
    return over(expression, {name: column(c) for name, c in names.items()})


def renamed(root: Node, names: Names, aliases: Names) -> Node:
    """Return a tree with all its columns and aliases under other names."""

    def items(given: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(Item(names[i.name], mapped(i.expression, names)) for i in given)

    def one(node: Node) -> Node:
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
                raise OtherQuery(f"{called(node)} in a new branch")

    return bottom_up(root, one)


def called(node: Node) -> str:
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
