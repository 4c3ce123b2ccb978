"""Random views, composed from the operators that the tree has, as Hypothesis strategies."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.differential.algebra.database import Table
from tests.differential.algebra.parts import (
    ADDITIVE_CALLS,
    CALLS,
    WINDOWS,
    Draw,
    Query,
    comparable,
    expression,
    predicate,
    sets,
    sets_told,
    some,
    window_spec,
)

TABLES = (
    Table("t", (("a", "int"), ("b", "int"), ("s", "string"))),
    Table("u", (("a", "int"), ("c", "bigint"), ("s", "string"))),
    Table("w", (("b", "int"), ("c", "int"))),
    Table("m", (("day", "int"), ("month", "int"))),
)


@st.composite
def views(draw: Draw, depth: int = 4) -> str:
    """A view: rows, DISTINCT or GROUP BY over any relation, perhaps with HAVING."""
    kind = draw(st.sampled_from(("rows", "rows", "distinct", "group", "group", "whole", "sets")))
    if kind == "rows":
        return draw(queries(depth)).sql
    return _summary(draw, draw(queries(depth - 1)), kind, CALLS)


@st.composite
def summaries(draw: Draw, depth: int = 3) -> str:
    """A view whose state can be appended to: DISTINCT, or counts and sums of groups."""
    kind = draw(st.sampled_from(("distinct", "group", "group", "group", "whole")))
    return _summary(draw, draw(queries(depth - 1)), kind, ADDITIVE_CALLS)


def _summary(draw: Draw, inner: Query, kind: str, all_calls: tuple[str, ...]) -> str:
    if kind == "distinct":
        return f"select distinct * from ({inner.sql}) q"
    keys = [] if kind == "whole" else some(draw, [n for n, _ in inner.columns], 2)
    items = [f"q.{k}" for k in keys]
    calls = draw(st.lists(st.sampled_from(all_calls), min_size=1, max_size=4, unique=True))
    numbers = inner.numbers
    for place, call in enumerate(calls):
        argument = draw(st.sampled_from(numbers)) if numbers else "1"
        items.append(f"{call.format(x=f'q.{argument}' if numbers else '1')} as m{place}")
    if kind == "sets" and keys:
        items += sets_told(draw, keys)
        return f"select {', '.join(items)} from ({inner.sql}) q {sets(draw, keys)}"
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
    if kind == "joins":
        return _joined_joins(draw)
    if kind == "group":
        return _grouped(draw, depth)
    if kind == "window":
        return _windowed(draw, depth)
    if kind in ("scalar", "condition"):
        return _with_subquery(draw, depth, kind)
    if kind == "lateral":
        return _lateral(draw, depth)
    inner = draw(queries(depth - 1))
    if kind == "filter":
        return Query(
            f"select * from ({inner.sql}) f where {predicate(draw, inner, 'f')}", inner.columns
        )
    if kind == "star":
        return _starred(draw, inner)
    if kind == "pivot":
        return _pivoted(draw, inner)
    if kind == "unpivot":
        numbers = inner.numbers
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
    kept = some(draw, list(inner.columns), 3) or list(inner.columns[:1])
    items = [
        (f"p{place}", expression(draw, name, number), number)
        for place, (name, number) in enumerate(kept)
    ]
    select = ", ".join(f"{sql} as {name}" for name, sql, _ in items)
    return Query(f"select {select} from ({inner.sql}) p", tuple((n, k) for n, _, k in items))


def _starred(draw: Draw, inner: Query) -> Query:
    """Calls over all columns of a relation: as values, as a condition, as a group's key."""
    numbers = ", ".join(f"cast(i.{n} as bigint) as {n}" for n in inner.numbers)
    if not numbers:
        return Query(
            f"select count(distinct struct(q.*)) as v from ({inner.sql}) q", (("v", True),)
        )
    rows = f"(select {numbers} from ({inner.sql}) i) q"
    call = f"{draw(st.sampled_from(('greatest', 'least', 'coalesce')))}(q.*)"
    name = draw(st.sampled_from(inner.numbers))
    shape = draw(st.sampled_from(("value", "condition", "key", "argument")))
    if shape == "value":
        return Query(f"select {call} as v, q.{name} as k from {rows}", (("v", True), ("k", True)))
    if shape == "condition":
        return Query(f"select q.{name} as k from {rows} where {call} > 0", (("k", True),))
    columns = (("v", True), ("n", True))
    if shape == "key":
        grouped = f"(select {call} as v from {rows}) g group by g.v"
        return Query(f"select g.v as v, count(*) as n from {grouped}", columns)
    total = f"cast(sum({call}) as bigint)"
    return Query(f"select {total} as v, count(distinct struct(q.*)) as n from {rows}", columns)


