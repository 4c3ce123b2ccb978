"""How often Spark is asked for plans before two texts count as different."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from dbt.adapters.ivm_spark.plan.spark_plans import judge, whole_plans

SCAN = "+- Relation s.t[k#1,n#2] parquet"


class Spark:
    """Answers EXPLAIN with one plan of a text after the other."""

    def __init__(self, **filters: list[str]) -> None:
        self.plans: dict[str, Iterator[str]] = {
            text: cycle(f"Filter {condition}\n{SCAN}" for condition in conditions)
            for text, conditions in filters.items()
        }
        self.explained = 0

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        if not sql.startswith("explain"):
            return []
        self.explained += 1
        plan = next(self.plans[sql.split("\n")[1]])
        return [{"plan": f"== Optimized Logical Plan ==\n{plan}\n\n== Physical Plan =="}]


def test_equal_plans_are_asked_for_once() -> None:
    spark = Spark(mine=["(n#2 > 1)"], written=["(n#2 > 1)"])
    assert judge(spark, "mine", "written").equivalent
    assert spark.explained == 2


def test_different_constants_or_functions_are_certain_after_four_plans() -> None:
    spark = Spark(mine=["(n#2 > 1)"], written=["(n#2 > 2)"])
    judgement = judge(spark, "mine", "written")
    assert not judgement.equivalent
    assert spark.explained == 4
    assert judgement.difference is not None
    assert "`t.n > 1`" in judgement.difference.sentence


def test_plans_that_may_only_be_ordered_differently_are_asked_for_again() -> None:
    """Spark chooses one of several equal columns, and orders what it infers, by chance."""
    spark = Spark(mine=["(n#2 > 1)"], written=["(k#1 > 1)"] * 4 + ["(n#2 > 1)"])
    assert judge(spark, "mine", "written").equivalent
    assert spark.explained == 10
    spark = Spark(mine=["(n#2 > 1)"], written=["(k#1 > 1)"])
    assert not judge(spark, "mine", "written").equivalent
    assert spark.explained == 12


def test_a_plan_that_cant_be_read_is_never_equal() -> None:
    spark = Spark(mine=["(n#2 > ... 3 more fields)"], written=["(n#2 > ... 3 more fields)"])
    assert not judge(spark, "mine", "written").equivalent
    assert spark.explained == 4


def test_one_of_two_reconstructions_with_the_same_plan_is_enough() -> None:
    spark = Spark(mine=["(n#2 > 1)"], flat=["(n#2 > 2)"], nested=["(n#2 > 1)"])
    assert judge(spark, "mine", "flat", other=lambda: "nested").equivalent
    assert spark.explained == 3
    spark = Spark(mine=["(n#2 > 1)"], flat=["(n#2 > 2)"], nested=["(n#2 > 3)"])
    judgement = judge(spark, "mine", "flat", other=lambda: "nested")
    assert not judgement.equivalent
    assert "(n#2 > 2)" in judgement.reconstruction


def test_the_session_has_its_own_settings_again() -> None:
    rules = "spark.sql.optimizer.excludedRules"
    sent: list[str] = []

    def query(sql: str) -> list[dict[str, str]]:
        sent.append(sql)
        return [{"key": rules, "value": "a.B,c.D"}] if sql == "set" else []

    with whole_plans(query, folded=False):
        inside = len(sent)
    assert any(sql.startswith(f"set {rules}=") for sql in sent[:inside])
    after = sent[inside:]
    assert f"set {rules}=a.B,c.D" in after
    assert all(sql.startswith("reset ") for sql in after if rules not in sql)
    assert len(after) == inside - 1
