import datetime as dt
from decimal import Decimal

import pytest

from dbt.adapters.ivm_spark.session.literals import sql_literal


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (None, "NULL"),
        (True, "true"),
        (7, "7"),
        (9223372036854775807, "9223372036854775807"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.10"), "0.10"),
        (Decimal("1" * 39), f"'{'1' * 39}'"),
        (Decimal("NaN"), "'NaN'"),
        ("it's", r"'it\'s'"),
        ("back\\slash", r"'back\\slash'"),
        ("'); drop table t; --", r"'\'); drop table t; --'"),
        ("\\'", r"'\\\''"),
        ("in ${currency}", r"'in $\{currency}'"),
        ("*/ {{ x }}\n`;", "'*/ {{ x }}\n`;'"),
        (dt.date(2024, 2, 29), "'2024-02-29'"),
        (dt.datetime(2024, 2, 29, 1, 2, 3, 4), "'2024-02-29 01:02:03.000004'"),
    ],
)
def test_sql_literal(value: object, literal: str) -> None:
    assert sql_literal(value) == literal
