"""Makes explicit the parts of a query that sqlglot misreads or leaves open."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import TIME_WINDOW
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.struct_fields import name_fields
from dbt.adapters.ivm_spark.sql.join_groups import flatten_joins
from dbt.adapters.ivm_spark.sql.star import count_rows, refuse_ambiguous_stars
from dbt.adapters.ivm_spark.sql.time_windows import name_time_windows
from dbt.adapters.ivm_spark.sql.values import name_values

_VARIABLE = re.compile(r"\$\{(?:\w+?:)?\S+?\}")
"""Source: REF_RE of Spark's ConfigReader."""
_PARAMETER = "__ivm_lambda_"


def prepare(query: exp.Query) -> None:
    """Make a query explicit, in place. Raises NotMaintained if its meaning is not certain.

    Each step looks at the whole query, so a step runs only if the query has something for it.
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
    if "session_window" in calls:
        raise not_supported("session_window(), whose windows grow and meet")
    if TIME_WINDOW in calls:
        name_time_windows(query)
    if exp.Star in kinds:
        count_rows(query)
        refuse_ambiguous_stars(query)
    if exp.Lambda in kinds:
        _rename_parameters(query)
    if exp.Tuple in kinds or "struct" in calls:
        name_fields(query)
    if exp.CTE in kinds:
        _spell_ctes(query)
    if exp.Values in kinds:
        name_values(query)
    if exp.Alias in kinds:
        _read_fields_of_aliases(query)


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


def _read_fields_of_aliases(query: exp.Query) -> None:
    """Read `s.a` beside `named_struct('a', 1) AS s` as a field, where sqlglot looks for a table s.

    A column that is called s too still comes first.
    """
    relations: set[str] = set()
    for source in query.find_all(exp.Table, exp.Subquery, exp.Lateral, exp.Values):
        relations.add(source.alias_or_name.lower())
        if isinstance(source, exp.Table):
            relations.update(part.name.lower() for part in source.parts)
    for select in query.find_all(exp.Select):
        earlier: set[str] = set()
        for item in select.expressions:
            for used in list(item.find_all(exp.Column)) if earlier else ():
                first, *fields = used.parts
                name = first.name.lower()
                if (
                    fields
                    and name in earlier - relations
                    and used.find_ancestor(exp.Select) is select
                ):
                    used.replace(exp.Dot.build([exp.Column(this=first), *fields]))
            if isinstance(item, exp.Alias):
                earlier.add(item.alias.lower())


def _rename_parameters(query: exp.Expr) -> None:
    """Rename the parameters of lambda functions, so that no column of a tree has the same name.

    `transform(prices, q -> q * t.rate)` may move to a place where a table is called `q`.
    """
    for function in list(query.find_all(exp.Lambda)):
        names = {p.name for p in function.expressions if not p.name.startswith(_PARAMETER)}
        for parameter in function.expressions:
            parameter.set("this", _PARAMETER + parameter.name.removeprefix(_PARAMETER))
        for used in list(function.this.find_all(exp.Identifier)):
            if used.name in names and _stands_alone(used):
                used.set("this", _PARAMETER + used.name)


def _stands_alone(name: exp.Identifier) -> bool:
    """Return whether a name is neither a column's nor a field's, and so may be a parameter."""
    around = name.parent
    field = isinstance(around, exp.Dot) and name.arg_key == "expression"
    return not field and not isinstance(around, (exp.Column, exp.DataType, exp.ColumnDef))
