"""JOIN USING: the column that Spark takes for the joined one.

sqlglot writes it as COALESCE(left, right). Spark takes the left column of an inner or left join,
the right one of a right join, and only for a full join the first that is not null.
"""

from __future__ import annotations

from sqlglot import exp


def using_columns(query: exp.Expr) -> dict[str, str]:
    """For each column (lower case) that joins of the query use, the kind of its joins: `left`,
    `right`, or `full` where they differ."""
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
