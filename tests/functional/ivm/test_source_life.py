"""Accidents of a source: the next refresh is right at once, and says why if it is full;
`incremental_strict` fails with the same reason and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from dbt.adapters.ivm_spark.refresh.refresher import Refresher
from tests.functional.ivm.source_accidents import (
    ACCIDENTS,
    GROUPS,
    GROUPS_OF_ACCIDENTS,
    MORE,
    START,
    TRIED,
    Step,
    mapped,
    replaced,
    table,
)
from tests.functional.ivm.warehouse import Warehouse, bag, kinds, reasons


def model(sql: str, name: str) -> str:
    config = "{{ config(materialized='ivm', refresh_policy=var('policy', 'incremental')) }}\n"
    return config + sql.replace("@", f"{{{{ target.schema }}}}.{name}_source")


def do(warehouse: Warehouse, name: str, steps: tuple[Step, ...]) -> None:
    source = f"{name}_source"
    for step in steps:
        if callable(step):
            step(warehouse, source)
        else:
            warehouse.sql(step.replace("#", str(warehouse.folder)).replace("@", source))


@dataclass(frozen=True)
class Seen:
    """The messages of `incremental_strict`, and what it left and found of the states; the refresh
    after the accidents, and what was wrong then; the refresh after the ordinary change."""

    strict: dict[str, str]
    before: dict[str, Any]
    after: dict[str, Any]
    refreshed: dict[str, dict[str, Any]]
    wrong: list[str]
    later: dict[str, dict[str, Any]]


class TestSources:
    """A group of accidents at a time: all happen, then dbt runs."""

    groups: dict[str, Seen] = {}  # noqa: RUF012

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(ACCIDENTS[name].query, name) for name in TRIED}

    @pytest.fixture
    def seen(self, warehouse: Warehouse, name: str) -> Seen:
        group = next(g for g, accidents in GROUPS_OF_ACCIDENTS.items() if name in accidents)
        if group not in self.groups:
            names = [n for n in GROUPS_OF_ACCIDENTS[group] if n in TRIED]
            self.groups[group] = self.let_happen(warehouse, names)
        return self.groups[group]

    @staticmethod
    def let_happen(warehouse: Warehouse, names: list[str]) -> Seen:
        def states() -> dict[str, Any]:
            return {
                n: (bag(warehouse.rows(f"select * from {n}__ivm")), warehouse.version(f"{n}__ivm"))
                for n in lost
            }

        lost = [name for name in names if ACCIDENTS[name].kind == "full"]
        # As in dbt's sessions, or views would be of other settings.
        warehouse.sql("set spark.sql.ansi.enabled=false")
        for name in names:
            do(warehouse, name, ACCIDENTS[name].create)
        assert set(kinds(warehouse.run(*names)).values()) == {"initial"}
        before = states()
        for name in names:
            do(warehouse, name, ACCIDENTS[name].steps)
        strict = (
            warehouse.fail(*lost, flags=["--vars", "policy: incremental_strict"]) if lost else {}
        )
        after = states()
        refreshed = warehouse.run(*names)
        wrong = warehouse.all_differences(names)
        for name in names:
            do(warehouse, name, ACCIDENTS[name].later)
        later = warehouse.run(*names)
        wrong += warehouse.all_differences(names)
        return Seen(strict, before, after, refreshed, wrong, later)

    @pytest.mark.parametrize("name", TRIED)
    def test_the_next_refresh_has_its_kind_and_reason(self, seen: Seen, name: str) -> None:
        accident, response = ACCIDENTS[name], seen.refreshed[name]
        assert response["refresh_kind"] == accident.kind, response
        assert reasons({name: response}).get(name, "") == accident.code, response
        assert not [text for text in seen.wrong if text.startswith(f"{name}: ")]
        assert seen.later[name]["refresh_kind"] == accident.then, seen.later[name]

    @pytest.mark.parametrize("name", [n for n in TRIED if ACCIDENTS[n].kind == "full"])
    def test_incremental_strict_fails_and_changes_nothing(self, seen: Seen, name: str) -> None:
        message = seen.strict[name]
        assert ACCIDENTS[name].code in message
        assert "incremental_strict" in message
        assert name in message
        assert "\tat " not in message
        assert seen.after[name] == seen.before[name]


GONE = {
    "dropped": ("drop table @", "TABLE_OR_VIEW_NOT_FOUND"),
    "replaced_without_a_used_column": (replaced("'a' as k"), "UNRESOLVED_COLUMN"),
    "renamed_column": ("alter table @ rename column v to w", "UNRESOLVED_COLUMN"),
    "became_text": (replaced("'a' as k, array(1) as v"), "DATATYPE_MISMATCH"),
}


class TestSourcesThatTheQueryNoLongerFits:
    """dbt's own error, and readers have what they had."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(GROUPS, name) for name in GONE}

    def test_change_nothing_until_the_query_fits_again(self, warehouse: Warehouse) -> None:
        for name in GONE:
            do(warehouse, name, (mapped(), START))
        warehouse.run()
        versions = {name: warehouse.version(f"{name}__ivm") for name in GONE}
        for name, (accident, _) in GONE.items():
            do(warehouse, name, (MORE, accident))
        for name, message in warehouse.fail(*GONE).items():
            assert GONE[name][1] in message
            assert f"{name}.sql" in message or f"model.test.{name}" in message
            assert "\tat " not in message
            assert versions[name] == warehouse.version(f"{name}__ivm")
            assert warehouse.bags(name) == bag([("a", 3, 2), ("b", 3, 1)])
        do(warehouse, "dropped", (mapped(), START))
        do(warehouse, "renamed_column", ("alter table @ rename column w to v",))
        responses = warehouse.run("dropped", "renamed_column")
        assert reasons(responses) == {
            "dropped": "SOURCE_REPLACED",
            "renamed_column": "DATA_SCHEMA_CHANGED",
        }
        warehouse.check("dropped", "renamed_column")


