"""The plan of a refresh, and what it is carried out with."""

from __future__ import annotations

import time
import uuid
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.pinned_scans import Pin
from dbt.adapters.ivm_spark.plan.plan import Full, Plan, RefreshKind
from dbt.adapters.ivm_spark.plan.planner import Planner
from dbt.adapters.ivm_spark.plan.publication import check_publishable
from dbt.adapters.ivm_spark.plan.refusals import RefusedError, in_full, refused
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.refresh.hold import release
from dbt.adapters.ivm_spark.refresh.outcome import Outcome
from dbt.adapters.ivm_spark.refresh.progress import Progress
from dbt.adapters.ivm_spark.refresh.workspace import Workspace
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError

ATTEMPTS = 5


class PlannedRefresh:
    """A refresh that is planned, and may be planned again.

    Attributes:
        again: the state is not yet at the plan's versions.
        late_warning: a warning to give at the end of the refresh.
        plan: the plan of the present attempt.
    """

    def __init__(
        self,
        query: Query,
        pins: Pins,
        request: Request,
        model: str,
        changes: SharedChanges | None,
        progress: Progress | None,
        pin: Pin | None,
    ) -> None:
        self._query = query
        self._progress = progress
        self._request = request
        self._model = model
        self._pins = pins
        self._pin = pin
        self._token = uuid.uuid4().hex[:8]
        self._planner = Planner(query, pins, token=self._token, changes=changes, pin=pin)
        self._phases: dict[str, float] = {}
        self._before: dict[str, float] = {}
        self._session = Workspace(query)
        self._rejected: Reason | None = None
        self._outcome = Outcome(False)
        self._held = False
        self.late_warning = ""
        self.again = True
        self.plan = self._planned()

    def _planned(self) -> Plan:
        started = time.perf_counter()
        try:
            with self._phase("planning"):
                plan = self._planner.plan(self._request, self._rejected)
            if self.publishes:
                check_publishable(plan.outputs)
        except RefusedError as error:
            raise CompilationError(f"Model {self._model}: {error}") from error
        except ConfigError as error:
            raise CompilationError(f"Model {self._model}: {error.sentence}") from error
        finally:
            self._spent("plan", started)
        self.again = plan.kind is not RefreshKind.NONE
        return plan

    @property
    def publishes(self) -> bool:
        """Return whether the model publishes a table instead of a view."""
        return self._request.config.publishes

    def _release(self) -> None:
        """Let the view show its state as it is again, if this run holds it at a version."""
        if self._held:
            release(self._query, self._request.view, self._request.state)

    def _raced(self) -> DbtDatabaseError:
        return DbtDatabaseError(
            f"Model {self._model}: other runs changed {self._request.state} during each "
            "attempt to refresh it. Run it again when they have finished."
        )

    def _phase(self, what: str) -> AbstractContextManager[None]:
        return nullcontext() if self._progress is None else self._progress.phase(what)

    def _spent(self, phase: str, started: float) -> None:
        self._phases[phase] = self._phases.get(phase, 0.0) + time.perf_counter() - started

    def _replace_table(self) -> None:
        """Go on without a comparison."""
        assert isinstance(self.plan, Full)
        self.plan = self.plan.whole

    def _settle(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.again = not self._outcome.done
        if self._outcome.broken is not None:
            self._rebuild(self._outcome.broken)
        elif self._outcome.lost:
            self.plan = self._planned()
        elif self._outcome.whole:
            self._replace_table()
        if self.again and self.plan.kind is RefreshKind.NONE:
            self.again = False

    def _rebuild(self, reason: Reason) -> None:
        """Plan a rebuild, from the user's own text if the generated SQL is at fault.

        Raises CompilationError if the policy forbids it.
        """
        if self._request.config.refresh_policy is RefreshPolicy.INCREMENTAL_STRICT:
            raise CompilationError(f"Model {self._model}: {refused(reason)}")
        self._request = replace(self._request, full_refresh=True)
        if reason.code.is_defect:
            self._rejected = reason
            self.late_warning = in_full(reason)
        self.plan = replace(self._planned(), reason=reason)
