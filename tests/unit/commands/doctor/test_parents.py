"""What a parent's next run does to a table, which keys are declared, how long Delta keeps files."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.ivm_spark.commands.doctor.durations import FILES_KEPT, LOG_KEPT, feed_since, kept
from dbt.adapters.ivm_spark.commands.doctor.parents import dropped, keys_of, parents_of
from dbt.adapters.ivm_spark.source.commit import FEED, Commit

PROPERTIES = {FEED: "true", FILES_KEPT: "interval 9 days", "delta.minReaderVersion": "1", "own": ""}


def node(kind: str, **given: Any) -> dict[str, Any]:
    facts = {"tblproperties": None, "constraints": None, "columns": {}, **given}
    return {"name": "orders", "relation": "`shop`.`Orders`", "kind": kind, **facts}


@pytest.mark.parametrize(
    ("kind", "said", "session", "found"),
    [
        ("table", None, {}, [FILES_KEPT, FEED]),
        ("seed", None, {}, [FILES_KEPT, FEED]),
        ("incremental", None, {}, []),
        ("table", {FEED: True}, {}, [FILES_KEPT]),
        (
            "table",
            {FILES_KEPT: "interval 9 days"},
            {"spark.databricks.delta.properties.defaults.enableChangeDataFeed": "true"},
            [],
        ),
    ],
)
def test_an_unconfigured_property_is_dropped(
    kind: str, said: Any, session: dict[str, str], found: list[str]
) -> None:
    (parent,) = parents_of([node(kind, tblproperties=said)]).values()
    assert [name for name, _ in dropped(parent, PROPERTIES, session)] == found
    assert dropped(None, PROPERTIES, session) == ()


def test_keys_are_declared_by_constraints_and_by_primary_keys() -> None:
    declared = node(
        "table",
        constraints=[
            {"type": "primary_key", "columns": ["a", "b"]},
            {"type": "not_null", "columns": ["c"]},
        ],
        columns={"id": {"constraints": [{"type": "primary_key"}, {"type": "unique"}]}, "c": {}},
    )
    parent = parents_of([declared])["`shop`.`orders`"]
    given = {"orders": ("x",), "shop.Orders": ("y",), "other.orders": ("z",), "ders": ("w",)}
    found = keys_of("`shop`.`orders`", parent, given)
    assert [(k.columns, k.declared_by) for k in found] == [
        (("a", "b"), "a constraint"),
        (("id",), "a constraint"),
        (("x",), "primary_keys"),
        (("y",), "primary_keys"),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("interval 1 week", 7 * 86400),
        ("INTERVAL 1 WEEK 2 days", 9 * 86400),
        ("interval 168 hours", 7 * 86400),
        ("interval 90 minutes", 5400),
        ("0 seconds", 0),
        ("", 7 * 86400),
    ],
)
def test_intervals(text: str, seconds: float) -> None:
    assert kept({FILES_KEPT: text}, FILES_KEPT) == seconds
    assert kept({}, LOG_KEPT) == 30 * 86400


def commit(version: int, operation: str, on: bool | None = None) -> Commit:
    said = {} if on is None else {"properties": f'{{"{FEED}": "{str(on).lower()}"}}'}
    return Commit(version, operation, said, {}, None, str(1000 + version))


@pytest.mark.parametrize(
    ("commits", "since"),
    [
        ([commit(0, "CREATE TABLE", True), commit(1, "WRITE")], 0),
        ([commit(0, "CREATE TABLE", False), commit(1, "SET TBLPROPERTIES", True)], 1),
        (
            [
                commit(0, "CREATE TABLE", True),
                commit(1, "SET TBLPROPERTIES", False),
                commit(2, "SET TBLPROPERTIES", True),
                commit(3, "WRITE"),
            ],
            2,
        ),
        (
            [
                commit(0, "CREATE TABLE", True),
                commit(1, "REPLACE TABLE AS SELECT"),
                commit(2, "SET TBLPROPERTIES", True),
            ],
            2,
        ),
        ([commit(7, "WRITE"), commit(8, "WRITE")], 7),
    ],
)
def test_feed_since_is_the_commit_that_enabled_it(commits: list[Commit], since: int) -> None:
    assert feed_since(commits[::-1]) == (since, 1000 + since)