INTRUSIONS = {
    "grown": "insert into @ values ('late', 1, 1), ('a', 1000, 1)",
    "shrunk": "delete from @ where k = 'a'",
    "rewritten": replaced("'late' as k, 7 as v, 1 as u"),
    "reshaped": "alter table @ rename column v to x",
}


class TestAWriterInTheMiddle:
    """A source changes after the versions were pinned and before the state is committed."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(GROUPS, name) for name in INTRUSIONS}

    @pytest.fixture
    def intruded(self, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        plan = Refresher.commit
        done: set[str] = set()

        def commit(refresh: Refresher, sql: str) -> Any:
            name = refresh._model.split(".")[-1]
            if name not in done:
                done.add(name)
                do(warehouse, name, (INTRUSIONS[name],))
            return plan(refresh, sql)

        monkeypatch.setattr(Refresher, "commit", commit)
        yield
        assert done == set(INTRUSIONS)

    def build(self, warehouse: Warehouse) -> None:
        for name in INTRUSIONS:
            do(warehouse, name, (mapped() if name == "reshaped" else table(), START))
        warehouse.run(*INTRUSIONS)
        for name in INTRUSIONS:
            do(warehouse, name, (MORE, "update @ set v = 30 where v = 3"))

    def test_the_view_shows_the_pinned_versions(
        self, warehouse: Warehouse, request: pytest.FixtureRequest
    ) -> None:
        self.build(warehouse)
        request.getfixturevalue("intruded")
        responses = warehouse.run(*INTRUSIONS)
        assert set(kinds(responses).values()) <= {"incremental", "full"}
        for name in INTRUSIONS:
            (source,) = warehouse.watermark(name).sources.values()
            pinned = f"{name}_source version as of {source.version}"
            wanted = warehouse.rows(
                warehouse.queries[name].replace(f"{warehouse.schema}.{name}_source", pinned)
            )
            assert warehouse.bags(name) == bag(wanted), name
            assert source.version < warehouse.version(f"{name}_source")
        do(warehouse, "reshaped", ("alter table @ rename column x to v",))
        responses = warehouse.run(*INTRUSIONS)
        assert reasons(responses) == {"reshaped": "DATA_SCHEMA_CHANGED"}
        assert kinds(responses) == dict.fromkeys(INTRUSIONS, "incremental") | {"reshaped": "full"}
        warehouse.check(*INTRUSIONS)
