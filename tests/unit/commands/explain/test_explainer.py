"""The explanation of a model for programs and tests; explaining changes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.commands.explain import explanation
from dbt.adapters.ivm_spark.commands.explain.as_text import WIDTH
from dbt.adapters.ivm_spark.delta.rules import RULES
from tests.unit.commands.explain.shop import MODEL, Shop

PAGE = Path(__file__).parents[4] / "docs/explain.md"
SUMS = "select customer_id, sum(amount) as total from @orders group by customer_id"
IN_FULL = "select order_id, rank() over (order by amount) as place from @orders"
READS = ("set", "reset", "describe ", "explain ")


def told(shop: Shop, sql: str, **said: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shop.explainer(sql, **said).text("json", [], False))
    return found


def test_every_operator_with_a_rule_has_words() -> None:
    assert all(rule.how for rule in RULES)


def test_the_page_documents_every_json_key() -> None:
    """Docs name every key of the JSON, and no other."""
    section = PAGE.read_text().split("### For programs")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", section, flags=re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    shop = Shop()
    shop.build(SUMS)
    found = told(shop, SUMS)
    assert documented == set(found)
    for part in (found["operators"], found["state_columns"][0], found["sources"][0], found["next"]):
        missing = [key for key in part if f"`{key}`" not in section]
        assert not missing


def test_the_clock_is_shown_beside_its_recorded_value() -> None:
    sql = "select order_id from @orders where ordered_on > current_date"
    shop = Shop()
    shop.build(sql)
    assert told(shop, sql)["next"]["kind"] == "none"
    shop.today = "2024-03-30"
    found = told(shop, sql, config={"refresh_policy": "incremental"})
    assert found["next"]["kind"] == "incremental"
    recorded, now = (f"CAST('{day}' AS DATE)" for day in ("2024-03-29", "2024-03-30"))
    assert found["clock"] == [{"constant": "CURRENT_DATE", "recorded": recorded, "now": now}]
    text = shop.explainer(sql).text("text", [], False)
    assert f"CURRENT_DATE  {recorded}  {now}" in text


def test_a_time_that_is_shown_is_a_reason_to_rebuild() -> None:
    sql = "select order_id, datediff(current_date, ordered_on) as age from @orders"
    shop = Shop()
    shop.build(sql)
    shop.today = "2024-03-30"
    found = told(shop, sql)
    assert (found["maintained"], found["next"]["reason"]["code"]) == (True, "CLOCK_MOVED")


def test_a_change_is_explained_with_its_cost() -> None:
    shop = Shop()
    shop.build(SUMS)
    shop.newest = 9
    found = told(shop, SUMS)
    assert (found["maintained"], found["technique"]) == (True, "group_aggregate")
    assert (found["next"]["kind"], found["next"]["reason"]) == ("incremental", None)
    assert found["next"]["estimated_seconds"] == {"incremental": 0.55, "full": 2.35}
    (source,) = found["sources"]
    assert (source["recorded"], source["newest"], source["changed_rows"]) == (7, 9, 6)
    assert [c["name"] for c in found["state_columns"] if c["hidden"]] == [
        "__ivm_nonnull_total",
        "__ivm_count",
    ]


@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("sql", [SUMS, IN_FULL])
def test_explaining_reads_only_metadata(sql: str, built: bool) -> None:
    shop = Shop()
    if built:
        shop.build(sql)
        shop.newest = 8
    shop.asked.clear()
    shop.explainer(sql)
    assert shop.asked
    assert not [text for text in shop.asked if not text.startswith(READS)]


def test_the_merge_is_shown_before_there_is_a_change() -> None:
    shop = Shop()
    assert shop.explainer(IN_FULL).example is None
    first = shop.explainer(SUMS)
    assert first.plan.statements is None
    assert first.plan.fill
    assert first.example is not None
    assert "table_changes('`shop`.`orders`', 8, 8)" in first.example.template["source"]
    shop.build(SUMS)
    shop.newest = 9
    second = shop.explainer(SUMS)
    assert second.example is second.plan.statements


def test_a_maintained_model_has_no_faults() -> None:
    explainer = Shop().explainer(SUMS)
    assert explainer.faults(None) == ()
    assert explainer.faults(["group_aggregate", "row_based"]) == ()


@pytest.mark.parametrize(
    ("sql", "said", "techniques", "reason", "about"),
    [
        (IN_FULL, {}, None, "WINDOW_WITHOUT_PARTITION_BY", "rank()"),
        (SUMS, {"config": {"refresh_policy": "full"}}, None, "FULL_REFRESH_REQUESTED", "policy"),
        (SUMS, {"materialized": "table"}, None, "NOT_IVM", "table"),
        (SUMS, {}, ["row_based"], "OTHER_TECHNIQUE", "group_aggregate"),
        (IN_FULL, {"config": {"refresh_policy": "incremental_strict"}}, None, "WINDOW_", "rank()"),
    ],
)
def test_a_fault_is_one_row_with_its_reason(
    sql: str, said: dict[str, Any], techniques: list[str] | None, reason: str, about: str
) -> None:
    (fault,) = Shop().explainer(sql, **said).faults(techniques)
    assert fault["model"] == MODEL
    assert fault["reason"].startswith(reason)
    assert about in fault["detail"] + fault["sentence"]
    assert fault["remedy"]


def test_a_source_without_a_feed_is_a_fault() -> None:
    (fault,) = Shop(without=("`shop`.`orders`",)).explainer(SUMS).faults(None)
    assert (fault["reason"], fault["detail"]) == ("CDF_UNAVAILABLE", "shop.orders")


@pytest.mark.parametrize(
    ("sql", "said", "message"),
    [
        (SUMS, {"config": {"refresh_policy": "sometimes"}}, "refresh_policy is 'sometimes'"),
        ("select amount as __ivm_amount from @orders", {}, "begin with __ivm_"),
        ("", {}, "it has no query"),
    ],
)
def test_invalid_models_are_errors(sql: str, said: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilationError, match=message):
        Shop().explainer(sql, **said)


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(CompilationError, match="it must be one of: text, json"):
        Shop().explainer(SUMS).text("yaml", [], False)


def test_a_query_that_nests_too_deep_is_explained_without_its_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(explanation, "operators", too_deep)
    found = told(Shop(), SUMS)
    assert (found["technique"], found["operators"]) == ("group_aggregate", None)


class Misreading(Shop):
    """Plans the model's own text in another way than what is written back."""

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        if not sql.startswith("explain"):
            return super().__call__(sql)
        self.asked.append(sql)
        condition = "(k#1 > 2)" if "`shop`" in sql else "(k#1 > 1)"
        plan = f"Filter {condition}\n+- Relation shop.orders[k#1] parquet"
        return [{"plan": f"== Optimized Logical Plan ==\n{plan}\n\n== Physical Plan =="}]


