"""Whether a view that exists is the one that a model's state needs."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.refresh.shown import is_shown, view_mark

MARK = view_mark("a1-b2-c3", {"relation": "text"})


def _information(text: str, mark: str = MARK) -> str:
    return (
        f"Type: VIEW\nView Text: {text}\nView Original Text: {text}\n"
        f"Table Properties: [ivm_spark.fingerprint={mark}]\n"
    )


@pytest.mark.parametrize(
    ("information", "shown"),
    [
        (_information("select k,\n  v\nfrom s"), True),
        (_information("select  k, v from s"), True),
        (_information("select k, v from s where k > 1"), False),
        (_information("select 1 as one union all select k, v from s"), False),
        (_information("select k, v from s", "a1-b2-c3"), False),
        (_information("select k, v from s").replace("ivm_spark", "other"), False),
        ("", False),
    ],
)
def test_mark_and_text(information: str, shown: bool) -> None:
    assert is_shown(information, MARK, "select k, v from s") is shown
