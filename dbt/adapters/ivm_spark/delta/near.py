"""Windows that look at few rows: only rows near a change are read and computed again.

    sum(v) over (partition by p order by at rows between 2 preceding and current row)

A change of partition p whose first row is at m leaves every row before m, and what the window sees
of it, as it was. Rows from m on may change, and they look at two rows before m at most. So the
rows of p from two rows before m on are enough, as they are and as they were: those that come out
of both computations with one value cancel out, also where a value is wrong because the rows before
the cut are not there.

Applies where (1) all functions of the operator order their rows by one first key, NULLs where
Spark has them by default; (2) each is lag, lead or a function over a frame of ROWS with constant
ends, or over a RANGE from a constant offset before the row; (3) where rows are counted back, which
is another look at the input, that is cheap to look at.

Source: Griffin, Kumar, "Algebraic change propagation for semijoin and outerjoin queries" (SIGMOD
Record 1998), for the rows of touched keys; Leis, Kundhikanjana, Kemper, Neumann, "Efficient
processing of window functions in analytical SQL queries" (VLDB 2015), for frames.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.frames import BY_PEERS
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Item,
    Join,
    Node,
    Project,
    Scan,
    UnionAll,
    Window,
)
from dbt.adapters.ivm_spark.delta.touched import Input

MOST_ROWS = 1_000
"""Rows before the first changed one up to which the rule is used."""
_KEY, _TOUCHED = "__ivm_key_", "__ivm_touched_"
_ORDER, _CUT, _PLACE, _SEEN = "__ivm_order", "__ivm_cut", "__ivm_place", "__ivm_seen"


@dataclass(frozen=True)
class Reach:
    """How many rows before the first changed one of a partition a refresh has to read.

    Attributes:
        key: what the rows are ordered by first.
        descending: from the greatest on, NULLs last; else from the least on, NULLs first.
        back: the number of rows before a row that its functions read.
        ahead: the number of rows after it that they read.
        offsets: rows of a RANGE are looked at whose key is at most one of these before the row's.
    """

    key: exp.Expr
    descending: bool
    back: int = 0
    ahead: int = 0
    offsets: tuple[exp.Expr, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows before the first changed one: those that look ahead to it, and those
        that these look back at."""
        return self.back + self.ahead


def reach_of(node: Window) -> Reach | None:
    """Return how far the functions of a window operator look, None if the rule does not apply."""
    found = [_reach(item.expression) for item in node.items]
    known = [reach for reach in found if reach is not None]
    if len(known) < len(found) or len({(r.key, r.descending) for r in known}) != 1:
        return None
    ranges = [reach for reach in known if reach.offsets]
    if ranges and len(ranges) < len(known):
        return None
    reach = replace(
        known[0],
        back=max(r.back for r in known),
        ahead=max(r.ahead for r in known),
        offsets=tuple(dict.fromkeys(offset for r in ranges for offset in r.offsets)),
    )
    if reach.rows > MOST_ROWS or (reach.rows and not _is_cheap(node.input)):
        return None
    return reach


def near_rows(given: Input, reach: Reach) -> Node:
    """Return the rows of the touched partitions that a change can reach, and those that these look
    at; columns as `given.post`.

    given: the window's input, its delta, which is not None, and the keys of its partitions.
    """
    assert given.delta is not None
    cuts = _first_changed(given.delta, given.keys, reach)
    if reach.rows:
        cuts = _rows_before(given, reach, cuts)
    met = _met(given, reach, cuts, given.post.columns)
    return Project(Filter(met, _from_cut(reach)), passed(given.post.columns))


def _reach(window: exp.Expr) -> Reach | None:
    assert isinstance(window, exp.Window)
    order = window.args.get("order")
    if order is None or not order.expressions:
        return None
    first = order.expressions[0]
    descending = bool(first.args.get("desc"))
    if bool(first.args.get("nulls_first")) is descending:
        return None
    name, spec = function_name(window.this), window.args.get("spec")
    if name in ("lag", "lead"):
        rows = _offset(window.this)
        if rows is None:
            return None
        if name == "lag":
            return Reach(first.this, descending, back=rows)
        return Reach(first.this, descending, ahead=rows)
    if name in BY_PEERS or name in ("row_number", "ntile") or spec is None:
        return None
    if spec.args["kind"].upper() == "RANGE":
        return _by_value(spec, first.this, descending)
    back, ahead = _rows(spec, "start", "FOLLOWING"), _rows(spec, "end", "PRECEDING")
    if back is None or ahead is None:
        return None
    return Reach(first.this, descending, back, ahead)


def _offset(call: exp.Expr) -> int | None:
    """How many rows lag or lead goes; None where that is no constant or NULLs are passed over."""
    if call.find(exp.IgnoreNulls) is not None:
        return None
    if isinstance(call, (exp.Lag, exp.Lead)):
        offset = call.args.get("offset")
    else:
        offset = call.expressions[1] if len(call.expressions) > 1 else None
    return 1 if offset is None else _constant(offset)


