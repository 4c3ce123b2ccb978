"""The relations that a refresh materializes before its statement, and what it asks about them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    open_questions,
)
from dbt.adapters.ivm_spark.plan.comparing import MUCH
from dbt.adapters.ivm_spark.plan.pinned_scans import pruned
from dbt.adapters.ivm_spark.plan.plan import Comparison, Full, Incremental
from dbt.adapters.ivm_spark.refresh.in_parts import RefreshInParts
from dbt.adapters.ivm_spark.refresh.outcome import (
    Outcome,
    outcome_of_error,
)
from dbt.adapters.ivm_spark.state.difference import GAINED, LOST
from dbt.adapters.ivm_spark.state.merge import Merge

Store = Callable[[str], None]
"""Materializes a relation that probably has at most `FEW_ROWS` rows, by its statement or what may
take the place of that."""


class RefreshOfChange(RefreshInParts):
    """A refresh that materializes relations before its statement; see `PlannedRefresh`."""

    def __init__(self, *given: Any, store: Store | None) -> None:
        super().__init__(*given)
        self._store = store
        self._difference: tuple[int, int] | None = None

    def materializations(self) -> Iterator[tuple[str, str]]:
        """Yield name and query of each temporary relation to materialize before the MERGE reads it.

        The macros materialize them one by one. After the last one, the plan's MERGE is ready, or
        the plan has become another one without a MERGE.
        """
        if isinstance(self.plan, Full) and self.plan.comparison is not None:
            yield from self._compared(self.plan.comparison)
            return
        self._leave_out_no_ops()
        number = 0
        while number < self._last():
            self._narrow(number)
            if number >= self._last():
                return  # the change can't be read, so the plan is another one now
            assert self.plan.statements is not None
            yield self.plan.statements.materialization(number)
            number += 1
        if number == self._last() and not self._gains_only() and self.plan.statements is not None:
            self._narrow(number)  # unless the question failed, and the plan is another one now

    def keep(self, name: str, sql: str) -> None:
        """Run the statement that materializes a temporary relation. Raises as `commit` does."""
        if self.plan.statements is None:
            return
        number, all_of_them = len(self._session.names) + 1, self._last()
        with self._phase(f"computing relation {number} of {all_of_them}"), self._keeping():
            # Note the name before sending: the relation may exist although no answer comes.
            self._session.names.append(name)
            if self._store is not None and self._is_small(name):
                self._store(sql)
            else:
                self._query(sql)

    def _is_small(self, name: str) -> bool:
        """Return whether a relation to materialize probably has few rows."""
        statements = self.plan.statements
        rows = None if statements is None else statements.bounds.likely(name)
        return self.plan.few or (rows is not None and rows <= FEW_ROWS)

    def _compared(self, comparison: Comparison) -> Iterator[tuple[str, str]]:
        """Yield the relations of a rebuild's difference, to be materialized.

        After them, the plan is one that fits the size of the difference, or there is nothing left
        to do.
        """
        with self._keeping():
            self._session.names.append(comparison.new)
            self._query(f"create temporary view {comparison.new} as\n{self.plan.fill}")
        if self.plan.statements is None:
            return
        yield from self.plan.statements.materializations
        if self.plan.statements is None:
            return
        with self._keeping():
            (row,) = self._query(comparison.counts)
            lost, gained = int(row[LOST]), int(row[GAINED])
            self._settle_difference(comparison, lost, gained)

    def _settle_difference(self, comparison: Comparison, lost: int, gained: int) -> None:
        after, differed = comparison.rows + gained - lost, max(lost, gained)
        if not differed and not comparison.moved:
            self._session.clear()
            self._settle(Outcome(True, written=False, differed=0, rows=after))
        elif differed > MUCH * max(after, 1):
            self._session.clear()
            self._replace_table()
        else:
            self._difference = (differed, after)
            assert isinstance(self.plan, Full)
            self.plan = self.plan.differing(differed / max(after, 1))

    def _leave_out_no_ops(self) -> None:
        """Ask which changes have no net effect, and leave them out."""
        plan = self.plan
        if not isinstance(plan, Incremental) or plan.no_op_updates is None:
            return
        no_op_updates = plan.no_op_updates
        with self._keeping():
            no_ops = no_op_updates.without_effect(
                int(row["number"]) for row in self._query(no_op_updates.sql)
            )
            if no_ops:
                self.plan = plan.without(no_ops)

    def _last(self) -> int:
        """Return how many relations are materialized before the statement, -1 if there is none."""
        statements = self.plan.statements
        return -1 if statements is None else len(statements.materialized)

    def _gains_only(self) -> bool:
        """Return whether the state loses no rows; if so, turn the MERGE into an INSERT.

        The refresh asks once the change is materialized.
        """
        plan = self.plan
        assert isinstance(plan, Incremental) and plan.prepared is not None
        write = plan.prepared.write
        if not isinstance(write, Merge) or write.loses is None:
            return False
        with self._keeping():
            if not self._query(plan.prepared.text(write.loses)):
                self.plan = replace(plan, prepared=plan.prepared.insert)
                return True
        return False

    def _narrow(self, number: int) -> None:
        """Ask about the relations materialized so far, and put the answers into the statements."""
        plan = self.plan
        assert isinstance(plan, Incremental) and plan.prepared is not None
        statements = plan.prepared
        wanted = open_questions(
            statements.asks, number, set(self._session.names), statements.answers
        )
        if not wanted:
            return
        with self._keeping():
            rows = self._query(to_sql(statements.question(wanted), pretty=True))
            prepared = statements.answered(statements.answers_in(wanted, rows))
            if self._pin is not None and plan.change is not None:
                prepared = pruned(prepared, plan.change.versions, self._pin, self._token)
            self.plan = replace(plan, prepared=prepared)

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Run the questions and materializations before the statement.

        They run under the refresh's settings, and their time counts. If one fails, the refresh
        replans or raises the error.
        """
        started = time.perf_counter()
        try:
            self._session.tune(self.plan)
            yield
        except DbtDatabaseError as error:
            self._give_up(error)
        finally:
            self._spent("keep", started)

    def _give_up(self, error: DbtDatabaseError) -> None:
        """Rebuild if the changes can't be read; raise any other error of a materialization."""
        self._session.clear()
        outcome = outcome_of_error(str(error.msg), self.plan.kind, self.plan.is_reconstructed)
        if self.plan.compares and not (outcome is not None and outcome.lost):
            # The statement that replaces the table will say whose error it is.
            self._replace_table()
            return
        if outcome is None:
            raise error
        self._settle(outcome)
