"""Tells apart columns of one name, so that the stars over them can be expanded.

    WITH j AS (SELECT a.*, b.* FROM a JOIN b ON a.id = b.id), k AS (SELECT * FROM j) SELECT ...

`j` has two columns `id`. Nothing can refer to either by name, but a star passes both on. sqlglot
leaves such a star as it is, and then knows no column above it. So the second column of a name gets
another one, below the query's own outputs. A name that shows in a result, as in `struct(*)`, makes
the comparison of plans fail.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from sqlglot import exp
from sqlglot.errors import SqlglotError

Qualify = Callable[[exp.Query, bool], exp.Query]
"""Qualifies the names of a query in place; False leaves what it can't resolve, without an error."""


def with_stars_expanded(query: exp.Query, qualify: Qualify) -> exp.Query:
    """Return a query whose names are qualified, and whose stars are columns where they can be.

    Raises what `qualify` raises. The query is used up.
    """
    try:
        found = qualify(query.copy(), True)
        if not _has_star(found):
            return found
    except SqlglotError:
        if not _has_star(query):
            raise
    while _rename_repeated(draft := qualify(query.copy(), False)):
        query = draft
    return qualify(query, True)


def _has_star(query: exp.Query) -> bool:
    return any(item.is_star for select in query.find_all(exp.Select) for item in select.expressions)


def _rename_repeated(query: exp.Query) -> bool:
    """Rename repeated outputs of the query's inner blocks; return whether there are any.

    A block that still has a star is not looked at, since its outputs are not known.
    """
    renamed = False
    for select in query.find_all(exp.Select):
        items = select.expressions
        if select.parent is None or any(item.is_star for item in items):
            continue
        names = {item.alias_or_name for item in items}
        seen: set[str] = set()
        for item in items:
            name = item.alias_or_name
            if name in seen:
                other = next(n for n in (f"{name}_{i}" for i in count(2)) if n not in names)
                item.replace(exp.alias_(item.unalias().copy(), other, quoted=True))
                names.add(other)
                renamed = True
            seen.add(name)
    return renamed
