"""Whether a query that is not maintained is a function of its sources' rows all the same.

Only then may a refresh do nothing while the sources do not move. Everything in the query must be
known: an unknown name, function, literal or clause might depend on the clock, the session or the
files. So lists say what may occur in the query's syntax, and in Spark's plan for it. In the plan,
session variables and `user` no longer look like columns.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import clock_texts, computed_texts
from dbt.adapters.ivm_spark.algebra.expressions import (
    ORDER_DEPENDENT,
    function_name,
    is_known,
    value_in_order,
)
from dbt.adapters.ivm_spark.algebra.functions import (
    AGGREGATES,
    GENERATORS,
    NAMED_BY_ARGUMENTS,
    NOT_DETERMINISTIC,
    SCALARS,
    WINDOWS,
)
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Aggregate
from dbt.adapters.ivm_spark.sql.join_groups import GroupEnd

_CLAUSES = (
    exp.Select,
    exp.SetOperation,
    exp.Subquery,
    exp.With,
    exp.CTE,
    exp.From,
    exp.Join,
    exp.Lateral,
    exp.Table,
    exp.TableAlias,
    exp.Aliases,
    exp.Values,
    exp.Group,
    exp.GroupingSets,
    exp.Cube,
    exp.Rollup,
    exp.Having,
    exp.Exists,
    exp.Pivot,
    exp.PivotAlias,
    exp.Hint,
    exp.Star,
    exp.All,
    exp.Any,
    GroupEnd,
)
_FUNCTIONS = (AGGREGATES | GENERATORS | SCALARS | WINDOWS | NAMED_BY_ARGUMENTS) - NOT_DETERMINISTIC
_INTERNAL = frozenset(
    """
    named_struct lambdafunction namedlambdavariable windowspecdefinition specifiedwindowframe outer
    exists list scalar knownnotnull knownnullable knownfloatingpointnormalized
    normalizenanandzero promote_precision checkoverflow extractansiintervaldays
    multiplyytminterval multiplydtinterval divideytminterval dividedtinterval getstructfield
    getarrayitem getmapvalue unscaledvalue makedecimal isnotnull isnull aggregatewindowfunction
    decimal varchar char struct array map join project aggregate filter sort union expand generate
    view and or not in if case mapsort rangeframe rowframe unboundedpreceding currentrow
    subtracttimestamps subtractdates timestampaddyminterval timestampadd timestampdiff
    dateaddyminterval dateaddinterval lateral likeall likeany notlikeall notlikeany
    """.split()
)
"""Names that Spark's plans print as calls and that are no functions of SQL."""
_ANALYZED = re.compile(
    r"== Analyzed Logical Plan ==\n[^\n]*\n(.*?)\n\n== Optimized Logical Plan ==", re.DOTALL
)
_CALL = re.compile(r"([A-Za-z_][\w.]*)\(")
_CUT = re.compile(r"\.\.\. \d+ more fields")


def reads_only_sources(query: exp.Expr) -> bool:
    """Return whether all syntax of a query is known to depend only on its sources' rows.

    Views in the query are expanded.
    """
    if clock_texts(iter([query])) or computed_texts(iter([query])):
        return False
    return all(isinstance(node, _CLAUSES) or is_known(node) for node in query.walk())


def plan_reads_only_sources(explained: str) -> bool:
    """Return the same of the analyzed plan that EXPLAIN EXTENDED prints.

    A plan that Spark has cut is not known.

    Source: `Expression.prettyName` of Spark, which names calls in plans.
    """
    found = _ANALYZED.search(explained)
    if found is None or _CUT.search(found.group(1)) or "_metadata#" in found.group(1):
        return False
    calls = {call.lower() for call in _CALL.findall(found.group(1))}
    return calls <= _FUNCTIONS | _INTERNAL


def check_repeatable(node: Aggregate) -> None:
    """Raise NotMaintained for an aggregate that depends on the order of its rows."""
    for item in node.aggregates:
        if value_in_order(item.expression) is not None:
            continue
        for call in item.expression.walk():
            name = function_name(call)
            if name in ORDER_DEPENDENT:
                raise not_supported(f"{name}() below another operator")
