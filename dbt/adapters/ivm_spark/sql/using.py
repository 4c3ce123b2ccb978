"""JOIN USING: finds the column that Spark takes for the joined one.

sqlglot writes the joined column as COALESCE(left, right). Spark takes the left column of an inner
or left join and the right column of a right join. Only for a full join does it take the first that
is not null.
"""

from __future__ import annotations

from sqlglot import exp


def using_columns(query: exp.Expr) -> dict[str, str]:
    """Return the kind of join for each column in a USING: `left`, `right` or `full`.

    Columns are in lower case. A column whose joins differ in kind has `full`.
    """
    kinds: dict[str, str] = {}
    for join in query.find_all(exp.Join):
        kind = join.side.lower() or "left"
        for column in join.args.get("using") or ():
            name = column.name.lower()
            kinds[name] = kind if kinds.get(name, kind) == kind else "full"
    return kinds


def restore_using(query: exp.Query, kinds: dict[str, str]) -> exp.Query:
    """Replace COALESCE(a.k, b.k, ...) of a USING column k by the column that Spark takes."""
    for call in list(query.find_all(exp.Coalesce)):
        parts = [call.this, *call.expressions]
        columns = {p.name.lower() for p in parts if isinstance(p, exp.Column)}
        joined = all(isinstance(p, exp.Column) for p in parts) and len(columns) == 1
        kind = kinds.get(columns.pop(), "full") if joined else "full"
        if kind != "full":
            call.replace(parts[0 if kind == "left" else -1].copy())
    return query
