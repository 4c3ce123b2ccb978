"""The difference of two plans is described in the words of a query, without expression ids."""

from __future__ import annotations

import re

import pytest

from dbt.adapters.ivm_spark.sql.plan_difference import PlanDifference, plan_difference

T = "Relation spark_catalog.s.t[k#1L,n#2,x#3] parquet"
U = "Relation spark_catalog.s.u[k#4L,n#5] parquet"


def explain(*lines: str) -> str:
    plan = "\n".join(lines)
    return f"== Optimized Logical Plan ==\n{plan}\n\n== Physical Plan ==\nx\n"


def join(kind: str, condition: str, outputs: str = "n#2", below: str = "Filter isnotnull") -> str:
    return explain(
        f"Project [{outputs}]",
        f"+- Join {kind}, {condition}",
        f"   :- {below}(k#1L)",
        f"   :  +- {T}",
        f"   +- {U}",
    )


def difference(model: str, reconstruction: str) -> PlanDifference:
    found = plan_difference(model, reconstruction)
    assert found is not None
    assert not re.search(r"#\d", found.sentence + "".join(found.diff))
    return found


INNER = join("Inner", "(k#1L = k#4L)")


@pytest.mark.parametrize(
    ("model", "reconstruction", "sentence"),
    [
        (
            join("FullOuter", "(coalesce(k#1L, n#2) = k#4L)"),
            join("FullOuter", "(k#1L = k#4L)"),
            "the model's plan has `coalesce(t.k, t.n)` in the join condition where the "
            "reconstruction has `t.k`",
        ),
        (
            join("LeftOuter", "(k#1L = k#4L)"),
            INNER,
            "the model's plan has a left join `t.k = u.k` where the reconstruction has an inner "
            "join `t.k = u.k`",
        ),
        (
            join("Inner", "((k#1L = k#4L) AND (n#2 = n#5))"),
            INNER,
            "the model's plan has `t.n = u.n` in the join condition, which the reconstruction "
            "lacks",
        ),
        (
            INNER,
            join("Inner", "(k#1L = k#4L)", outputs="cast(n#2 as string) AS n#9"),
            "the model's plan has `t.n` in the select list where the reconstruction has "
            "`cast(t.n as string)`",
        ),
        (
            explain("Aggregate [k#1L], [k#1L, sum(n#2) AS s#8L]", f"+- {T}"),
            explain("Aggregate [k#1L], [k#1L, count(n#2) AS s#8L]", f"+- {T}"),
            "the model's plan has `sum(t.n)` in the select list where the reconstruction has "
            "`count(t.n)`",
        ),
        (
            explain("Aggregate [k#1L], [k#1L]", f"+- {T}"),
            explain("Project [k#1L]", f"+- {T}"),
            "the model's plan has a GROUP BY `t.k`, which the reconstruction lacks",
        ),
        (
            explain("Project [k#1L]", f"+- {T}"),
            explain("Project [k#1L]", "+- Filter (n#2 > 3)", f"   +- {T}"),
            "the reconstruction has a filter `t.n > 3`, which the model's plan lacks",
        ),
        (
            explain("Filter (n#2 > 3)", f"+- {T}"),
            explain("Filter (n#2 > 4)", f"+- {T}"),
            "the model's plan has `t.n > 3` in a filter where the reconstruction has `t.n > 4`",
        ),
        (
            explain("Project [k#1L, n#2]", f"+- {T}"),
            explain("Project [n#2, k#1L]", f"+- {T}"),
            "the model's plan has `t.k` in the select list where the reconstruction has `t.n`",
        ),
        (
            explain("Project [k#1L, n#2, k#1L]", f"+- {T}"),
            explain("Project [k#1L, n#2]", f"+- {T}"),
            "the model's plan has `t.k` in the select list, which the reconstruction lacks",
        ),
        (
            explain("Project [k#1L]", f"+- {T}"),
            explain("Project [k#4L]", f"+- {U}"),
            "the model's plan has a scan of `s.t` where the reconstruction has a scan of `s.u`",
        ),
        (
            explain("Generate explode(x#3), [2], false, t, [c#9]", f"+- {T}"),
            explain("Generate explode(x#3), [2], true, t, [c#9]", f"+- {T}"),
            "the model's plan has `Generate explode(t.x), false, 1` where the reconstruction has "
            "`Generate explode(t.x), true, 1`",
        ),
        (
            explain("Union false, false", f":- {T}", f"+- {T.replace('#', '#3')}"),
            explain("Intersect false", f":- {T}", f"+- {T.replace('#', '#3')}"),
            "the model's plan has a union where the reconstruction has the operator "
            "`Intersect false`",
        ),
    ],
)
def test_the_cause_has_the_words_of_the_query(
    model: str, reconstruction: str, sentence: str
) -> None:
    assert difference(model, reconstruction).sentence == sentence


