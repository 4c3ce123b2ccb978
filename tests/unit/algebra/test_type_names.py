"""The scale of Spark's decimal division, which decides whether an average is kept exactly."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.types import check_comparable, decimal_of, division_scale


@pytest.mark.parametrize(
    ("dividend", "divisor", "scale"),
    [
        ((22, 2), (20, 0), 18),
        ((25, 2), (20, 0), 15),
        ((10, 0), (10, 0), 11),
        ((38, 10), (20, 0), 10),
    ],
)
def test_scale_of_a_quotient(
    dividend: tuple[int, int], divisor: tuple[int, int], scale: int
) -> None:
    assert division_scale(dividend, divisor) == scale


def test_decimals() -> None:
    assert decimal_of("decimal(12,2)") == (12, 2)
    assert decimal_of("bigint") is None


@pytest.mark.parametrize(
    ("type_name", "code"),
    [
        ("map<string,int>", ReasonCode.MAP_TYPE_NOT_SUPPORTED),
        ("array<map<string,int>>", ReasonCode.MAP_TYPE_NOT_SUPPORTED),
        ("variant", ReasonCode.OPERATOR_NOT_SUPPORTED),
        ("string collate UTF8_LCASE", ReasonCode.OPERATOR_NOT_SUPPORTED),
        ("void", ReasonCode.OPERATOR_NOT_SUPPORTED),
    ],
)
def test_incomparable_types_are_refused(type_name: str, code: ReasonCode) -> None:
    with pytest.raises(NotMaintained) as error:
        check_comparable("c", type_name)
    assert error.value.reason.code is code
