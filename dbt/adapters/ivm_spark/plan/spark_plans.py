"""Whole plans of a query, as EXPLAIN prints them; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.sql.plan_difference import PlanDifference, plan_difference
from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan

_WHOLE_PLANS = {
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # Otherwise Delta lists each scan's files, and Spark asks for their bytes. These jobs take ten
    # times as long as the rest and leave no trace in an optimized plan.
    SKIPPING: "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    # A hyphen in a name needs backticks.
    "`spark.sql.iceberg.aggregate-push-down.enabled`": "false",
    "spark.sql.debug.maxToStringFields": "100000",
}


_NOT_FOLDED = {
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConstantFolding"
}
"""Spark then prints the current time itself, not the values that it computes from it."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?")
_NEAR = timedelta(minutes=10)
"""How far the current time of a plan may be from the time at which it was asked for."""


@contextmanager
def whole_plans(query: Query, folded: bool = True) -> Iterator[None]:
    """Make Spark print whole plans while they are asked for.

    Delta and Iceberg must not replace min, max and count with values of their metadata, and Spark
    must not cut long lists. Unless `folded`, constants stay as they are written. Afterwards the
    session has its own settings again.
    """
    settings = _WHOLE_PLANS if folded else _WHOLE_PLANS | _NOT_FOLDED
    own = SourceReader(query).settings()
    for key, value in settings.items():
        query(f"set {key}={value}")
    try:
        yield
    finally:
        for key in settings:
            name = key.strip("`")
            query(f"set {key}={own[name]}" if name in own else f"reset {key}")


def explained(query: Query, sql: str) -> str:
    """Return the parsed, analyzed, optimized and physical plan of a query, as one text."""
    return str(next(iter(query(f"explain extended\n{sql}")[0].values())))


_JUDGEMENTS = 6
"""Pairs of plans that are compared at most."""
_CERTAIN = 2
"""Pairs of plans after which a difference in more than columns and order is certain."""
_COLUMN = re.compile(r"@\d+")
_WORDS = re.compile(r"'[^']*'|[\w.]+|[^\s\w]")

Respelled = Callable[[str], str]
"""Changes the plan of the second text before it is compared."""


@dataclass(frozen=True)
class Judgement:
    """A comparison of Spark's plans for two texts.

    Attributes:
        equivalent: Spark plans both texts alike.
        model: EXPLAIN EXTENDED of the first text.
        reconstruction: EXPLAIN EXTENDED of the second text.
    """

    equivalent: bool
    model: str
    reconstruction: str

    @property
    def difference(self) -> PlanDifference | None:
        """Return what the plans differ in, None if nothing that is known of."""
        return plan_difference(self.model, self.reconstruction)


def judge(
    query: Query,
    sql: str,
    written: str,
    respelled: Respelled = str,
    clock: bool = False,
    other: Callable[[], str] = str,
) -> Judgement:
    """Return whether Spark plans two texts alike, and the plans that were compared last.

    Some of Spark's rules order their output by hashes of expression ids, which are new in every
    plan. One plan that both texts have is proof, so the function asks for more than one. It stops
    early if the plans differ in what such rules leave as it is: operators, functions and constants.

    Args:
        query: sends a statement.
        sql: one text.
        written: the other text.
        respelled: changes the other text's plan before it is compared.
        clock: the texts call the clock. Each plan then has a current time of its own, which counts
            as one constant. Times that are computed from it are compared as they are written.
        other: makes another text that means the same as `written`, whose plan may be that of `sql`
            too. It is called only if the plan of `written` is another one.
    """
    now = _now(query) if clock else None
    kinds = [_Plans(folded=True), *([_Plans(folded=False)] if clock else [])]
    last: Judgement | None = None
    for number in range(1, _JUDGEMENTS + 1):
        for plans in kinds:
            found = plans.compared(query, sql, _texts(written, other), respelled, now)
            if found.equivalent:
                return found
            last = last or found
        if number >= _CERTAIN:
            kinds = [plans for plans in kinds if plans.may_be_alike]
    assert last is not None
    return last


def _texts(written: str, other: Callable[[], str]) -> Iterator[str]:
    yield written
    again = other()
    if again and again != written:
        yield again


class _Plans:
    """The normalized plans that Spark has for both texts, with constants folded or not."""

    def __init__(self, folded: bool) -> None:
        self._folded = folded
        self._given: set[str | None] = set()
        self._ours: set[str | None] = set()

    def compared(
        self,
        query: Query,
        sql: str,
        texts: Iterable[str],
        respelled: Respelled,
        now: datetime | None,
    ) -> Judgement:
        """Ask for a plan of each text, and compare all plans so far.

        The plans that are not alike are those of `sql` and of the first of the other texts.
        """
        differ: Judgement | None = None
        with whole_plans(query, self._folded):
            model = _stopped(explained(query, sql), now)
            self._given.add(normalized_plan(model))
            for text in texts:
                reconstruction = _stopped(explained(query, text), now)
                found = normalized_plan(reconstruction)
                self._ours.add(found if found is None else respelled(found))
                if (self._given & self._ours) - {None}:
                    return Judgement(True, model, reconstruction)
                differ = differ or Judgement(False, model, reconstruction)
        assert differ is not None
        return differ

    @property
    def may_be_alike(self) -> bool:
        """Return whether the plans so far have the same words."""
        return not _skeletons(self._given).isdisjoint(_skeletons(self._ours))


def plans_are_equivalent(
    query: Query, sql: str, written: str, respelled: Respelled = str, clock: bool = False
) -> bool:
    """Return whether Spark plans both texts alike, see `judge`."""
    return judge(query, sql, written, respelled, clock).equivalent


def _now(query: Query) -> datetime:
    """Return the current time as the session shows it."""
    shown = query("select cast(current_timestamp() as string) as now")[0]["now"]
    return datetime.fromisoformat(_padded(str(shown)))


def _stopped(plan: str, now: datetime | None) -> str:
    """Return a plan with one name for all times in it that are its current time.

    `now` is the time at which the plan was asked for; None if the plan does not call the clock.
    """
    if now is None:
        return plan

    def named(found: re.Match[str]) -> str:
        try:
            time = datetime.fromisoformat(_padded(found.group()))
        except ValueError:  # a text that only looks like a time
            return found.group()
        return "the current time" if abs(time - now) < _NEAR else found.group()

    return _TIME.sub(named, plan)


def _padded(time: str) -> str:
    """Return a time with six digits of its second's fraction, as Python 3.10 reads it."""
    whole, _, fraction = time.partition(".")
    return f"{whole}.{fraction:0<6}"


def _skeletons(plans: Iterable[str | None]) -> set[tuple[str, ...]]:
    """Return the words of plans in no order and without columns; nothing of a plan that is None."""
    return {tuple(sorted(_WORDS.findall(_COLUMN.sub("", plan)))) for plan in plans if plan}
