"""The delta of windows that look at few rows, or at no row that comes later.

    sum(v) OVER (PARTITION BY p ORDER BY at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)

Let m be the first row of partition p that changes. Rows before m stay, and so does all that the
window sees from them. Rows from m on may change, and they look at most two rows before m. So the
rows of p from two rows before m on are enough, new and old, and only those from m on are given.

    lead(v) OVER (PARTITION BY p ORDER BY at)

Here the row before m may change too, so all rows that are read are given. A row cancels out if both
computations give it the same value, even a wrong one: the rows before the cut are missing in both.

    sum(v) OVER (PARTITION BY p ORDER BY at)

Here the refresh reads the whole partition. The delta has the rows from m on, as above.

The rows before m are the same, new and old. If there are many of them, they are not compared, and
they are only read for a side that has rows from m on: for the new one alone, if the partition gains
rows at its end.

Applies if

1. all functions of the operator order their rows by the same first key, with NULLs where Spark puts
   them by default;
2. each is lag or lead, or has a frame of ROWS with constant ends, or a RANGE from a constant offset
   before the row; or else none looks at a row after its own and the rows with equal keys;
3. the input is cheap to read, unless the rows are those from a RANGE's offset on: it is read a
   second time to count rows back, and a filter in it no longer limits what is read.

The delta stays the same as that of the whole touched partitions.

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
from dbt.adapters.ivm_spark.algebra.frames import BY_PEERS, BY_PLACE
from dbt.adapters.ivm_spark.algebra.traversal import below_rows
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Node,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
    Window,
)
from dbt.adapters.ivm_spark.delta.bags import SIDE, both_sides, now_and_before
from dbt.adapters.ivm_spark.delta.touched import Input

MOST_ROWS = 1_000
"""Functions that read more rows before the first changed one count as reading all of them."""
LATE = "__ivm_late"
"""Whether a row is not before the first changed row of its partition."""
_KEY, _TOUCHED, _OF = "__ivm_key_", "__ivm_touched_", "__ivm_of_"
_ORDER, _CUT, _FIRST = "__ivm_order", "__ivm_cut", "__ivm_first"
_PLACE, _SEEN, _SEEING = "__ivm_place", "__ivm_seen", "__ivm_seeing"
_OFFSETS = (exp.Literal, exp.Interval, exp.Var, exp.IntervalSpan, exp.Paren, exp.Neg)
"""What an offset of a RANGE may be made of."""
_HERE = "CURRENT ROW"
"""The end of a frame, also of one that does not name it."""
_OF_ROWS_BEFORE = frozenset({"row_number", "rank", "dense_rank"})
"""Functions without a frame that no row after the row's equals affects."""
_TWO_DAYS = exp.Interval(this=exp.Literal.string("2"), unit=exp.Var(this="DAY"))


@dataclass(frozen=True)
class Reach:
    """How many rows before the first changed row of a partition a refresh has to read.

    Attributes:
        key: the first expression that orders the rows.
        descending: the order starts at the greatest key, with NULLs last; otherwise at the least
            key, with NULLs first.
        back: the number of rows before a row that its functions read.
        ahead: the number of rows after it that they read.
        offsets: of frames by RANGE: they read rows whose key is at most one of these before the
            row's.
        whole: its functions read any row before it.
    """

    key: exp.Expr
    descending: bool
    back: int = 0
    ahead: int = 0
    offsets: tuple[exp.Expr, ...] = ()
    whole: bool = False

    @property
    def rows(self) -> int:
        """Return the number of rows to read before the first changed one.

        Some of them look ahead to that row, and others are what these look back at.
        """
        return self.back + self.ahead

    @property
    def sees_many(self) -> bool:
        """Return whether a row may see most of its partition."""
        return self.whole or bool(self.offsets)

    @property
    def keeps_rows_before(self) -> bool:
        """Return whether no row before the first changed one changes."""
        return not self.ahead


