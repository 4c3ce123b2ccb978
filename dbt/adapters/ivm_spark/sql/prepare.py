"""Makes explicit in a query what sqlglot reads in another way than Spark, or leaves open."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import TIME_WINDOW
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.struct_fields import name_fields
from dbt.adapters.ivm_spark.sql.join_groups import flatten_joins
from dbt.adapters.ivm_spark.sql.lambdas import rename_parameters
from dbt.adapters.ivm_spark.sql.star import count_rows, refuse_ambiguous_stars
from dbt.adapters.ivm_spark.sql.time_windows import name_time_windows
from dbt.adapters.ivm_spark.sql.values import name_values

_VARIABLE = re.compile(r"\$\{(?:\w+?:)?\S+?\}")
"""Source: REF_RE of Spark's ConfigReader."""


def prepare(query: exp.Query) -> None:
    """Make a query explicit, in place. Raises NotMaintained for what has no certain meaning.

    Each step looks at the whole query, so a step is left out if the query has nothing for it.
    """
    kinds: set[type[exp.Expr]] = set()
    calls: set[str] = set()
    for node in query.walk():
        node.comments = None
        _check_variables(node)
        kinds.add(type(node))
        if isinstance(node, exp.Anonymous):
            node.set("this", node.name.lower())
            calls.add(node.name)
    if exp.RawString in kinds:
        for raw in list(query.find_all(exp.RawString)):
            raw.replace(exp.Literal.string(raw.name))
    flatten_joins(query)
    if TIME_WINDOW in calls:
        name_time_windows(query)
    if exp.Star in kinds:
        count_rows(query)
        refuse_ambiguous_stars(query)
    if exp.Lambda in kinds:
        rename_parameters(query)
    if exp.Tuple in kinds or "struct" in calls:
        name_fields(query)
    if exp.CTE in kinds:
        _spell_ctes(query)
    if exp.Values in kinds:
        name_values(query)


def _check_variables(node: exp.Expr) -> None:
    """Raise NotMaintained if a text of the node contains a variable such as ${name}.

    Spark replaces ${name} by a setting's value before it reads a text, even inside a literal. The
    query's rows would then depend on the settings of the refresh.
    """
    for text in node.args.values():
        found = _VARIABLE.search(text) if isinstance(text, str) else None
        if found is not None:
            raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, found.group(0))


def _spell_ctes(query: exp.Query) -> None:
    """Spell each reference to a CTE as the CTE's definition does, whatever its case.

    If Spark is case-sensitive, such a name is a table's; the comparison of plans detects that.
    """
    spellings: dict[str, set[str]] = {}
    for cte in query.find_all(exp.CTE):
        spellings.setdefault(cte.alias.lower(), set()).add(cte.alias)
    for table in query.find_all(exp.Table):
        given = spellings.get(table.name.lower(), set())
        if not table.db and len(given) == 1 and table.name not in given:
            table.this.set("this", next(iter(given)))
