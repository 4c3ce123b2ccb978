"""Which ivm models read which."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import readers as module
from dbt.adapters.ivm_spark.plan.readers import HOPED, gain, readers, saved
from dbt.adapters.ivm_spark.state.rewrite import MOST_ROWS
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel


def node(kind: str, *parents: str) -> dict[str, Any]:
    return {"config": {"materialized": kind}, "depends_on": {"nodes": list(parents)}}


def test_views_and_ephemeral_models_are_seen_through() -> None:
    nodes = {
        "base": node("ivm", "source.orders"),
        "direct": node("ivm", "base"),
        "shown": node("view", "base"),
        "inline": node("ephemeral", "shown"),
        "behind": node("ivm", "inline", "shown"),
        "stored": node("table", "base"),
        "after": node("ivm", "stored"),
        "checked": {"config": {}, "depends_on": {"nodes": ["base"]}},
        "bare": {},
    }
    found = readers(nodes)
    assert found["base"] == [["direct", "behind"]]
    assert found["shown"] == [["behind"]]
    assert found["stored"] == [["after"]]
    assert "direct" not in found
    assert "source.orders" not in found


def test_readers_of_readers_are_on_the_next_level() -> None:
    nodes = {
        "base": node("ivm", "source.orders"),
        "daily": node("ivm", "base"),
        "monthly": node("ivm", "daily", "base"),
        "yearly": node("ivm", "monthly"),
        "both": node("ivm", "daily", "yearly"),
    }
    assert readers(nodes)["base"] == [["daily", "monthly"], ["both", "yearly"]]
    nodes |= {f"m{n}": node("ivm", f"m{n - 1}" if n else "base") for n in range(9)}
    assert len(readers(nodes)["base"]) == module.LEVELS


def test_what_readers_save() -> None:
    small = CostModel(full_seconds=3.0, full_rows=1, fixed=1.0, state_rows=10)
    large = CostModel(full_seconds=3.0, full_rows=1, fixed=1.0, state_rows=MOST_ROWS + 1)
    quick = CostModel(full_seconds=0.2, full_rows=1, fixed=1.0)
    assert saved([small]) == 2.5
    assert saved([large]) == 2.0
    assert saved([quick, CostModel()]) == 0.0


def test_readers_of_readers_count_for_less(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def models(_: object, states: list[str]) -> list[CostModel]:
        asked.extend(states)
        return [CostModel(full_seconds=3.5, full_rows=1, fixed=1.0) for _ in states]

    monkeypatch.setattr(module, "cost_models", models)
    reader: Any = None
    assert gain(reader, []) == 0.0
    assert gain(reader, [["a"], ["b", "c"]]) == pytest.approx(HOPED * 3 + HOPED**2 * 6)
    asked.clear()
    gain(reader, [[f"s{n}" for n in range(50)], ["after"]])
    assert len(asked) == 12