def reach_of(node: Window) -> Reach | None:
    """Return how far the functions of a window operator look, None if the rule does not apply."""
    found = [_reach(item.expression) for item in node.items]
    known = [reach for reach in found if reach is not None]
    if len(known) < len(found) or len({(r.key, r.descending) for r in known}) != 1:
        return None
    ranges = [reach for reach in known if reach.offsets]
    reach = replace(
        known[0],
        back=max(r.back for r in known),
        ahead=max(r.ahead for r in known),
        offsets=tuple(dict.fromkeys(offset for r in ranges for offset in r.offsets)),
        whole=any(r.whole for r in known),
    )
    if reach.whole or reach.rows > MOST_ROWS or (ranges and len(ranges) < len(known)):
        reach = Reach(reach.key, reach.descending, ahead=reach.ahead, whole=True)
    if not _is_cheap(node.input) and (reach.rows or reach.whole):
        return None
    return reach if reach.keeps_rows_before or not reach.whole else None


def near_rows(given: Input, reach: Reach) -> Node:
    """Return the rows that a change can reach, and the rows these look at.

    They are rows of the touched partitions. They have the columns of `given.post`, and `LATE` if
    the rows before the first changed one stay.

    Args:
        given: the window's input, its delta, which is not None, and the keys of its partitions.
        reach: of the window operator.
    """
    rows = _met(given, reach, _cut_partitions(given, reach), given.post.columns)
    if not reach.whole:
        rows = Filter(rows, _not_before(_cuts(reach), reach))
    late = Item(LATE, _is_late(reach))
    return Project(rows, (*passed(given.post.columns), *([late] * reach.keeps_rows_before)))


def is_late() -> exp.Expr:
    """Return the condition that `LATE` is true; a row that compares as NULL is not late."""
    return exp.Coalesce(this=column(LATE), expressions=[exp.false()])


def near_sides(given: Input, reach: Reach, apart: bool) -> Node:
    """Return the rows of `near_rows`, new and old, with `SIDE` as the last column.

    Args:
        given: as for `near_rows`.
        reach: of the window operator.
        apart: the rows before the first changed one are read apart, if they are many and stay.
    """
    # Reading a join twice is computing it twice.
    if apart and reach.sees_many and reach.keeps_rows_before and _is_cheap(given.post):
        return _sides_apart(given, reach)
    delta = given.delta
    if delta is not None and reach.keeps_rows_before:
        is_late = Item(LATE, exp.true())
        delta = Project(delta, (*passed(given.post.columns), is_late, *passed((WEIGHT,))))
    return now_and_before(near_rows(given, reach), delta)


def _sides_apart(given: Input, reach: Reach) -> Node:
    """Return the rows of both sides, of which only the late ones were compared."""
    columns = passed(given.post.columns)
    cuts = _cut_partitions(given, reach)
    since = Filter(_met(given, reach, cuts, given.post.columns), _is_late(reach))
    late = now_and_before(Project(since, columns), given.delta)
    # What joins the cuts is another relation than above, so that it is not materialized for both:
    # it has most rows of the touched partitions. It has at most two rows for each cut, so that it
    # is broadcast.
    with_rows = (
        *_same(_OF, _TOUCHED, len(given.keys)),
        exp.EQ(this=column(f"{_OF}{SIDE}"), expression=column(_SEEING)),
    )
    seeing = SemiJoin(both_sides(cuts, _SEEING), _sides_of(late, given.keys), with_rows)
    rows = _met(given, reach, seeing, given.post.columns)
    before: exp.Expr = exp.Not(this=exp.Coalesce(this=_is_late(reach), expressions=[exp.false()]))
    if not reach.whole:
        before = exp.and_(before, exp.paren(_not_before(_cuts(reach), reach)))
    early_items = Item(LATE, exp.false()), Item(SIDE, column(_SEEING))
    early = Project(Filter(rows, before), (*columns, *early_items))
    late = Project(late, (*columns, Item(LATE, exp.true()), *passed((SIDE,))))
    return UnionAll((early, late), widens=False)


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
    whole = Reach(first.this, descending, whole=True)
    skips_nulls = window.find(exp.IgnoreNulls) is not None
    if name in ("lag", "lead"):
        rows = _offset(window.this)
        if rows is None:
            return None
        if name == "lag":
            return whole if skips_nulls else Reach(first.this, descending, back=rows)
        return None if skips_nulls else Reach(first.this, descending, ahead=rows)
    if name in _OF_ROWS_BEFORE:
        return whole
    if name in BY_PEERS or name in BY_PLACE:
        return None
    if spec is None:
        return whole
    if spec.args["kind"].upper() == "RANGE":
        return _by_value(spec, whole)
    back, ahead = _rows(spec, "start", "FOLLOWING"), _rows(spec, "end", "PRECEDING")
    if ahead is None:
        return None
    if back is None:
        return replace(whole, ahead=ahead)
    return Reach(first.this, descending, back, ahead)