def _rows(spec: exp.WindowSpec, end: str, inwards: str) -> int | None:
    """How many rows an end of a frame of ROWS lies outside of the row, 0 for one on its other side;
    None where it has no bound or is no constant."""
    value, side = spec.args.get(end), str(spec.args.get(f"{end}_side") or "")
    if isinstance(value, str):
        return 0 if value.upper() == "CURRENT ROW" else None
    if value is None or side.upper() == inwards:
        return 0 if value is not None else None
    return _constant(value)


def _by_value(spec: exp.WindowSpec, key: exp.Expr, descending: bool) -> Reach | None:
    start, end = spec.args.get("start"), spec.args.get("end")
    ends_here = isinstance(end, str) and end.upper() == "CURRENT ROW"
    before = str(spec.args.get("start_side") or "").upper() == "PRECEDING"
    if not ends_here or not before or not isinstance(start, exp.Expr):
        return None
    constant = start.find(exp.Column, exp.Subquery) is None
    return Reach(key, descending, offsets=(start,)) if constant else None


def _constant(value: exp.Expr) -> int | None:
    if isinstance(value, exp.Literal) and not value.is_string and value.name.isdigit():
        return int(value.name)
    return None


def _is_cheap(node: Node) -> bool:
    """Whether a relation is one source's rows, filtered and computed on."""
    while isinstance(node, (Filter, Project)):
        node = node.input
    return isinstance(node, Scan)


def _first_changed(delta: Node, keys: Iterable[exp.Expr], reach: Reach) -> Node:
    """Of each touched partition the key of the first changed row, NULL where all its rows may
    change: a NULL is first in an ascending order."""
    items = tuple(Item(f"{_TOUCHED}{n}", key) for n, key in enumerate(keys))
    order = column(_ORDER)
    first: exp.Expr = exp.Max(this=order) if reach.descending else exp.Min(this=order)
    if not reach.descending:
        every = exp.EQ(
            this=exp.Count(this=exp.Literal.number(1)), expression=exp.Count(this=order.copy())
        )
        first = exp.Case(ifs=[exp.If(this=every, true=first)])
    changed = Project(delta, (*items, Item(_ORDER, reach.key)))
    return Aggregate(changed, passed(i.name for i in items), (Item(_CUT, first),))


def _rows_before(given: Input, reach: Reach, cuts: Node) -> Node:
    """The cuts so much earlier that the wanted rows lie behind each; NULL where there are fewer."""
    order, cut = column(_ORDER), column(_CUT)
    compare = exp.GT if reach.descending else exp.LT
    earlier = Filter(_met(given, reach, cuts, ()), compare(this=order, expression=cut))
    names = tuple(f"{_TOUCHED}{n}" for n in range(len(given.keys)))
    nearest = exp.Ordered(this=order.copy(), desc=not reach.descending, nulls_first=False)
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(name) for name in names],
        order=exp.Order(expressions=[nearest]),
        over="OVER",
    )
    wanted = exp.Literal.number(reach.rows)
    near = Filter(
        Window(earlier, (Item(_PLACE, place),)), exp.LTE(this=column(_PLACE), expression=wanted)
    )
    one, none = exp.Literal.number(1), exp.Literal.number(0)
    rows = UnionAll(
        (
            Project(near, (*passed(names), Item(_ORDER, order.copy()), Item(_SEEN, one))),
            Project(cuts, (*passed(names), Item(_ORDER, exp.null()), Item(_SEEN, none))),
        )
    )
    last = exp.Max(this=order.copy()) if reach.descending else exp.Min(this=order.copy())
    enough = exp.GTE(this=exp.Sum(this=column(_SEEN)), expression=wanted.copy())
    found = exp.Case(ifs=[exp.If(this=enough, true=last)])
    return Aggregate(rows, passed(names), (Item(_CUT, found),))


def _met(given: Input, reach: Reach, cuts: Node, columns: tuple[str, ...]) -> Node:
    """The rows of the touched partitions, with the given columns and what they are ordered by
    first, beside the partition's cut."""
    keys = tuple(Item(f"{_KEY}{n}", key) for n, key in enumerate(given.keys))
    same = tuple(
        exp.NullSafeEQ(this=column(f"{_KEY}{n}"), expression=column(f"{_TOUCHED}{n}"))
        for n in range(len(keys))
    )
    return Join(
        (Project(given.post, (*passed(columns), *keys, Item(_ORDER, reach.key))), cuts), same
    )


def _from_cut(reach: Reach) -> exp.Expr:
    """That a row is not before the cut of its partition."""
    order = column(_ORDER)
    conditions: list[exp.Expr] = [exp.Is(this=order, expression=exp.null())] * reach.descending
    for cut in _cuts(reach):
        conditions.append(exp.Is(this=cut.copy(), expression=exp.null()))
        kind = exp.LTE if reach.descending else exp.GTE
        conditions.append(kind(this=order.copy(), expression=cut))
    return exp.or_(*conditions)


def _cuts(reach: Reach) -> list[exp.Expr]:
    """The keys from which on rows are wanted; an offset that leads out of the type gives NULL."""
    if not reach.offsets:
        return [column(_CUT)]
    call = "try_add" if reach.descending else "try_subtract"
    return [
        exp.Anonymous(this=call, expressions=[column(_CUT), offset.copy()])
        for offset in reach.offsets
    ]
