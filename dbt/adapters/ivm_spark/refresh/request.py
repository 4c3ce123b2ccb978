"""What a run asks of the planner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.ivm_spark.refresh.config import IvmConfig


@dataclass(frozen=True)
class Request:
    """What a run asks for: the model's compiled SQL, the quoted names of its view and state,
    what dbt's cache says of an existing view, the descriptions that it is to carry, whether there
    is a state, what stands in its place (a view, or no Delta table), its configs, and the keys of
    the relations that this run builds.

    limited: the compiled SQL reads only some of the rows (--empty, --sample), so it is no reason
    to change a state that exists.
    """

    sql: str
    view: str
    state: str
    information: str
    described: Any
    state_exists: bool
    usurper: str
    config: IvmConfig
    full_refresh: bool
    built: frozenset[str]
    limited: bool = False
