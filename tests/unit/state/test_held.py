"""A view's text at an old version of its state, or none if the text is not understood."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.state.held import held, named, released

STATE = "`s`.`m__ivm`"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "SELECT ivm.`k` AS `k` FROM `s`.`m__ivm` AS ivm WHERE ivm.`n` > 'A b'",
            "SELECT ivm.`k` AS `k` FROM `s`.`m__ivm` VERSION AS OF 7 AS ivm WHERE ivm.`n` > 'A b'",
        ),
        (
            "select ivm.`c1` from `s`.`m__ivm` as ivm",
            "SELECT ivm.`c1` FROM `s`.`m__ivm` VERSION AS OF 7 AS ivm",
        ),
        (
            "SELECT * FROM (SELECT `a` FROM `S`.`M__ivm` ORDER BY `a`) AS ivm_view(`x`)",
            "SELECT * FROM (SELECT `a` FROM `S`.`M__ivm` VERSION AS OF 7 ORDER BY `a`) "
            "AS ivm_view(`x`)",
        ),
    ],
)
def test_the_state_is_read_at_its_version(text: str, wanted: str) -> None:
    now = held(text, ["k"], STATE, 7)
    assert now == f"SELECT * FROM ({wanted}) AS ivm_view(`k`)"
    assert held(now, ["k"], STATE, 8) is None, "it is held already"
    again = released(now, ["k"], STATE, 7)
    assert again is not None
    assert "VERSION" not in again
    assert released(now, ["k"], STATE, 8) is None, "the state has changed since"
    assert released(text, ["k"], STATE, 7) is None


@pytest.mark.parametrize(
    "text",
    [
        "SELECT `k` FROM `s`.`m__ivm` VERSION AS OF 3",
        "SELECT `k` FROM `s`.`other`",
        "SELECT k k FROM `s`.`m__ivm`",  # it is not written back as it is
        "SELECT FROM WHERE",
        "DROP TABLE `s`.`m__ivm`",
        "",
    ],
)
def test_a_text_that_is_not_understood_is_left_alone(text: str) -> None:
    assert held(text, ["k"], STATE, 7) is None


def test_names_are_quoted() -> None:
    assert (
        named("SELECT 1", ["a b", "c`d"]) == "SELECT * FROM (SELECT 1) AS ivm_view(`a b`, `c``d`)"
    )
