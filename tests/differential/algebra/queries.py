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
    kind = draw(st.sampled_from(("rows", "rows", "distinct", "group", "group", "whole")))
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
    sql = f"select {', '.join(items)} from ({inner.sql}) q"
    if keys:
        sql += " group by " + ", ".join(f"q.{k}" for k in keys)
        if draw(st.booleans()):
            sql += " having count(*) > 1"
    return sql


@st.composite
def queries(draw: Draw, depth: int) -> Query:
    """A relation below the top of a view."""
    kinds = ("table", "filter", "project", "join", "join", "union", "cte")
    kind = "table" if depth <= 0 else draw(st.sampled_from(kinds))
    if kind == "table":
        table = draw(st.sampled_from(TABLES))
        columns = tuple((n, k != "string") for n, k in table.columns)
        return Query(f"select {', '.join(n for n, _ in columns)} from {table.name}", columns)
    if kind == "join":
        return _join(draw, depth)
    if kind == "union":
        return _union(draw, depth)
    inner = draw(queries(depth - 1))
    if kind == "filter":
        return Query(
            f"select * from ({inner.sql}) f where {_predicate(draw, inner, 'f')}", inner.columns
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


def _union(draw: Draw, depth: int) -> Query:
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
    return Query(" union all ".join(sides), tuple(columns))


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
    shapes = ("p.{n}", "p.{n} + 1", "coalesce(p.{n}, 0)", "case when p.{n} > 0 then p.{n} end")
    return str(draw(st.sampled_from(shapes))).format(n=name)


def _some(draw: Draw, values: list[Any], most: int) -> list[Any]:
    return list(draw(st.lists(st.sampled_from(values), unique=True, max_size=most)))


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
)