def _pivoted(draw: Draw, inner: Query) -> Query:
    """Groups of a column, with a number's aggregate for each of some values of another."""
    if not inner.numbers or len(inner.columns) < 2:
        return inner
    value = draw(st.sampled_from(inner.numbers))
    by, is_number = draw(st.sampled_from([c for c in inner.columns if c[0] != value]))
    others = [c for c in inner.columns if c[0] not in (value, by)][:1]
    items = [f"i.{n} as g{place}" for place, (n, _) in enumerate(others)]
    kind = "bigint" if is_number else "string"
    items += [f"cast(i.{value} as bigint) as x", f"cast(i.{by} as {kind}) as y"]
    choices = ("1", "2") if is_number else ("'s1'", "'s2'")
    call = draw(st.sampled_from(("sum(x)", "min(x)", "max(x)")))
    names = [f"`{choice.strip(chr(39))}`" for choice in choices]
    outputs = [(f"g{place}", f"g{place}", k) for place, (_, k) in enumerate(others)]
    outputs += [(f"x{p}", f"cast({name} as bigint)", True) for p, name in enumerate(names)]
    return Query(
        f"select {', '.join(f'{e} as {n}' for n, e, _ in outputs)} from "
        f"(select {', '.join(items)} from ({inner.sql}) i) "
        f"pivot ({call} for y in ({', '.join(choices)}))",
        tuple((n, k) for n, _, k in outputs),
    )


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
    kept = some(draw, columns, 4) or columns[:1]
    if not draw(st.integers(0, 2)):
        place = draw(st.integers(0, count - 1))
        sql += f" where {predicate(draw, inputs[place], f'j{place}')}"
    items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
    return Query(f"select {items} from {sql}", tuple((f"k{p}", k) for p, (_, k) in enumerate(kept)))


def _matched(draw: Draw, depth: int, kind: str) -> Query:
    """An outer join, or a condition over a subquery, with an equality and perhaps more."""
    left, right = draw(queries(depth - 1)), draw(queries(depth - 1))
    pairs = comparable(left, right)
    if not pairs:
        return left
    a, b = draw(st.sampled_from(pairs))
    on = f"m0.{a} {draw(st.sampled_from(('=', '=', '=', '<=>', '<', '<>')))} m1.{b}"
    numbers = [(x, y) for x, y in pairs if dict(left.columns)[x]]
    if numbers and draw(st.booleans()):
        x, y = draw(st.sampled_from(numbers))
        on += f" and m0.{x} <= m1.{y}"
    if kind == "outer":
        side = draw(st.sampled_from(("left", "right", "full")))
        columns = [(f"m0.{n}", k) for n, k in left.columns]
        columns += [(f"m1.{n}", k) for n, k in right.columns]
        kept = some(draw, columns, 4) or columns[:1]
        items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
        names = tuple((f"k{place}", k) for place, (_, k) in enumerate(kept))
        return Query(
            f"select {items} from ({left.sql}) m0 {side} join ({right.sql}) m1 on {on}", names
        )
    start = f"select * from ({left.sql}) m0 where"
    negated = draw(st.sampled_from(("", "not ")))
    form = draw(st.integers(0, 6))
    if form == 6:
        having = draw(st.sampled_from(("", " having count(*) > 1", " having count(*) = 0")))
        whole = f"(select max(m1.{b}) from ({right.sql}) m1 where m0.{a} = m1.{b}{having})"
        return Query(f"{start} {negated}exists {whole}", left.columns)
    if form < 3:
        tied = f" where {on}" if form == 0 else ""
        among = f"(select m1.{b} from ({right.sql}) m1{tied})"
        if form == 2 and numbers:
            x, y = numbers[0]
            among = f"(select m1.{b}, m1.{y} from ({right.sql}) m1)"
            return Query(f"{start} (m0.{a}, m0.{x}) {negated}in {among}", left.columns)
        return Query(f"{start} m0.{a} {negated}in {among}", left.columns)
    tied = "" if form == 3 else f" where {on}"
    if form == 4:
        tied += f" group by m1.{b} having count(*) > 1"
    exists = f"exists (select 1 from ({right.sql}) m1{tied})"
    return Query(f"{start} {negated}{exists}", left.columns)


