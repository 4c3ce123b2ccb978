"""Types under which a window is not maintained."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.delta.type_checks import check_types
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG

PEERS = "partition by customer_id order by ordered_on"
DAYS = f"{PEERS} range between interval 2 days preceding and current row"


def _check(over: str, amount: str, x: str = "int") -> None:
    """Check a window whose `amount` and result are of these types."""
    types = {"amount": amount, "x": x}

    def describe(node: Node) -> dict[str, str]:
        return {
            c: types.get(c.split("_")[-1], types.get(c.split("_")[0], "int")) for c in node.columns
        } | {c: amount for c in node.columns if c.startswith("__ivm_key")}

    view = build_view(f"select order_id, {over} as x from orders", CATALOG)
    check_types(view.root, describe)


@pytest.mark.parametrize(
    ("over", "amount", "x"),
    [
        (f"sum(amount) over ({DAYS})", "double", "double"),
        (f"avg(amount) over ({DAYS})", "bigint", "double"),
        (f"stddev(amount) over ({DAYS})", "int", "double"),
        (f"row_number() over ({PEERS}, amount)", "interval", "int"),
        (f"rank() over ({PEERS}, amount)", "map<int,int>", "int"),
        (f"max(amount) over ({PEERS})", "variant", "int"),
        ("count(*) over (partition by amount)", "string collate UTF8_LCASE", "bigint"),
    ],
)
def test_unsupported_window_types_are_refused(over: str, amount: str, x: str) -> None:
    with pytest.raises(NotMaintained):
        _check(over, amount, x)


@pytest.mark.parametrize(
    ("over", "amount", "x"),
    [
        (f"sum(amount) over ({DAYS})", "decimal(12,2)", "decimal(22,2)"),
        (f"avg(amount) over ({DAYS})", "int", "double"),
        (f"max(amount) over ({DAYS})", "double", "double"),
        (f"sum(amount) over ({PEERS})", "double", "double"),
        ("sum(amount) over (partition by customer_id)", "double", "double"),
        (f"sum(amount) over ({PEERS} rows 2 preceding)", "double", "double"),
        (f"row_number() over ({PEERS}, amount)", "interval day to second", "int"),
    ],
)
def test_supported_window_types_are_maintained(over: str, amount: str, x: str) -> None:
    _check(over, amount, x)