def test_a_query_that_is_not_understood_is_shown_with_its_plans() -> None:
    shop = Misreading()
    found = told(shop, SUMS)
    reason = found["reason"]
    assert reason["code"] == "QUERY_NOT_UNDERSTOOD"
    assert reason["detail"] == (
        "the model's plan has `orders.k > 1` in a filter where the reconstruction has "
        "`orders.k > 2`"
    )
    assert found["plan_difference"][-3:-1] == ["-Filter (orders.k > 1)", "+Filter (orders.k > 2)"]
    text = shop.explainer(SUMS).text("text", [], False)
    assert "Spark's plans, as far as they differ\n  --- the model" in text
    assert not [line for line in text.splitlines() if len(line) > WIDTH and "model's" not in line]


def test_a_query_that_is_understood_asks_for_no_more_plans() -> None:
    shop = Shop()
    assert told(shop, SUMS)["plan_difference"] is None
    assert len([text for text in shop.asked if text.startswith("explain")]) == 2


def test_a_refusal_is_remembered_with_the_state() -> None:
    """`ivm_explain` asks for the plans again, to show them; the next run's plan does not."""
    shop = Misreading()
    told(shop, SUMS)
    assert len([text for text in shop.asked if text.startswith("explain")]) == 4 + 1 + 4
    shop.build(SUMS)
    for newest in (7, 9):
        shop.newest = newest
        shop.asked.clear()
        assert "`orders.k > 1`" in told(shop, SUMS)["reason"]["detail"]
        assert len([text for text in shop.asked if text.startswith("explain")]) == 4