def _joined_joins(draw: Draw) -> Query:
    """Joins in parentheses, or joins by USING of one column after each other."""
    inputs = [draw(queries(0)) for _ in range(3)]
    sides = [draw(st.sampled_from(("full", "left", "right", "inner"))) for _ in range(2)]
    if draw(st.booleans()):
        rows = []
        for place, query in enumerate(inputs):
            number = draw(st.sampled_from(query.numbers)) if query.numbers else "1"
            other, _ = draw(st.sampled_from(query.columns))
            items = f"cast({number} as bigint) as k, {other} as v{place}"
            rows.append(f"(select {items} from ({query.sql}) i{place}) u{place}")
        shown = draw(st.sampled_from(("k", "k", "u1.k", "coalesce(u2.k, k)")))
        sql = f"{rows[0]} {sides[0]} join {rows[1]} using (k) {sides[1]} join {rows[2]} using (k)"
        return Query(
            f"select {shown} as k0, count(*) as k1 from {sql} group by 1",
            (("k0", True), ("k1", True)),
        )
    first, second = comparable(inputs[0], inputs[1]), comparable(inputs[1], inputs[2])
    if not first or not second:
        return inputs[0]
    (a, b), (c, d) = draw(st.sampled_from(first)), draw(st.sampled_from(second))
    m0, m1, m2 = (f"({query.sql}) m{place}" for place, query in enumerate(inputs))
    operator = draw(st.sampled_from(("=", "=", "<=>", "<")))
    group = f"({m1} {sides[1]} join {m2} on m1.{c} = m2.{d})"
    columns = [(f"m{place}.{n}", k) for place, q in enumerate(inputs) for n, k in q.columns]
    kept = some(draw, columns, 4) or columns[:1]
    items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
    return Query(
        f"select {items} from {m0} {sides[0]} join {group} on m0.{a} {operator} m1.{b}",
        tuple((f"k{place}", k) for place, (_, k) in enumerate(kept)),
    )


def _with_subquery(draw: Draw, depth: int, kind: str) -> Query:
    """Subqueries as values, and as parts of conditions."""
    left = draw(queries(depth - 1))
    numbers = left.numbers
    if kind == "scalar":
        if not numbers:
            return left
        place = draw(st.sampled_from(("where", "select", "having")))
        if place == "select":
            kept = some(draw, list(left.columns), 2)
            items = [(f"k{p}", f"m0.{n}", k) for p, (n, k) in enumerate(kept)]
            items.append(("k9", _value(draw, left, depth), True))
            select = ", ".join(f"{e} as {n}" for n, e, _ in items)
            return Query(
                f"select {select} from ({left.sql}) m0", tuple((n, k) for n, _, k in items)
            )
        x = f"m0.{draw(st.sampled_from(numbers))}"
        operator = draw(st.sampled_from(("=", "<", ">=", "<>", "<=>")))
        if place == "where":
            condition = f"{x} {operator} {_value(draw, left, depth)}"
            if draw(st.integers(0, 3)) == 0:
                condition += f" or {predicate(draw, left, 'm0')}"
            return Query(f"select * from ({left.sql}) m0 where {condition}", left.columns)
        key = draw(st.sampled_from(left.columns))
        value = _value(draw, Query(left.sql, (key,)), depth)
        return Query(
            f"select m0.{key[0]} as g0, cast(sum({x}) as bigint) as g1 from ({left.sql}) m0 "
            f"group by m0.{key[0]} having sum({x}) {operator} {value}",
            (("g0", key[1]), ("g1", True)),
        )
    parts = [predicate(draw, left, "m0"), *(_exists(draw, left, depth) for _ in range(2))]
    shape = draw(
        st.sampled_from(
            (
                "{0} or {1}",
                "{1} or {0}",
                "not ({0}) or not {1}",
                "({0} and {1}) or {2}",
                "{1} and ({0} or {2})",
                "case when {1} then 1 when {0} then 0 else 2 end > 0",
            )
        )
    )
    if "not {1}" in shape:
        parts[1] = f"({parts[1]})" if "exists" in parts[1] else "(1 = 0)"
    return Query(f"select * from ({left.sql}) m0 where {shape.format(*parts)}", left.columns)


