"""Random edits of a view's SQL, as somebody makes them who works on a model."""

from __future__ import annotations

import random
from collections.abc import Callable

import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql

Edit = Callable[[exp.Query, random.Random], bool]
"""Edits a query in place; False if there is nothing of its kind to edit."""


def edited(sql: str, generator: random.Random) -> str:
    """The text after one to three edits, any of which may be one that does nothing."""
    query = sqlglot.parse_one(sql, dialect=IvmSpark)
    assert isinstance(query, exp.Query)
    for _ in range(generator.randint(1, 3)):
        for edit in generator.sample(EDITS, len(EDITS)):
            if edit(query, generator):
                break
    return to_sql(query)


def _one(nodes: list[exp.Expr], generator: random.Random) -> exp.Expr | None:
    return generator.choice(nodes) if nodes else None


def _another_number(query: exp.Query, generator: random.Random) -> bool:
    found = _one(
        [n for n in query.find_all(exp.Literal) if not n.is_string and n.find_ancestor(exp.Where)],
        generator,
    )
    if found is None:
        return False
    found.set("this", str(generator.randint(-2, 5)))
    return True


def _without_filter(query: exp.Query, generator: random.Random) -> bool:
    found = _one(list(query.find_all(exp.Where, exp.Having)), generator)
    return found is not None and found.pop() is not None


def _with_filter(query: exp.Query, generator: random.Random) -> bool:
    selects = [s for s in query.find_all(exp.Select) if s.args.get("from_") is not None]
    select = _one([*selects], generator)
    if not isinstance(select, exp.Select):
        return False
    columns = [i.unalias() for i in select.selects if isinstance(i.unalias(), exp.Column)]
    found = _one([*columns], generator)
    if found is None:
        return False
    if generator.random() < 0.3:
        select.where(exp.Not(this=exp.Is(this=found.copy(), expression=exp.null())), copy=False)
        return True
    bound = exp.Literal.number(generator.randint(-1, 4))
    compare = generator.choice((exp.GT, exp.LTE, exp.NEQ))
    select.where(compare(this=exp.cast(found.copy(), "double"), expression=bound), copy=False)
    return True


def _without_column(query: exp.Query, generator: random.Random) -> bool:
    select = query if isinstance(query, exp.Select) else None
    if select is None or len(select.selects) < 2 or select.is_star:
        return False
    items = list(select.selects)
    del items[generator.randrange(len(items))]
    select.set("expressions", items)
    return True


def _reordered(query: exp.Query, generator: random.Random) -> bool:
    if not isinstance(query, exp.Select) or len(query.selects) < 2:
        return False
    items = list(query.selects)
    generator.shuffle(items)
    query.set("expressions", items)
    return True


def _renamed(query: exp.Query, generator: random.Random) -> bool:
    if not isinstance(query, exp.Select) or query.is_star:
        return False
    place = generator.randrange(len(query.selects))
    items = list(query.selects)
    items[place] = exp.alias_(items[place].unalias(), f"named{place}")
    query.set("expressions", items)
    return True


def _computed(query: exp.Query, generator: random.Random) -> bool:
    """Another value in place of one, or beside it."""
    if not isinstance(query, exp.Select) or query.is_star or query.args.get("distinct"):
        return False
    place = generator.randrange(len(query.selects))
    items = list(query.selects)
    name, value = items[place].alias_or_name, items[place].unalias()
    made = exp.func("coalesce", exp.cast(value.copy(), "string"), exp.Literal.string("none"))
    if generator.random() < 0.5:
        items[place] = exp.alias_(made, name)
    else:
        items.append(exp.alias_(made, f"made{len(items)}"))
    query.set("expressions", items)
    return True


def _inner_value(query: exp.Query, generator: random.Random) -> bool:
    """Another value of a column below the top."""
    inner = [s for s in query.find_all(exp.Select) if s is not query and not s.is_star]
    inner = [s for s in inner if not s.args.get("distinct") and not s.args.get("group")]
    select = _one([*inner], generator)
    if not isinstance(select, exp.Select) or select.find_ancestor(exp.SetOperation):
        return False
    items = list(select.selects)
    numbers = [n for n, i in enumerate(items) if isinstance(i.unalias(), exp.Column)]
    if not numbers:
        return False
    place = generator.choice(numbers)
    name, value = items[place].alias_or_name, items[place].unalias()
    some = exp.Is(this=value.copy(), expression=exp.null())
    made = exp.Case(ifs=[exp.If(this=some, true=exp.null())], default=value.copy())
    items[place] = exp.alias_(made, name)
    select.set("expressions", items)
    return True


def _twice(query: exp.Query, generator: random.Random) -> bool:
    """One column under two names below an aggregate, used once each, or under one again."""
    tops = [s for s in query.find_all(exp.Select) if s.args.get("from_") is not None]
    tops = [s for s in tops if isinstance(s.args["from_"].this, exp.Subquery)]
    select = _one([*tops], generator)
    if not isinstance(select, exp.Select):
        return False
    below = select.args["from_"].this.this
    if not isinstance(below, exp.Select) or below.is_star or below.args.get("distinct"):
        return False
    if below.args.get("group") or not below.selects:
        return False
    name = generator.choice(below.selects).alias_or_name
    uses = [c for i in select.selects for c in i.find_all(exp.Column) if c.name == name]
    if not name or not uses:
        return False
    value = next(i for i in below.selects if i.alias_or_name == name).unalias()
    again = f"again{len(below.selects)}"
    below.append("expressions", exp.alias_(value.copy(), again))
    generator.choice(uses).this.set("this", again)
    return True


def _without_branch(query: exp.Query, generator: random.Random) -> bool:
    unions = [u for u in query.find_all(exp.Union) if not u.args.get("distinct")]
    union = _one([*unions], generator)
    if not isinstance(union, exp.Union):
        return False
    left = generator.choice((union.left, union.right))
    if union is query or left.parent is not union:
        return False
    union.replace(left.copy())
    return True


def _with_branch(query: exp.Query, generator: random.Random) -> bool:
    unions = [u for u in query.find_all(exp.Union) if not u.args.get("distinct")]
    union = _one([*unions], generator)
    if not isinstance(union, exp.Union):
        return False
    more = generator.choice((union.left, union.right)).copy()
    union.set("expression", exp.union(union.right.copy(), more, distinct=False, copy=False))
    return True


def _other_join(query: exp.Query, generator: random.Random) -> bool:
    join = _one([j for j in query.find_all(exp.Join) if j.side in ("LEFT", "RIGHT")], generator)
    if join is None:
        return False
    join.set("side", None)
    join.set("kind", None)
    return True


EDITS: tuple[Edit, ...] = (
    _another_number,
    _without_filter,
    _with_filter,
    _with_filter,
    _without_column,
    _reordered,
    _renamed,
    _computed,
    _inner_value,
    _twice,
    _without_branch,
    _with_branch,
    _other_join,
)
