"""A refresh's settings and temporary relations in its session, which end with it."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.source.reader import Query


class Workspace:
    """The session of a refresh while it runs.

    Attributes:
        names: the temporary relations so far, in the order in which they were materialized. A name
            is noted before its statement is sent: the relation may exist although no answer comes.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._tuned: Plan | None = None
        self.names: list[str] = []

    def tune(self, plan: Plan) -> None:
        """Set the settings to run a plan under, unless some are set already."""
        if self._tuned is None:
            self._tuned = plan
            self.set(plan.tuning)

    def clear(self) -> None:
        """Drop the temporary relations, and restore the settings."""
        # Drop the last first: Spark would recompute a relation if it forgets one that it was
        # computed from.
        for name in reversed(self.names):
            self._query(f"drop view if exists {name}")
        self.names = []
        tuned, self._tuned = self._tuned, None
        if tuned is not None:
            self.unset(tuned.tuning, tuned.untuned)

    def set(self, settings: Mapping[str, str]) -> None:
        """Set settings of the session."""
        for key, value in settings.items():
            self._query(f"set {key}={value}")

    def unset(self, settings: Mapping[str, str], before: Mapping[str, str]) -> None:
        """Restore settings: to the values before, or to the session's defaults."""
        for key in settings:
            value = before.get(key)
            self._query(f"reset {key}" if value is None else f"set {key}={value}")
