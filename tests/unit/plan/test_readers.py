"""Which ivm models read which."""

from __future__ import annotations

from typing import Any

from dbt.adapters.ivm_spark.plan.readers import read_by_many, readers


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
    assert found["base"] == ["direct", "behind"]
    assert found["shown"] == ["behind"]
    assert found["stored"] == ["after"]
    assert "direct" not in found
    assert found["source.orders"] == ["base"]


def test_only_models_of_the_run_count_as_readers() -> None:
    names = ["a", "b", "c", "d"]
    found = {"source.many": names, "few": names[:2], "left": names[1:]}
    assert read_by_many(found, ["a", "b", "c"]) == ["source.many"]
    assert read_by_many(found, names) == ["source.many", "left"]
    assert read_by_many(found, []) == []
