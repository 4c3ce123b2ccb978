"""Expands the stars inside expressions into the columns that they stand for.

`hash(*)` over a table differs from `hash(*)` over its change feed, and over the columns that a view
uses of it. sqlglot expands the stars of a SELECT list. This module expands those in calls:
`struct(*)`, `concat_ws('|', t.*)`, `greatest(point.*)`. Afterwards no expression of a tree depends
on which columns its input happens to have.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.struct_fields import is_struct, spell_structs

Columns = Callable[[str], "list[tuple[str, str, str]]"]
"""(alias, label, spelled name) of each column of a relation in scope, in order; the empty alias
means all relations."""
Fields = Callable[[exp.Expr], "list[str] | None"]
"""The fields of a struct, None for an expression that is not a struct or whose type is not
certain."""


def count_rows(query: exp.Expr) -> None:
    """Spell `count(*)` as `count(1)`, as Spark does: it counts rows, whatever columns they have.

    Changes the query in place.
    """
    for star in list(query.find_all(exp.Star)):
        call = star.parent
        if not isinstance(call, exp.Anonymous) or call.name.lower() != "count":
            continue
        if call.expressions == [exp.Star()]:
            call.set("expressions", [exp.Literal.number(1)])


def refuse_ambiguous_stars(query: exp.Expr) -> None:
    """Raise NotMaintained for a bare star inside a call over JOIN USING or a NATURAL JOIN.

    Its columns and their order depend on the kind of each join.
    """
    for select in query.find_all(exp.Select):
        joins = select.args.get("joins") or ()
        if not any(j.args.get("using") or j.method.upper() == "NATURAL" for j in joins):
            continue
        for star in select.find_all(exp.Star):
            bare = not isinstance(star.parent, (exp.Column, exp.Dot, exp.Select))
            if bare and star.parent_select is select:
                raise not_supported("a star inside a call, over JOIN USING")


def spread(expression: exp.Expr, columns: Columns, fields: Fields) -> exp.Expr:
    """Replace each star of an expression by qualified columns, and spell out struct field names.

    Raises NotMaintained for a star that is not an argument, and for one whose columns are not
    certain.
    """
    if expression.find(exp.Star) is None:
        return spell_structs(expression)
    whole = exp.Tuple(expressions=[expression.copy()])
    for star in list(whole.find_all(exp.Star)):
        place = star.parent if isinstance(star.parent, (exp.Column, exp.Dot)) else star
        around = place.parent
        arguments = around.args.get(str(place.arg_key)) if around is not None else None
        if around is whole or around is None or not isinstance(arguments, list):
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a star outside a call")
        found = _without(_meant(place, columns, fields, is_struct(around)), star)
        spot = next(n for n, argument in enumerate(arguments) if argument is place)
        around.set(str(place.arg_key), [*arguments[:spot], *found, *arguments[spot + 1 :]])
    return spell_structs(whole.expressions[0].pop())


def _meant(place: exp.Expr, columns: Columns, fields: Fields, named: bool) -> list[exp.Expr]:
    """Return the columns or fields that a star stands for.

    named: the spelling of a column's name matters.
    """
    if isinstance(place, exp.Dot):
        names = fields(place.this)
        if names is None:
            raise not_supported("the star of a struct whose fields are unknown")
        return [
            exp.Dot(this=place.this.copy(), expression=exp.to_identifier(name, quoted=True))
            for name in names
        ]
    alias = place.table if isinstance(place, exp.Column) else ""
    known = columns(alias)
    if len({(of, label) for of, label, _ in known}) < len(known):
        raise not_supported("a star over two columns of the same name")
    found: list[exp.Expr] = []
    for of, label, name in known:
        column = exp.column(label, table=of, quoted=True)
        found.append(exp.alias_(column, name, quoted=True) if named else column)
    return found


def _without(found: list[exp.Expr], star: exp.Star) -> list[exp.Expr]:
    """Return the columns that EXCEPT leaves."""
    for clause, value in star.args.items():
        if value and clause != "except_":
            raise not_supported(f"{clause} on a star inside a call")
    left_out = star.args.get("except_") or ()
    names = [column.name for column in left_out]
    if any(not isinstance(c, exp.Column) or c.table for c in left_out):
        raise not_supported("EXCEPT of a field on a star inside a call")
    if not set(names) <= {_name(column) for column in found}:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "EXCEPT of an unknown column")
    return [column for column in found if _name(column) not in names]


def _name(column: exp.Expr) -> str:
    bare = column.unalias()
    return str(bare.expression.name if isinstance(bare, exp.Dot) else bare.name)
