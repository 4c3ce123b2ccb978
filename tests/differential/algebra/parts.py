"""The parts of a random query in which no other query stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

CALLS = (
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
ADDITIVE_CALLS = (
    *("count(*)", "count({x})", "count_if({x} > 1)", "sum({x})", "bit_xor({x})"),
    *("sum({x}) filter (where {x} > 1)", "bool_or({x} > 2)", "bool_and({x} > 2)"),
)
WINDOWS = (
    ("row_number()", True),
    ("ntile(2)", True),
    ("lag({x})", True),
    ("lead({x}, 2, 0)", True),
    ("first_value({x})", True),
    ("last_value({x})", True),
    ("nth_value({x}, 2)", True),
    ("rank()", True),
    ("count(*)", False),
    ("count({x})", False),
    ("sum({x})", False),
    ("min({x})", False),
    ("max({x})", False),
    ("sum({x}) filter (where {x} > 0)", False),
)
"""Window functions, and whether they want ORDER BY over all columns here."""

Draw = Any


@dataclass(frozen=True)
class Query:
    """SQL text and its columns: name and whether it is a number."""

    sql: str
    columns: tuple[tuple[str, bool], ...]

    @property
    def numbers(self) -> list[str]:
        """Its columns that are numbers."""
        return [name for name, is_number in self.columns if is_number]


def comparable(left: Query, right: Query) -> list[tuple[str, str]]:
    """The columns of two queries that can be compared."""
    return [(a, b) for a, ka in left.columns for b, kb in right.columns if ka == kb]


def predicate(draw: Draw, query: Query, alias: str) -> str:
    """A condition on a column of the query under an alias."""
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
        "{c} >= unix_timestamp()",
        "not {c} > unix_timestamp() or {c} = 0",
    )
    return str(draw(st.sampled_from(shapes))).format(c=column)


def expression(draw: Draw, name: str, number: bool) -> str:
    """A value made of a column of the alias p."""
    if not number:
        return f"p.{name}"
    shapes = ("p.{n}", "p.{n} + 1", "coalesce(p.{n}, 0)", "2 - p.{n} * 3 ", "-p.{n}")
    shapes += ("case when p.{n} > 0 then p.{n} end",)
    shapes += ("coalesce(p.{n}, unix_timestamp()) + 1", "least(p.{n}, unix_timestamp())")
    shapes += ("case when p.{n} < unix_timestamp() then p.{n} else 7 end",)
    shapes += tuple(
        f"datediff(DAY, date '2024-01-31', dateadd({unit}, p.{{n}}, date '2024-01-31'))"
        for unit in ("DAY", "MONTH", "YEAR")
    )
    return str(draw(st.sampled_from(shapes))).format(n=name)


def some(draw: Draw, values: list[Any], most: int) -> list[Any]:
    """Some of the values, in any order; perhaps none."""
    return list(draw(st.lists(st.sampled_from(values), unique=True, max_size=most)))


def window_spec(draw: Draw, inner: Query, all_columns: bool) -> str:
    """PARTITION BY, and what of ORDER BY and a frame gives one answer; the columns are q's."""
    names = [n for n, _ in inner.columns]
    keys = some(draw, names, 2) or names[:1]
    spec = f"partition by {', '.join(f'q.{k}' for k in keys)}"
    if not all_columns and draw(st.booleans()):
        return spec
    chosen = draw(st.permutations(names))
    if not all_columns:
        chosen = chosen[:1]
    directions = ("", "", " desc", " nulls last", " desc nulls first")
    orderings = [f"q.{n}{draw(st.sampled_from(directions))}" for n in chosen]
    return f"{spec} order by {', '.join(orderings)}"


def sets_told(draw: Draw, keys: list[str]) -> list[str]:
    """What an output may say of the set that a group belongs to."""
    every = ", ".join(f"q.{k}" for k in keys)
    told = [f"grouping(q.{k}) as is_{k}" for k in keys] + [f"grouping_id({every}) as gid"]
    return some(draw, told, 2)


def sets(draw: Draw, keys: list[str]) -> str:
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
