"""If Spark rejects a generated statement but accepts the user's own text, the first build and every
refresh rebuild from that text and warn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.ivm.warehouse import FEED, Warehouse, by_statements, kinds, reasons

QUERY = "select k, sum(v) as total, max(v) as most from {{ target.schema }}.facts group by k"
PLACES = {
    "the_probe": r"describe query\s+SELECT",
    "the_build": r"create or replace table .*__ivm.*(version as of|ivm_scan_)",
    "the_view": r"create or replace view ",
}
"""Statements of a first build that are made from the tree; the user's own text is in lower case."""
REFRESH = {"the_merge": r"merge into ", "what_is_kept": r"cache table "}


@contextmanager
def spoiled(pattern: str) -> Iterator[list[str]]:
    """Spark is sent a name that it does not know in the place of every column of such a statement,
    unless that is made from the user's own text."""
    original = IvmSparkConnectionManager.add_query
    sent: list[str] = []

    def add_query(self: Any, sql: str, *args: Any, **kwargs: Any) -> Any:
        ours = any(sign in sql for sign in ("`__ivm_", "`q`", "`facts`.", "AS `state`", "AS `v`("))
        if re.search(pattern, sql, re.DOTALL | re.IGNORECASE) and ours:
            sent.append(sql)
            places = 1 if "AS `v`(" in sql else 0  # there, the table is renamed too
            sql = re.sub(r"`(v|total|most|__ivm_count)`", "`no such column`", sql, count=places)
        return original(self, sql, *args, **kwargs)

    known = SessionHandle.known

    def known_else(self: Any, text: str) -> Any:
        """What need not be sent is sent nevertheless, to be spoiled."""
        return None if re.search(pattern, text, re.IGNORECASE) else known(self, text)

    with (
        patch.object(IvmSparkConnectionManager, "add_query", add_query),
        patch.object(SessionHandle, "known", known_else),
    ):
        yield sent


class TestRejected:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        names = (*PLACES, *REFRESH, "strict_build", "strict_refresh", "of_the_user")
        policy = {
            name: "incremental_strict" if name.startswith("strict") else "incremental"
            for name in names
        }
        return {
            f"{name}.sql": f"{{{{ config(materialized='ivm',"
            f" refresh_policy='{policy[name]}') }}}}\n"
            f"{QUERY}"
            for name in names
        }

    @pytest.fixture(scope="class")
    def facts(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table facts (k int, v int) using delta {FEED}",
            "insert into facts values (1, 1), (1, 5), (2, 2), (null, 3)",
        )
        return warehouse

    @pytest.mark.parametrize("place", PLACES)
    def test_a_rejected_first_build_uses_the_querys_own_text(
        self, facts: Warehouse, place: str, capsys: Any
    ) -> None:
        with spoiled(PLACES[place]) as sent:
            responses = facts.run(place)
        assert sent
        assert reasons(responses) == {place: "GENERATED_SQL_REJECTED"}
        assert "no such column" in responses[place]["reason"]["detail"]
        assert "Please report it" in capsys.readouterr().out
        facts.check(place)
        facts.sql("insert into facts values (7, 7)")
        responses = facts.run(place)
        assert reasons(responses) == {place: "GENERATED_SQL_REJECTED"}
        assert "Please report it" in capsys.readouterr().out
        facts.check(place)
        assert kinds(facts.run(place)) == {place: "none"}

    @pytest.mark.parametrize("place", REFRESH)
    def test_a_rejected_refresh_rebuilds_from_the_querys_own_text(
        self, facts: Warehouse, place: str, capsys: Any
    ) -> None:
        facts.run(place)
        facts.sql("delete from facts where v = 5", "insert into facts values (1, 5), (3, 3)")
        facts.sql("delete from facts where v = 5", "insert into facts values (1, 5)")
        facts.sql("delete from facts where v = 5")
        with by_statements(), spoiled(REFRESH[place]) as sent:
            responses = facts.run(place)
        assert sent
        assert reasons(responses) == {place: "GENERATED_SQL_REJECTED"}
        assert "Please report it" in capsys.readouterr().out
        facts.check(place)
        facts.sql("insert into facts values (1, 5)")
        facts.run(place)
        facts.check(place)

    def test_incremental_strict_fails_and_changes_nothing(self, facts: Warehouse) -> None:
        with spoiled(PLACES["the_build"]):
            message = facts.fail("strict_build")["strict_build"]
        assert "GENERATED_SQL_REJECTED" in message
        assert not facts.exists("strict_build__ivm")
        facts.run("strict_refresh")
        facts.sql("insert into facts values (9, 9)")
        version, rows = facts.version("strict_refresh__ivm"), facts.bags("strict_refresh")
        with by_statements(), spoiled(REFRESH["the_merge"]):
            message = facts.fail("strict_refresh")["strict_refresh"]
        assert "GENERATED_SQL_REJECTED" in message
        assert (facts.version("strict_refresh__ivm"), facts.bags("strict_refresh")) == (
            version,
            rows,
        )
        assert kinds(facts.run("strict_refresh")) == {"strict_refresh": "incremental"}
        facts.check("strict_refresh")

    def test_the_users_own_error_stays_an_error(self, facts: Warehouse) -> None:
        facts.write(
            "of_the_user",
            "{{ config(materialized='ivm') }}\nselect nothing from {{ target.schema }}.facts",
        )
        message = facts.fail("of_the_user")["of_the_user"]
        assert "UNRESOLVED_COLUMN" in message
        assert "GENERATED_SQL_REJECTED" not in message
        facts.write("of_the_user", "{{ config(materialized='ivm') }}\n" + QUERY)
