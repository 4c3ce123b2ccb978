"""Checks whether a query reads one of its texts as the current time."""

from __future__ import annotations

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import (
    clock_texts,
    computed_texts,
    is_clock_text,
    tree_expressions,
)
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.plan.spark_plans import plans_are_equivalent
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain

_STAND_IN = "~"


def check_clock(query: Query, written: Node) -> None:
    """Raise NotMaintained (EXPRESSION_NOT_DETERMINISTIC) unless every text of a tree stays a text.

    The function replaces a text such as 'today' with one that means nothing. If the text is never
    cast to a date or a timestamp, Spark plans the query as before except for the text. Spark is
    asked only if a query has such a text or computes one. Raises what `query` raises.
    """
    for text in _computed(query, computed_texts(tree_expressions(written))):
        if is_clock_text(text):
            raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, f"'{text}'")
    texts = clock_texts(tree_expressions(written))
    if not texts:
        return
    tree = render(written, bind_plain)
    stand_ins = {text: f"{text.rstrip()[:-1]}{_STAND_IN}" for text in texts}

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Literal) and node.is_string and node.name in stand_ins:
            return exp.Literal.string(stand_ins[node.name])
        return node

    def respelled(plan: str) -> str:
        for text, stand_in in stand_ins.items():
            plan = plan.replace(stand_in, text)
        return plan

    plain = to_sql(tree)
    other = to_sql(tree.transform(replaced))
    certain = not any(stand_in in plain for stand_in in stand_ins.values())
    if not certain or not plans_are_equivalent(query, plain, other, respelled):
        detail = ", ".join(f"'{text}'" for text in sorted(texts))
        raise NotMaintained(ReasonCode.EXPRESSION_NOT_DETERMINISTIC, detail)


def _computed(query: Query, constants: list[exp.Expr]) -> list[str]:
    """Return the texts among the values of constant expressions.

    Spark computes them without a job.
    """
    if not constants:
        return []
    items = [exp.alias_(e.copy(), f"c{place}") for place, e in enumerate(constants)]
    try:
        row = query(to_sql(exp.select(*items)))[0]
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        detail = f"a constant that can't be computed by itself: {to_sql(constants[0])}"
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, detail) from error
    return [value for value in row.values() if isinstance(value, str)]
