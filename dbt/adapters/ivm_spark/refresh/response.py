"""The adapter's answer about an ivm model, as dbt writes it into run_results.json."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dbt.adapters.contracts.connection import AdapterResponse

from dbt.adapters.ivm_spark.refresh.refresher import Refresher


@dataclass
class IvmAdapterResponse(AdapterResponse):
    """The fields of DESIGN section 2; rows count rows of the state."""

    refresh: dict[str, Any] | None = None
    refresh_kind: str = ""
    technique: str = ""
    reason: dict[str, str] | None = None
    rows_differed: int | None = None
    rows_inserted: int = 0
    rows_updated: int = 0
    rows_deleted: int = 0
    sources: dict[str, dict[str, int]] = field(default_factory=dict)
    altered: list[str] = field(default_factory=list)
    estimated_seconds: dict[str, float] | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, refresher: Refresher) -> IvmAdapterResponse:
        """The response of a refresh that is done."""
        fields: dict[str, Any] = refresher.response()
        return cls(code="OK", **fields)
