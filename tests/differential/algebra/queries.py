"""Random views, composed from the operators that the tree has, as Hypothesis strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.differential.algebra.engine import Table

TABLES = (
    Table("t", (("a", "int"), ("b", "int"), ("s", "string"))),
    Table("u", (("a", "int"), ("c", "bigint"), ("s", "string"))),
    Table("w", (("b", "int"), ("c", "int"))),
)

Draw = Any


@dataclass(frozen=True)
class Query:
    """SQL text and its columns: name and whether it is a number."""

    sql: str
    columns: tuple[tuple[str, bool], ...]


@st.composite
def views(draw: Draw, depth: int = 4) -> str:
    """A view: rows, DISTINCT or GROUP BY over any relation, perhaps with HAVING."""
    kind = draw(st.sampled_from(("rows", "rows", "distinct", "group", "group", "whole", "sets")))
    if kind == "rows":
        return draw(queries(depth)).sql
    inner = draw(queries(depth - 1))
    if kind == "distinct":
        return f"select distinct * from ({inner.sql}) q"
    keys = [] if kind == "whole" else _some(draw, [n for n, _ in inner.columns], 2)
    items = [f"q.{k}" for k in keys]
    calls = draw(st.lists(st.sampled_from(_CALLS), min_size=1, max_size=4, unique=True))
    numbers = [n for n, is_number in inner.columns if is_number]
    for place, call in enumerate(calls):
        argument = draw(st.sampled_from(numbers)) if numbers else "1"
        items.append(f"{call.format(x=f'q.{argument}' if numbers else '1')} as m{place}")
    if kind == "sets" and keys:
        items += _told(draw, keys)
        return f"select {', '.join(items)} from ({inner.sql}) q {_sets(draw, keys)}"
    sql = f"select {', '.join(items)} from ({inner.sql}) q"
    if keys:
        sql += " group by " + ", ".join(f"q.{k}" for k in keys)
        if draw(st.booleans()):
            sql += " having count(*) > 1"
    return sql


@st.composite
def queries(draw: Draw, depth: int) -> Query:
    """A relation below the top of a view."""
    kind = "table" if depth <= 0 else draw(st.sampled_from(_KINDS))
    if kind == "table":
        table = draw(st.sampled_from(TABLES))
        columns = tuple((n, k != "string") for n, k in table.columns)
        return Query(f"select {', '.join(n for n, _ in columns)} from {table.name}", columns)
    if kind == "join":
        return _join(draw, depth)
    if kind == "union":
        return _set_operation(draw, depth)
    if kind in ("outer", "exists"):
        return _matched(draw, depth, kind)
    if kind == "group":
        return _grouped(draw, depth)
    inner = draw(queries(depth - 1))
    if kind == "filter":
        return Query(
            f"select * from ({inner.sql}) f where {_predicate(draw, inner, 'f')}", inner.columns
        )
    if kind == "unpivot":
        numbers = [n for n, is_number in inner.columns if is_number]
        if not numbers:
            return inner
        nulls = draw(st.sampled_from(("", " include nulls")))
        casts = ", ".join(
            f"cast(i.{n} as bigint) as {n}" if k else f"i.{n} as {n}" for n, k in inner.columns
        )
        if any(n in ("part", "value") for n, _ in inner.columns):
            return inner
        kept = tuple((n, k) for n, k in inner.columns if not k)
        sql = f"select * from (select {casts} from ({inner.sql}) i) u"
        return Query(
            f"{sql} unpivot{nulls} (value for part in ({', '.join(numbers)}))",
            (*kept, ("part", False), ("value", True)),
        )
    if kind == "cte":
        items = ", ".join(n for n, _ in inner.columns)
        return Query(f"with x as ({inner.sql}) select {items} from x", inner.columns)
    kept = _some(draw, list(inner.columns), 3) or list(inner.columns[:1])
    items = [
        (f"p{place}", _expression(draw, name, number), number)
        for place, (name, number) in enumerate(kept)
    ]
    select = ", ".join(f"{sql} as {name}" for name, sql, _ in items)
    return Query(f"select {select} from ({inner.sql}) p", tuple((n, k) for n, _, k in items))


def _join(draw: Draw, depth: int) -> Query:
    count = draw(st.integers(2, 3))
    inputs = [draw(queries(depth - 1)) for _ in range(count)]
    sql = f"({inputs[0].sql}) j0"
    columns = [(f"j0.{n}", k) for n, k in inputs[0].columns]
    for place, query in enumerate(inputs[1:], start=1):
        own = [(f"j{place}.{n}", k) for n, k in query.columns]
        pairs = [(x, y) for x, kx in columns for y, ky in own if kx == ky]
        on = "1 = 1"
        if pairs and draw(st.integers(0, 5)):
            left, right = draw(st.sampled_from(pairs))
            operator = draw(st.sampled_from(("=", "=", "=", "<=>", "<")))
            on = f"{left} {operator} {right}"
        sql += f" join ({query.sql}) j{place} on {on}"
        columns += own
    kept = _some(draw, columns, 4) or columns[:1]
    items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
    return Query(f"select {items} from {sql}", tuple((f"k{p}", k) for p, (_, k) in enumerate(kept)))


def _matched(draw: Draw, depth: int, kind: str) -> Query:
    """An outer join, or a condition over a subquery, with an equality and perhaps more."""
    left, right = draw(queries(depth - 1)), draw(queries(depth - 1))
    pairs = [(a, b) for a, ka in left.columns for b, kb in right.columns if ka == kb]
    if not pairs:
        return left
    a, b = draw(st.sampled_from(pairs))
    on = f"m0.{a} {draw(st.sampled_from(('=', '=', '<=>')))} m1.{b}"
    numbers = [(x, y) for x, y in pairs if dict(left.columns)[x]]
    if numbers and draw(st.booleans()):
        x, y = draw(st.sampled_from(numbers))
        on += f" and m0.{x} <= m1.{y}"
    if kind == "outer":
        side = draw(st.sampled_from(("left", "right", "full")))
        columns = [(f"m0.{n}", k) for n, k in left.columns]
        columns += [(f"m1.{n}", k) for n, k in right.columns]
        kept = _some(draw, columns, 4) or columns[:1]
        items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
        names = tuple((f"k{place}", k) for place, (_, k) in enumerate(kept))
        return Query(
            f"select {items} from ({left.sql}) m0 {side} join ({right.sql}) m1 on {on}", names
        )
    start = f"select * from ({left.sql}) m0 where"
    if draw(st.integers(0, 2)) == 0:
        return Query(f"{start} m0.{a} in (select r.{b} from ({right.sql}) r)", left.columns)
    negated = draw(st.sampled_from(("", "not ")))
    return Query(
        f"{start} {negated}exists (select 1 from ({right.sql}) m1 where {on})", left.columns
    )


def _grouped(draw: Draw, depth: int) -> Query:
    """An aggregate, or DISTINCT, below another operator; its columns have names of their own."""
    inner = draw(queries(depth - 1))
    keys = _some(draw, list(inner.columns), 2)
    items = [(f"g{place}", f"q.{n}", k) for place, (n, k) in enumerate(keys)]
    if keys and draw(st.integers(0, 3)) == 0:
        sql = ", ".join(f"{e} as {n}" for n, e, _ in items)
        return Query(
            f"select distinct {sql} from ({inner.sql}) q", tuple((n, k) for n, _, k in items)
        )
    numbers = [n for n, is_number in inner.columns if is_number]
    call = draw(st.sampled_from(("count(*)", "count({x})", "sum({x})", "min({x})", "max({x})")))
    argument = f"q.{draw(st.sampled_from(numbers))}" if numbers else "1"
    items.append(("g9", f"cast({call.format(x=argument)} as bigint)", True))
    sql = f"select {', '.join(f'{e} as {n}' for n, e, _ in items)} from ({inner.sql}) q"
    if keys and draw(st.integers(0, 3)) == 0:
        sql += " " + _sets(draw, [n for n, _ in keys])
    elif keys:
        sql += " group by " + ", ".join(f"q.{n}" for n, _ in keys)
    return Query(sql, tuple((n, k) for n, _, k in items))


def _told(draw: Draw, keys: list[str]) -> list[str]:
    """What an output may say of the set that a group belongs to."""
    every = ", ".join(f"q.{k}" for k in keys)
    told = [f"grouping(q.{k}) as is_{k}" for k in keys] + [f"grouping_id({every}) as gid"]
    return _some(draw, told, 2)


def _sets(draw: Draw, keys: list[str]) -> str:
    """GROUP BY several sets of the keys. DuckDB has a group without keys over no rows, and Spark
    has not, so that a group counts only with rows."""
    names = [f"q.{k}" for k in keys]
    first, every = names[0], ", ".join(names)
    shapes = [f"rollup({every})", f"cube({every})", f"grouping sets (({every}), ({first}), ())"]
    shapes += [f"{first}, rollup({every})", f"rollup({first}), cube({names[-1]})"]
    shapes += [f"grouping sets (({names[-1]}), ({first}), ({first}))", f"cube(({every}))"]
    if len(names) > 1:
        shapes += [f"{first}, cube({names[1]})", f"grouping sets (rollup({every}), ({names[1]}))"]
    return f"group by {draw(st.sampled_from(shapes))} having count(*) > 0"


def _set_operation(draw: Draw, depth: int) -> Query:
    left, right = draw(queries(depth - 1)), draw(queries(depth - 1))
    width = min(len(left.columns), len(right.columns))
    columns = []
    for place in range(width):
        if left.columns[place][1] != right.columns[place][1]:
            break
        columns.append((f"n{place}", left.columns[place][1]))
    if not columns:
        return left
    sides = []
    for side in (left, right):
        names = [n for n, _ in side.columns[: len(columns)]]
        items = ", ".join(f"{n} as n{p}" for p, n in enumerate(names))
        sides.append(f"select {items} from ({side.sql}) s")
    operator = draw(st.sampled_from(_SET_OPERATORS))
    return Query(f" {operator} ".join(sides), tuple(columns))


def _predicate(draw: Draw, query: Query, alias: str) -> str:
    name, number = draw(st.sampled_from(query.columns))
    column = f"{alias}.{name}"
    if not number:
        return draw(st.sampled_from((f"{column} = 's1'", f"{column} is not null")))
    shapes = (
        "{c} > 0",
        "{c} is null",
        "{c} <> 1",
        "{c} between 0 and 2",
        "{c} in (1, 2) or {c} < 0",
    )
    return str(draw(st.sampled_from(shapes))).format(c=column)


def _expression(draw: Draw, name: str, number: bool) -> str:
    if not number:
        return f"p.{name}"
    shapes = ("p.{n}", "p.{n} + 1", "coalesce(p.{n}, 0)", "2 - p.{n} * 3 ", "-p.{n}")
    shapes += ("case when p.{n} > 0 then p.{n} end",)
    return str(draw(st.sampled_from(shapes))).format(n=name)


def _some(draw: Draw, values: list[Any], most: int) -> list[Any]:
    return list(draw(st.lists(st.sampled_from(values), unique=True, max_size=most)))


_KINDS = (
    "table",
    "filter",
    "project",
    "join",
    "join",
    "outer",
    "exists",
    "group",
    "union",
    "unpivot",
    "cte",
)
_SET_OPERATORS = (
    "union all",
    "union all",
    "union",
    "intersect",
    "intersect all",
    "except",
    "except all",
)
_CALLS = (
    "count(*)",
    "count({x})",
    "sum({x})",
    "avg({x})",
    "min({x})",
    "max({x})",
    "count(distinct {x})",
    "sum({x}) filter (where {x} > 0)",
    "count(*) filter (where {x} > 0)",
    "count_if({x} > 1)",
    "bool_and({x} > 0)",
    "bool_or({x} > 1) filter (where {x} < 3)",
    "bit_xor({x})",
    "regr_count({x}, {x} + 1)",
    "count({x}, {x} + 1)",
    "count({x} > 0 and {x} < 3)",
    "min({x}) filter (where {x} > 0)",
)