def _lateral(draw: Draw, depth: int) -> Query:
    """Each row with the rows, the groups, the first rows or the one row of a subquery over it."""
    left, right = draw(queries(depth - 1)), draw(queries(min(depth - 1, 2)))
    pairs = comparable(left, right)
    if not pairs:
        return left
    a, b = draw(st.sampled_from(pairs))
    form = draw(st.sampled_from(("rows", "whole", "groups", "first", "computed")))
    operator = draw(st.sampled_from(("=", "=", "<=>", "<") if form == "rows" else ("=", "<=>")))
    tied = f"from ({right.sql}) r where r.{b} {operator} m0.{a}"
    if draw(st.booleans()):
        tied += f" and {predicate(draw, right, 'r')}"
    y = f"r.{draw(st.sampled_from(right.numbers))}" if right.numbers else "1"
    name, number = draw(st.sampled_from(right.columns))
    if form == "whole":
        calls = ("count(*)", "count({y})", "max({y})", "coalesce(sum({y}), 0)")
        call = draw(st.sampled_from(calls))
        having = draw(st.sampled_from(("", "", " having count(*) <> 1")))
        body = f"select cast({call.format(y=y)} as bigint) as v0, cast(min({y}) as bigint) as v1 "
        body, own = f"{body} {tied}{having}", (("v0", True), ("v1", True))
    elif form == "groups":
        body = f"select r.{name} as v0, count(*) as v1 {tied} group by r.{name}"
        own = (("v0", number), ("v1", True))
    elif form == "first":
        limit = draw(st.sampled_from(("limit 1", "limit 2", "limit 2 offset 1")))
        every = [f"r.{n} as v{p}" for p, (n, _) in enumerate(right.columns, start=2)]
        order = ", ".join(draw(st.permutations([f"v{p + 2}" for p in range(len(every))])))
        body = f"select r.{name} as v0, {y} as v1, {', '.join(every)} {tied}"
        body += f" order by {order} {limit}"
        own = (("v0", number), ("v1", True))
    else:
        x = f"m0.{a}" if a in left.numbers else "1"
        value = f"{x} + {y}" if form == "computed" else y
        body = f"select r.{name} as v0, {value} as v1 {tied}"
        own = (("v0", number), ("v1", True))
    join = draw(st.sampled_from(("cross join lateral {}", "left join lateral {} on l.v1 > 0")))
    if form != "first" and draw(st.booleans()):
        join = "left join lateral {} on true"
    columns = [(f"m0.{n}", k) for n, k in left.columns] + [(f"l.{n}", k) for n, k in own]
    kept = some(draw, columns, 4) or columns[-1:]
    items = ", ".join(f"{name} as k{place}" for place, (name, _) in enumerate(kept))
    names = tuple((f"k{place}", k) for place, (_, k) in enumerate(kept))
    return Query(f"select {items} from ({left.sql}) m0 {join.format(f'({body}) l')}", names)


def _exists(draw: Draw, left: Query, depth: int) -> str:
    right = draw(queries(min(depth - 1, 1)))
    pairs = comparable(left, right)
    negated = draw(st.sampled_from(("", "not ")))
    if not pairs:
        return f"{negated}exists (select 1 from ({right.sql}) r)"
    a, b = draw(st.sampled_from(pairs))
    if draw(st.booleans()):
        return f"m0.{a} {negated}in (select r.{b} from ({right.sql}) r)"
    return f"{negated}exists (select r.{b} from ({right.sql}) r where r.{b} = m0.{a})"


