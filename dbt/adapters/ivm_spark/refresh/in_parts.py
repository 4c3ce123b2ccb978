"""A rebuild that collects the new contents of a state part by part."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.plan.parts import commits_of_parts
from dbt.adapters.ivm_spark.plan.plan import Full
from dbt.adapters.ivm_spark.refresh.outcome import is_of_versions, outcome_of_error
from dbt.adapters.ivm_spark.refresh.part_builder import PartBuilder
from dbt.adapters.ivm_spark.refresh.planned import ATTEMPTS, PlannedRefresh
from dbt.adapters.ivm_spark.session.condition import (
    first_line,
    is_cancelled,
    is_taken,
    says_condition,
)
from dbt.adapters.ivm_spark.state.parts import Part
from dbt.adapters.ivm_spark.watermark.build import is_of_parts


class RefreshInParts(PlannedRefresh):
    """A refresh whose plan may be a rebuild part by part; see `PlannedRefresh`."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._builder: PartBuilder | None = None

    def parts(self) -> Iterator[Part]:
        """Yield the parts of a rebuild that goes part by part, to be built one by one.

        After the last one, the plan is a rebuild from the collected parts. Raises DbtDatabaseError
        if other runs built the same view each time.
        """
        for _ in range(ATTEMPTS):
            plan = self.plan
            if not isinstance(plan, Full) or plan.parts is None:
                return
            self._builder = self._begun(plan)
            if self._builder is None:
                self.plan = replace(plan, parts=None)
                return
            yield from self._missing(self._builder, plan)
        if isinstance(self.plan, Full) and self.plan.parts is not None:
            raise self._raced()

    def build(self, part: Part, sql: str) -> None:
        """Run the statement of one part. Raises DbtDatabaseError for an error of the query."""
        assert self._builder is not None
        started = time.perf_counter()
        failed: DbtDatabaseError | None = None
        alone = False
        try:
            self._session.tune(self.plan)
            with self._phase(f"building part {part.number} of {part.of}"):
                alone = self._builder.commit(part, sql)
        except DbtDatabaseError as error:
            failed = error
        finally:
            self._spent("parts", started)
        if failed is not None:
            try:
                self._part_failed(failed)
            except (CompilationError, DbtDatabaseError):
                self._release()
                raise
            return
        self._request = replace(self._request, parts_exist=True)
        if not alone:
            self._begin_anew()
        elif self._progress is not None:
            self._progress.say(f"part {part.number} of {part.of} is built: {part.where}")

    def _begun(self, plan: Full) -> PartBuilder | None:
        """Return the builder of a rebuild's parts, None if everything is one part.

        The question for the bounds reads rows that the query may filter out. If it fails on one,
        the view is built at once.
        """
        started = time.perf_counter()
        try:
            self._session.tune(plan)
            builder = PartBuilder(self._query, self._session, plan)
        except DbtDatabaseError as error:
            if is_cancelled(error) or not says_condition(error):
                raise
            self._warn_at_once(error)
            return None
        finally:
            self._spent("parts", started)
        return None if builder.is_one else builder

    def _missing(self, builder: PartBuilder, plan: Full) -> Iterator[Part]:
        """Yield the parts that are missing; then the plan is a rebuild from all of them."""
        for part in builder.left():
            yield part
            if self.plan is not plan:
                return  # the part could not be built
        collected = builder.collected()
        if collected is None:
            self._begin_anew()
        else:
            self.plan = collected

    def _part_failed(self, error: DbtDatabaseError) -> None:
        """Plan again after the statement of a part failed, or raise its error.

        Parts of an earlier run may be of versions with an error, or of versions that are gone. The
        build begins again then. A part that Spark can't compute alone makes the view be built at
        once, at the newest versions.
        """
        assert self._builder is not None and isinstance(self.plan, Full)
        self._session.clear()
        message = str(error.msg)
        outcome = outcome_of_error(message, self.plan.kind, self.plan.is_reconstructed)
        if is_cancelled(error):
            raise error
        if (outcome is not None and outcome.lost) or self._lacks_parts:
            self._begin_anew()
        elif self._builder.resumed and is_of_versions(message):
            self._drop_parts()
            self._begin_anew()
        elif outcome is None:
            raise error
        else:
            # The parts stay until the view is built, since that may fail as well.
            self._warn_at_once(error)
            at_once = replace(self._request.config, build_by="")
            self._request = replace(self._request, config=at_once)
            self._begin_anew()

    def _warn_at_once(self, error: DbtDatabaseError) -> None:
        self.late_warning = f"built at once, not in parts: {first_line(error)}"

    @property
    def _lacks_parts(self) -> bool:
        """Return whether parts are finished, and their table no longer exists."""
        built = self._builder is not None and self._builder.build.done > 0
        return built and self._is_missing(self._request.parts)

    def _begin_anew(self) -> None:
        """Plan again, by the tables that there are now: another run may have built the same."""
        self._session.clear()
        self._builder = None
        self._before = dict(self._phases)
        self._request = replace(
            self._request,
            state_exists=not self._is_missing(self._request.state),
            parts_exist=not self._is_missing(self._request.parts),
        )
        self.plan = self._planned()

    def _is_missing(self, table: str) -> bool:
        """Return whether Spark says that there is no such table (quoted name)."""
        return not is_taken(self._query, f"describe table {table}")

    def _drop_parts(self) -> None:
        """Drop the table of parts, if there is one; another one in its place stays."""
        table = self._request.parts
        if not self._request.parts_exist:
            return
        if is_of_parts(commits_of_parts(self._query, table)):
            self._query(f"drop table if exists {table}")
        self._request = replace(self._request, parts_exist=False)