def _offset(call: exp.Expr) -> int | None:
    """Return how many rows lag or lead goes, None if that is no constant."""
    if isinstance(call, (exp.Lag, exp.Lead)):
        offset = call.args.get("offset")
    else:
        offset = call.expressions[1] if len(call.expressions) > 1 else None
    return 1 if offset is None else _constant(offset)


def _rows(spec: exp.WindowSpec, end: str, inwards: str) -> int | None:
    """Return how many rows an end of a frame of ROWS lies outside of the row.

    It is 0 for an end on the row's other side, and None for an end without a constant bound.
    """
    value, side = spec.args.get(end) or _HERE, str(spec.args.get(f"{end}_side") or "")
    if isinstance(value, str):
        return 0 if value.upper() == _HERE else None
    return 0 if side.upper() == inwards else _constant(value)


def _by_value(spec: exp.WindowSpec, whole: Reach) -> Reach | None:
    """Return how far a frame by RANGE looks; `whole` is the reach over all rows before."""
    start, end = spec.args.get("start"), spec.args.get("end") or _HERE
    ends_here = isinstance(end, str) and end.upper() == _HERE
    before = str(spec.args.get("start_side") or "").upper() == "PRECEDING"
    if not ends_here or not before:
        return None
    if not isinstance(start, exp.Expr) or not all(isinstance(p, _OFFSETS) for p in start.walk()):
        return whole
    return replace(whole, whole=False, offsets=(start,))


def _constant(value: exp.Expr | None) -> int | None:
    if isinstance(value, exp.Literal) and not value.is_string and value.name.isdigit():
        return int(value.name)
    return None


def _is_cheap(node: Node) -> bool:
    """Return whether a relation is one source's rows, at most filtered, projected and expanded.

    LATERAL VIEW expands rows, and an ivm model's state that counts equal rows is read so too.
    """
    while isinstance(below := below_rows(node), Generate):
        node = below.input
    return isinstance(below, Scan)


def _cut_partitions(given: Input, reach: Reach) -> Node:
    """Return the touched partitions, each with where to begin to read and its first changed row."""
    assert given.delta is not None
    cuts = _first_changed(given.delta, given.keys, reach)
    return _rows_before(given, reach, cuts) if reach.rows and not reach.whole else cuts


def _sides_of(rows: Node, keys: tuple[exp.Expr, ...]) -> Node:
    """Return the partitions and sides that have rows."""
    own = tuple(Item(f"{_OF}{n}", key) for n, key in enumerate(keys))
    return Distinct(Project(rows, (*own, Item(f"{_OF}{SIDE}", column(SIDE)))))


def _first_changed(delta: Node, keys: Iterable[exp.Expr], reach: Reach) -> Node:
    """Return the key of the first changed row of each touched partition, or NULL.

    NULL means that all rows of the partition may change: in an ascending order, a NULL comes first.
    """
    items = tuple(Item(f"{_TOUCHED}{n}", key) for n, key in enumerate(keys))
    order = column(_ORDER)
    first: exp.Expr = exp.Max(this=order) if reach.descending else exp.Min(this=order)
    if not reach.descending:
        every = exp.EQ(
            this=exp.Count(this=exp.Literal.number(1)), expression=exp.Count(this=order.copy())
        )
        first = exp.Case(ifs=[exp.If(this=every, true=first)])
    changed = Project(delta, (*items, Item(_ORDER, reach.key)))
    cuts = (Item(_CUT, first), Item(_FIRST, first.copy()))
    return Aggregate(changed, passed(i.name for i in items), cuts)


