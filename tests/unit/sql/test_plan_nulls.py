"""`isnotnull` is dropped if the row without it is rejected anyway, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.sql.plan_nulls import without_implied
from dbt.adapters.ivm_spark.sql.plan_tree import Operator, filtered

COMPUTED = "cast(date_trunc(month, @1, some(UTC)) as date)"


def scan(*columns: str) -> Operator:
    return Operator(f"Relation t[{','.join(columns)}]")


def not_null(expression: str, below: Operator) -> Operator:
    return filtered(below, [f"isnotnull({expression})"])


@pytest.mark.parametrize(
    "condition",
    [
        f"({COMPUTED} <= @4)",
        f"NOT ({COMPUTED} = @4)",
        f"(({COMPUTED} + 1) > @4)",
        f"(cast({COMPUTED} as timestamp) = @4)",
        f"(date_add({COMPUTED}, 3) = @4)",
        f"(@4 <= cast(ceil(({COMPUTED} / 7)) as bigint))",
    ],
)
def test_isnotnull_is_dropped_if_a_comparison_is_null_for_null(condition: str) -> None:
    plain = Operator("Join Inner", (condition,), (scan("@1"), scan("@4")))
    inferred = Operator("Join Inner", (condition,), (not_null(COMPUTED, scan("@1")), scan("@4")))
    assert without_implied(inferred) == plain


@pytest.mark.parametrize(
    "condition",
    [
        f"({COMPUTED} <=> @4)",
        f"(({COMPUTED} = @4) OR (@4 = 3))",
        f"(coalesce({COMPUTED}, @4) = @4)",
        f"isnull({COMPUTED})",
        f"(try_cast({COMPUTED} as int) = @4)",
    ],
)
def test_isnotnull_stays_if_the_condition_can_be_true_for_null(condition: str) -> None:
    """try_cast() returns NULL for other values too; the rule does not use that it returns NULL for
    NULL."""
    written = Operator("Join Inner", (condition,), (not_null(COMPUTED, scan("@1")), scan("@4")))
    assert without_implied(written) == written


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("Inner", False, False),
        ("LeftSemi", False, False),
        ("LeftAnti", True, False),
        ("LeftOuter", True, False),
        ("ExistenceJoin", True, False),
        ("RightOuter", False, True),
        ("FullOuter", True, True),
    ],
)
def test_isnotnull_stays_on_the_outer_side_of_a_join(kind: str, left: bool, right: bool) -> None:
    """Whether a Filter on either side of the join stays."""
    sides = not_null("@1", scan("@1")), not_null("@4", scan("@4"))
    got = without_implied(Operator(f"Join {kind}", ("(@1 = @4)",), sides))
    assert [side.kind == "Filter" for side in got.inputs] == [left, right]


@pytest.mark.parametrize(
    ("between", "stays"),
    [
        (Operator("Aggregate [@1]", keys=frozenset({"@1"})), False),
        (Operator("Aggregate [@2]", keys=frozenset({"@2"})), True),
        (Operator("Window 1", keys=frozenset({"@1"})), False),
        (Operator("Window 1", keys=frozenset({"@2"})), True),
        (Operator("Generate explode(@2), false, 1"), False),
        (Operator("LocalLimit 3"), True),
        (Operator("Expand 2"), True),
        (Operator("Union false, false", branches=(("@1",),), columns=("@9",)), True),
        (Operator("Union false, false", branches=(("@1",),), columns=("@1",)), False),
    ],
)
def test_a_filter_reaches_only_below_operators_that_it_commutes_with(
    between: Operator, stays: bool
) -> None:
    below = not_null("@1", scan("@1", "@2"))
    between = replace(between, inputs=(below,))
    got = without_implied(filtered(between, ["(@1 > 3)"]))
    assert (got.inputs[0].inputs[0] == below) == stays


def test_each_branch_of_a_union_has_its_own_expression() -> None:
    sides = not_null("@1", scan("@1")), not_null("lower(@4)", scan("@4"))
    branches = (("@1", "@2"), ("lower(@4)", "@5"))
    union = Operator("Union false, false", (), sides, branches=branches, columns=("@8", "@9"))
    got = without_implied(filtered(union, ["(@8 > 3)"]))
    assert [side.kind for side in got.inputs[0].inputs] == ["Relation", "Relation"]
    other = filtered(union, ["(@9 > 3)"])
    assert without_implied(other) == other


def test_a_filter_above_does_not_reach_the_null_side_of_an_outer_join() -> None:
    """A left row that joins only NULLs has no right row, and coalesce() shows it."""
    right = not_null("coalesce(@4, @5)", scan("@4", "@5"))
    join = Operator("Join LeftOuter", ("(@1 = @6)",), (scan("@1"), right))
    plan = filtered(join, ["(coalesce(@4, @5) > 3)"])
    assert without_implied(plan) == plan


def test_isnotnull_stays_below_not_in() -> None:
    """NOT IN is never true if the list has a NULL."""
    condition = "((@1 = @4) OR isnull((@1 = @4)))"
    plan = Operator("Join LeftAnti", (condition,), (scan("@1"), not_null("@4", scan("@4"))))
    assert without_implied(plan) == plan


def test_a_condition_that_another_implies_does_not_count() -> None:
    plain = filtered(scan("@1"), ["(@1 = 1)"])
    assert without_implied(filtered(scan("@1"), ["(@1 = 1)", "((@2 = 3) OR (@1 = 1))"])) == plain
    both = filtered(scan("@1"), ["(@1 = 1)", "((@2 = 3) OR (@1 = 2))"])
    assert without_implied(both) == both


@pytest.mark.parametrize(("keys", "goes"), [({"@1", "@2"}, True), ({"@1"}, False)])
def test_a_filter_over_group_keys_alone_reaches_below_the_aggregate(
    keys: set[str], goes: bool
) -> None:
    expression = "(date_trunc(week, @1, some(Etc/UTC)) + @2)"
    below = not_null(expression, scan("@1", "@2"))
    group = Operator("Aggregate [k]", inputs=(below,), keys=frozenset(keys))
    got = without_implied(filtered(group, [f"({expression} > 3)"]))
    assert (got.inputs[0].inputs[0].kind == "Relation") == goes


def test_a_filter_on_an_aggregate_does_not_reach_below_it() -> None:
    below = not_null("sum(@1)", scan("@1"))
    group = Operator("Aggregate [@1]", inputs=(below,), keys=frozenset({"@1"}))
    plan = filtered(group, ["(sum(@1) > 3)"])
    assert without_implied(plan) == plan