def _value(draw: Draw, left: Query, depth: int) -> str:
    """A scalar subquery over an alias r, perhaps correlated with the alias m0."""
    right = draw(queries(min(depth - 1, 1)))
    numbers = right.numbers
    y = f"r.{draw(st.sampled_from(numbers))}" if numbers else "1"
    calls = (
        "count(*)",
        f"count({y})",
        f"max({y})",
        f"min({y})",
        f"coalesce(sum({y}), 0) + 1",
        f"count(*) + max({y})",
        f"case when count(*) = 0 then -1 else sum({y}) end",
        f"count_if({y} > 0)",
    )
    sql = f"select cast({draw(st.sampled_from(calls))} as bigint) from ({right.sql}) r"
    pairs = comparable(left, right)
    if pairs and draw(st.integers(0, 2)):
        a, b = draw(st.sampled_from(pairs))
        sql += f" where r.{b} {draw(st.sampled_from(('=', '=', '<=>')))} m0.{a}"
        if draw(st.booleans()):
            sql += f" and {predicate(draw, right, 'r')}"
    if draw(st.integers(0, 3)) == 0:
        sql += " having count(*) <> 1"
    return f"({sql})"


def _grouped(draw: Draw, depth: int) -> Query:
    """An aggregate, or DISTINCT, below another operator; its columns have names of their own."""
    inner = draw(queries(depth - 1))
    keys = some(draw, list(inner.columns), 2)
    items = [(f"g{place}", f"q.{n}", k) for place, (n, k) in enumerate(keys)]
    if keys and draw(st.integers(0, 3)) == 0:
        sql = ", ".join(f"{e} as {n}" for n, e, _ in items)
        return Query(
            f"select distinct {sql} from ({inner.sql}) q", tuple((n, k) for n, _, k in items)
        )
    numbers = inner.numbers
    call = draw(st.sampled_from(("count(*)", "count({x})", "sum({x})", "min({x})", "max({x})")))
    argument = f"q.{draw(st.sampled_from(numbers))}" if numbers else "1"
    items.append(("g9", f"cast({call.format(x=argument)} as bigint)", True))
    sql = f"select {', '.join(f'{e} as {n}' for n, e, _ in items)} from ({inner.sql}) q"
    if keys and draw(st.integers(0, 3)) == 0:
        sql += " " + sets(draw, [n for n, _ in keys])
    elif keys:
        sql += " group by " + ", ".join(f"q.{n}" for n, _ in keys)
    return Query(sql, tuple((n, k) for n, _, k in items))


def _windowed(draw: Draw, depth: int) -> Query:
    """Window functions beside some columns, perhaps the first rows of each partition only.

    Where the order of equal rows shows in the result, ORDER BY is over all columns, so that the
    query has one answer; two such functions could be paired in more than one way.
    """
    inner = draw(queries(depth - 1))
    kept = some(draw, list(inner.columns), 2) or list(inner.columns[:1])
    items = [(f"w{place}", f"q.{n}", k) for place, (n, k) in enumerate(kept)]
    numbers = inner.numbers
    calls = WINDOWS
    for place in range(draw(st.integers(1, 2))):
        call, in_order = draw(st.sampled_from(calls))
        if in_order:
            calls = tuple(c for c in WINDOWS if not c[1])
        argument = f"q.{draw(st.sampled_from(numbers))}" if numbers else "1"
        over = window_spec(draw, inner, all_columns=in_order)
        items.append((f"o{place}", f"{call.format(x=argument)} over ({over})", True))
    sql = f"select {', '.join(f'{e} as {n}' for n, e, _ in items)} from ({inner.sql}) q"
    if draw(st.booleans()):
        sql = f"select * from ({sql}) r where r.o0 <= 2"
    return Query(sql, tuple((n, k) for n, _, k in items))


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


_KINDS = (
    "table",
    "filter",
    "project",
    "join",
    "join",
    "outer",
    "joins",
    "exists",
    "scalar",
    "condition",
    "lateral",
    "group",
    "union",
    "window",
    "pivot",
    "unpivot",
    "cte",
    "star",
    "star",
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