def test_an_inferred_filter_is_named_only_if_nothing_else_differs() -> None:
    """`isnotnull` of a key follows from the join, and is below it."""
    other = join("Inner", "(n#2 = k#4L)").replace("isnotnull(k#1L)", "isnotnull(n#2)")
    assert "in the join condition" in difference(INNER, other).sentence
    only = join("Inner", "(k#1L = k#4L)").replace("isnotnull(k#1L)", "isnotnull(n#2)")
    assert difference(INNER, only).sentence == (
        "the reconstruction has a filter `isnotnull(t.n)`, which the model's plan lacks"
    )


def test_the_second_scan_of_a_table_has_a_number() -> None:
    def twice(condition: str) -> str:
        again = T.replace("1L", "11L").replace("n#2", "n#12").replace("x#3", "x#13")
        return explain(f"Join Inner, {condition}", f":- {T}", f"+- {again}")

    found = difference(twice("(k#1L = n#12)"), twice("(n#2 = n#12)"))
    assert found.sentence.startswith("the model's plan has `t.k` in the join condition")
    assert "+Join Inner (t.n = t@2.n)" in found.diff


def test_a_subquery_is_told_apart_by_its_own_plan() -> None:
    def above(value: str) -> str:
        return explain(
            "Filter (n#2 > scalar-subquery#7 [])",
            f":  +- Aggregate [max({value}) AS m#8]",
            f":     +- {U}",
            f"+- {T}",
        )

    found = difference(above("n#5"), above("k#4L"))
    assert found.sentence == (
        "the model's plan has `u.n` in the select list where the reconstruction has `u.k`"
    )
    assert not any("subquery_" in line for line in found.diff)


def test_a_long_expression_is_shown_from_where_it_differs() -> None:
    def plan(rest: str) -> str:
        return explain(f"Project [(({'x' * 90} * {rest} AS y#9]", f"+- {T}")

    sentence = difference(plan("n#2) + k#1L)"), plan("k#1L + n#2))")).sentence
    assert "* t.n) + t.k`" in sentence
    assert "* t.k + t.n)`" in sentence
    assert "x" * 30 not in sentence


def test_a_diff_is_cut_to_what_can_be_read() -> None:
    def many(number: int) -> str:
        lines = [f"{'   ' * n}+- Sort [n#2 + {number + n}], true" for n in range(100)]
        return explain("Sort [n#2], true", *lines, f"{'   ' * 100}+- {T}")

    found = difference(many(0), many(1000))
    assert len(found.diff) == 61
    assert found.diff[-1].endswith("more lines")
    wide = difference(explain(f"Filter (n#2 > {'9' * 500})", f"+- {T}"), INNER)
    assert max(len(line) for line in (*wide.diff, wide.sentence)) <= 400


def test_equal_plans_and_plans_that_cant_be_compared() -> None:
    assert plan_difference(INNER, INNER) is None
    unreadable = explain("Project [k#1L, ... 3 more fields]", f"+- {T}")
    found = difference(unreadable, INNER)
    assert found.sentence == "Spark's plan for the model has an operator that can't be compared"
    assert not found.diff
