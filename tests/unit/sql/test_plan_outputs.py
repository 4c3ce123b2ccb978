"""An output has one meaning only if it is computed at one place: NULLs of outer joins, groups."""

from __future__ import annotations

import pytest

from tests.unit.sql.test_plan_equivalence import T, U, _explain, same_plan


def joined(kind: str, left: str, right: str, above: str) -> str:
    """A join of a computed relation of t and one of u, with outputs above it."""
    return _explain(
        f"Project [{above}]",
        f"+- Join {kind}, (k#1 = id#3)",
        *(f"   :- {line}" if n == 0 else f"   :  {line}" for n, line in enumerate(left.split("|"))),
        *(
            f"   +- {line}" if n == 0 else f"      {line}"
            for n, line in enumerate(right.split("|"))
        ),
    )


@pytest.mark.parametrize("value", ["coalesce(m#4, 0)", "1", "isnull(m#4)"])
@pytest.mark.parametrize(("kind", "equal"), [("LeftOuter", False), ("FullOuter", False),
                                             ("RightOuter", True), ("Inner", True)])  # fmt: skip
def test_a_value_below_an_outer_join_is_not_the_one_above_it(
    kind: str, value: str, equal: bool
) -> None:
    below = joined(kind, T, f"Project [id#3, {value} AS x#5]|+- {U}", "k#1, x#5")
    above = joined(kind, T, U, f"k#1, {value} AS x#5")
    assert same_plan(below, below)
    assert same_plan(below, above) is equal


def test_a_value_below_the_left_side_of_a_right_join_is_not_the_one_above_it() -> None:
    below = joined("RightOuter", f"Project [k#1, coalesce(n#2, 0) AS x#5]|+- {T}", U, "id#3, x#5")
    assert not same_plan(below, joined("RightOuter", T, U, "id#3, coalesce(n#2, 0) AS x#5"))


def test_a_column_that_passes_through_an_outer_join_is_that_column() -> None:
    below = joined("LeftOuter", T, f"Project [id#3, m#4 AS x#5]|+- {U}", "k#1, x#5 AS y#6")
    assert same_plan(below, joined("LeftOuter", T, U, "k#1, m#4 AS y#6"))


@pytest.mark.parametrize("count", ["count(1)", "grouping_id()"])
def test_two_groupings_have_counts_of_their_own(count: str) -> None:
    left = f"Aggregate [k#1], [k#1, {count} AS a#5L]|+- {T}"
    right = f"Aggregate [id#3], [id#3, {count} AS b#6L]|+- {U}"
    first = joined("Inner", left, right, "k#1, a#5L")
    assert same_plan(first, first)
    assert not same_plan(first, joined("Inner", left, right, "k#1, b#6L AS a#5L"))


def test_a_sum_of_sums_is_not_the_sum() -> None:
    inner = "Aggregate [k#1, n#2], [k#1, n#2, sum(n#2) AS s#5L]"
    outer = "Aggregate [k#1, s#5L], [k#1, {} AS t#6L]"
    plans = [
        _explain(outer.format(call), f"+- {inner}", f"   +- {T}") for call in ("sum(n#2)", "s#5L")
    ]
    assert same_plan(plans[0], plans[0])
    assert not same_plan(*plans)


def test_a_label_with_parentheses_is_no_aggregate() -> None:
    below = _explain("Filter (c#5L > 1)", "+- Aggregate [k#1], [k#1, Total (net) AS l#4, "
                     "count(1) AS c#5L]", f"   +- {T}")  # fmt: skip
    above = _explain("Project [k#1, Total (net) AS l#4, c#5L]", "+- Filter (c#5L > 1)",
                     "   +- Aggregate [k#1], [k#1, count(1) AS c#5L]", f"      +- {T}")  # fmt: skip
    assert same_plan(below, above)


def test_an_expression_over_aggregates_may_be_computed_above_them() -> None:
    within = _explain("Filter (c#5L > 1)", "+- Aggregate [k#1], [k#1, coalesce(sum(n#2), 0) AS "
                      "s#4, count(1) AS c#5L]", f"   +- {T}")  # fmt: skip
    above = _explain("Project [k#1, coalesce(s#4, 0) AS t#6, c#5L]", "+- Filter (c#5L > 1)",
                     "   +- Aggregate [k#1], [k#1, sum(n#2) AS s#4, count(1) AS c#5L]",
                     f"      +- {T}")  # fmt: skip
    assert same_plan(within, above)
    assert not same_plan(within, above.replace("sum(n#2)", "max(n#2)"))
