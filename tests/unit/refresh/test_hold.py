"""A rebuild that replaces a view's state goes on only if its readers are held, or can't read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.refresh.hold import hold

VIEW, STATE = "`s`.`v`", "`s`.`v__ivm`"
TEXT = "SELECT state.k FROM s.v__ivm AS state"


class Spark:
    """Answers the statements of `hold`; the one of that number fails."""

    def __init__(self, failing: int, says: str, readable: bool) -> None:
        self.sent: list[str] = []
        self._failing, self._says, self._readable = failing, says, readable

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        self.sent.append(sql)
        if len(self.sent) - 1 == self._failing:
            raise DbtDatabaseError(self._says)
        if sql.startswith("describe query") and not self._readable:
            raise DbtDatabaseError(self._says)
        if sql.endswith("as json"):
            return [{"json": json.dumps({"view_text": TEXT})}]
        if sql.startswith("describe table"):
            pairs = [("k", "string"), ("# Detailed Table Information", ""), ("Type", "VIEW")]
            return [{"col_name": name, "data_type": value} for name, value in pairs]
        if sql.startswith("describe history"):
            return [{"version": 8, "operation": "SET TBLPROPERTIES", "operationParameters": {}}]
        return []


def held(
    failing: int = -1, says: str = "", readable: bool = True
) -> tuple[Spark, Callable[[], None]]:
    spark = Spark(failing, says, readable)
    return spark, lambda: hold(spark, VIEW, STATE, 7, "the mark")


def test_the_view_reads_the_old_version() -> None:
    spark, run = held()
    run()
    assert spark.sent[-1].startswith(f"alter view {VIEW} as ")
    assert "VERSION AS OF 8" in spark.sent[-1]


@pytest.mark.parametrize("number", range(6))
def test_a_lost_answer_ends_the_rebuild(number: int) -> None:
    spark, run = held(number, "Spark's process has ended or does not answer")
    with pytest.raises(DbtDatabaseError):
        run()
    assert len(spark.sent) == number + 1


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("number", range(6))
def test_a_view_that_nobody_can_read_is_rebuilt(number: int, readable: bool) -> None:
    spark, run = held(number, "[UNRESOLVED_COLUMN.WITHOUT_SUGGESTION] state.k", readable)
    if readable:
        with pytest.raises(DbtDatabaseError, match="UNRESOLVED_COLUMN"):
            run()
    else:
        run()
    assert spark.sent[number + 1 :] == [f"describe query select * from {VIEW}"]