def _rows_before(given: Input, reach: Reach, cuts: Node) -> Node:
    """Move each cut back by the wanted number of rows; it is NULL if there are fewer."""
    order, cut = column(_ORDER), column(_CUT)
    compare = exp.GT if reach.descending else exp.LT
    earlier = Filter(_met(given, reach, cuts, ()), compare(this=order, expression=cut))
    names = tuple(f"{_TOUCHED}{n}" for n in range(len(given.keys)))
    # The nearest row of all is found without sorting them.
    near = earlier if reach.rows == 1 else _nearest(earlier, names, reach)
    one, none, no_key = exp.Literal.number(1), exp.Literal.number(0), exp.null()
    seen = Item(_ORDER, order.copy()), Item(_FIRST, no_key), Item(_SEEN, one)
    given_cut = Item(_ORDER, no_key), Item(_FIRST, column(_FIRST)), Item(_SEEN, none)
    rows = UnionAll(
        (Project(near, (*passed(names), *seen)), Project(cuts, (*passed(names), *given_cut)))
    )
    greatest = reach.descending is (reach.rows > 1)
    last = exp.Max(this=order.copy()) if greatest else exp.Min(this=order.copy())
    wanted = exp.Literal.number(reach.rows)
    enough = exp.GTE(this=exp.Sum(this=column(_SEEN)), expression=wanted)
    found = exp.Case(ifs=[exp.If(this=enough, true=last)])
    first = Item(_FIRST, exp.Max(this=column(_FIRST)))
    return Aggregate(rows, passed(names), (Item(_CUT, found), first))


def _nearest(earlier: Node, partition: tuple[str, ...], reach: Reach) -> Node:
    """Return the wanted number of last rows of each partition."""
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(name) for name in partition],
        order=exp.Order(
            expressions=[
                exp.Ordered(this=column(_ORDER), desc=not reach.descending, nulls_first=False)
            ]
        ),
        over="OVER",
    )
    wanted = exp.LTE(this=column(_PLACE), expression=exp.Literal.number(reach.rows))
    return Filter(Window(earlier, (Item(_PLACE, place),)), wanted)


def _met(given: Input, reach: Reach, cuts: Node, columns: tuple[str, ...]) -> Node:
    """Return the rows of the touched partitions, each with the cut of its partition.

    They have the given columns and the first key of the order.
    """
    keys = tuple(Item(f"{_KEY}{n}", key) for n, key in enumerate(given.keys))
    rows = Project(given.post, (*passed(columns), *keys, Item(_ORDER, reach.key)))
    return Join((rows, cuts), _same(_KEY, _TOUCHED, len(keys)))


def _same(left: str, right: str, keys: int) -> tuple[exp.Expr, ...]:
    """Return that the keys with two prefixes are the same, NULLs too."""
    return tuple(
        exp.NullSafeEQ(this=column(f"{left}{n}"), expression=column(f"{right}{n}"))
        for n in range(keys)
    )


def _is_late(reach: Reach) -> exp.Expr:
    """Return the condition that a row is not before the first changed one; NULL if it is."""
    return _not_before([column(_FIRST)], reach)


def _not_before(cuts: Iterable[exp.Expr], reach: Reach) -> exp.Expr:
    """Return the condition that a row is not before one of the cuts of its partition.

    It may be NULL if the row is.
    """
    order = column(_ORDER)
    conditions: list[exp.Expr] = [exp.Is(this=order, expression=exp.null())] * reach.descending
    for cut in cuts:
        conditions.append(exp.Is(this=cut.copy(), expression=exp.null()))
        kind = exp.LTE if reach.descending else exp.GTE
        conditions.append(kind(this=order.copy(), expression=cut))
    return exp.or_(*conditions)


def _cuts(reach: Reach) -> list[exp.Expr]:
    """Return the keys from which on rows are wanted; NULL if an offset leaves the type's range."""
    if not reach.offsets:
        return [column(_CUT)]
    call = "try_add" if reach.descending else "try_subtract"

    def moved(key: exp.Expr, offset: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this=call, expressions=[key, offset])

    cuts = []
    for offset in reach.offsets:
        cut = moved(column(_CUT), offset.copy())
        # A month or a day before a later time may be earlier than that before an earlier one, by
        # less than two days: where months end, and where the clocks are set forward.
        intervals = offset.find(exp.Interval) is not None
        cuts.append(moved(cut, _TWO_DAYS.copy()) if intervals else cut)
    return cuts
