"""What a user is told of a query that is not maintained."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.sql.build import build_view
from tests.unit.golden.shop import CATALOG


def check_refused(query: str, code: str, names: str, catalog: Catalog = CATALOG) -> None:
    """The query is refused with the reason code, and its detail says `names`, in any case."""
    with pytest.raises(NotMaintained) as error:
        build_view(query, catalog)
    assert error.value.reason.code is ReasonCode(code)
    assert names.lower() in error.value.reason.detail.lower()
