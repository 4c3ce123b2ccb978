"""Joins in parentheses: writes them as one list of joins that says where each group ends.

sqlglot would make a subquery of `(b JOIN c ON ...)`, whose tables nobody outside could name. In
Spark their names stay visible. So the tables stand in one list, in the order of the text, and
`GroupEnd` keeps the join of the group as a whole:

    a LEFT JOIN (b JOIN c ON p) ON q   ->   a CROSS JOIN b [opens] JOIN c ON p [closes: LEFT JOIN q]

A group with an alias is a subquery: `(b JOIN c ON p) AS x` is `(SELECT * FROM b JOIN c ON p) AS x`.

Source: `relation` and `relationPrimary` of Spark's SqlBaseParser.g4.
"""

from __future__ import annotations

from sqlglot import exp

OPENS, CLOSES, SHARED, NATURAL = "ivm_opens", "ivm_closes", "ivm_shared", "ivm_natural"
"""The arguments of a Join: its relation begins a group, the `GroupEnd`s after it, the columns of
its USING, and that it is NATURAL. sqlglot removes the last two."""


class GroupEnd(exp.Expression):
    """The join between what is before a group and the group.

    Its arguments are those of an `exp.Join`: `on`, `side`, `kind`, and the columns of USING.
    """

    arg_types = dict.fromkeys(  # sqlglot's own form
        ("on", "side", "kind", "method", SHARED, NATURAL), False
    )


def flatten_joins(query: exp.Expr) -> None:
    """Replace the joins in parentheses of a query, in place."""
    for select in list(query.find_all(exp.Select)):
        clause = select.args.get("from_")
        if clause is None:
            continue
        first, before = _opened(clause.this)
        clause.set("this", first)
        after = [step for join in select.args.get("joins") or () for step in _steps(join)]
        if before or after:
            select.set("joins", [*before, *after])
    for join in query.find_all(exp.Join):
        if not join.args.get(OPENS):
            _keep_shared(join, join)


def _opened(source: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return the first relation of an operand of a join, and the joins after it inside a group."""
    if not _is_group(source):
        return _values(source), []
    inner = source.this
    joins = inner.args.get("joins") or ()
    inner.set("joins", None)
    first, steps = _opened(inner)
    steps += [step for join in joins for step in _steps(join)]
    alias = source.args.get("alias")
    if alias is None and not source.args.get("pivots") and not source.args.get("sample"):
        return first, steps
    if not steps and isinstance(first, exp.Table) and not source.args.get("sample"):
        renamed = _renamed(first, source)
        if renamed is not None:
            return renamed, []
    query = exp.select("*").from_(first)
    query.set("joins", steps or None)
    source.set("this", query)
    return source, []


def _renamed(table: exp.Expr, source: exp.Expr) -> exp.Expr | None:
    """Return a table in parentheses under the alias after them, if it has none of its own."""
    if table.args.get("alias") or table.args.get("pivots") or source.args.get("pivots"):
        return None
    table.set("alias", source.args["alias"])
    return table


def _values(source: exp.Expr) -> exp.Expr:
    """Return VALUES for the table that sqlglot makes of it inside parentheses."""
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Values):
        return source
    source.this.set("alias", source.args.get("alias"))
    return source.this


def _is_group(source: exp.Expr) -> bool:
    """Return whether parentheses are around a relation, not around a query."""
    if not isinstance(source, exp.Subquery):
        return False
    inner = source.this
    if isinstance(inner, exp.Subquery):
        named = inner.args.get("alias") or inner.args.get("joins") or inner.args.get("pivots")
        return bool(named) or _is_group(inner)
    return isinstance(inner, (exp.Table, exp.Values, exp.Lateral))


def _steps(join: exp.Expr) -> list[exp.Expr]:
    """Return a join, and the joins of the group that it joins, if it joins one."""
    first, steps = _opened(join.this)
    if not steps:
        join.set("this", first)
        return [join]
    end = GroupEnd(**{key: join.args.get(key) for key in ("on", "side", "kind", "method")})
    _keep_shared(join, end)
    opening = exp.Join(this=first, kind="CROSS", using=join.args.get("using"))
    opening.set(OPENS, True)
    steps[-1].set(CLOSES, [*(steps[-1].args.get(CLOSES) or ()), end])
    return [opening, *steps]


def _keep_shared(join: exp.Expr, kept: exp.Expr) -> None:
    """Keep a join's USING or NATURAL where sqlglot does not remove it."""
    if join.args.get("using"):
        kept.set(SHARED, [name.copy() for name in join.args["using"]])
    elif str(join.args.get("method") or "").upper() == "NATURAL":
        kept.set(NATURAL, True)
