"""A setting that changes a query's rows, and no source, between two runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, models_of, reasons

HEADER = "{{ config(materialized='ivm', pre_hook=var('set', [])) }}\n"
MODELS = {
    "as_json": "select id, to_json(struct(id, nm)) as j from @people",
    "as_time": "select id, to_timestamp(day) as t, timestamp'2024-01-01"
    " 00:00:00' as c from @people",
    "joined_text": "select id, elt(1, raw, raw) as e, concat(raw, raw) as c from @people",
    "divided": "select id, id / 0 as x, cast(nm as int) as n from @people",
    "zoned": "select id, cast(seen as string) as s from @people",
    "counted": "select nm, count(*) as n from @people group by nm",
}
CHANGES = {
    "spark.sql.jsonGenerator.ignoreNullFields=false": ("as_json",),
    "spark.sql.timestampType=TIMESTAMP_NTZ": ("as_time",),
    "spark.sql.function.concatBinaryAsString=true": ("joined_text",),
    "spark.sql.function.eltOutputAsString=true": ("joined_text",),
    "spark.sql.session.timeZone=America/Los_Angeles": ("zoned", "as_time"),
    "spark.sql.legacy.timeParserPolicy=LEGACY": ("as_time",),
    "spark.sql.mapKeyDedupPolicy=LAST_WIN": ("counted",),
    "spark.sql.setting.that.nobody.knows=1": ("counted",),
}
HARMLESS = (
    "spark.sql.shuffle.partitions=3",
    "spark.sql.adaptive.enabled=true",
    "spark.sql.autoBroadcastJoinThreshold=-1",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled=false",
    "spark.sql.files.maxRecordsPerFile=7",
    "spark.sql.files.openCostInBytes=1",
    "spark.sql.jsonGenerator.ignoreNullFields=true",
    "spark.sql.timestampType=TIMESTAMP_LTZ",
)
"""Settings that change no row, and such as are at their default."""


class TestResultSettings:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(MODELS, HEADER)

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            "create table people (id int, nm string, day string, seen timestamp, raw binary)"
            f" using delta {FEED}",
            "insert into people values (1, null, '2024-01-02', timestamp'2024-01-02 03:04:05',"
            " x'61'), (2, 'b', null, null, null)",
        )
        warehouse.sql("set spark.sql.ansi.enabled=false")
        warehouse.run(flags=self.flags("spark.sql.ansi.enabled=false"))
        return warehouse

    @staticmethod
    def flags(*settings: str) -> list[str]:
        texts = ", ".join(f'"set {s}"' for s in ("spark.sql.ansi.enabled=false", *settings))
        return ["--vars", f"{{set: [{texts}]}}"]

    @pytest.mark.parametrize("setting", budget([*CHANGES][::2], CHANGES))
    def test_a_changed_setting_rebuilds_the_view(self, built: Warehouse, setting: str) -> None:
        models = CHANGES[setting]
        responses = built.run(*models, flags=self.flags(setting))
        assert set(reasons(responses).values()) == {"QUERY_FINGERPRINT_CHANGED"}
        assert {r["reason"]["detail"] for r in responses.values()} == {"session settings"}
        key, _, value = setting.partition("=")
        built.sql(f"set {key}={value}")
        try:
            built.check(*models)
        finally:
            built.sql(f"reset {key}")
        responses = built.run(*models, flags=self.flags())
        assert set(kinds(responses).values()) == {"full"}
        built.check(*models)

    def test_settings_that_change_no_row_change_nothing(self, built: Warehouse) -> None:
        responses = built.run(flags=self.flags(*HARMLESS))
        assert set(kinds(responses).values()) == {"none"}

    def test_quoted_regex_names_are_not_maintained(self, built: Warehouse) -> None:
        setting = "spark.sql.parser.quotedRegexColumnNames=true"
        responses = built.run("counted", flags=self.flags(setting))
        assert reasons(responses) == {"counted": "QUERY_NOT_UNDERSTOOD"}
        built.run("counted", flags=self.flags())
        built.check("counted")


VIEWS: dict[str, tuple[str, str]] = {
    "zone": (
        "spark.sql.session.timeZone=Asia/Tokyo",
        "select id, cast(seen as string) as s from people",
    ),
    "json": (
        "spark.sql.jsonGenerator.ignoreNullFields=false",
        "select id, to_json(struct(nm)) as j from people",
    ),
    "types": (
        "spark.sql.timestampType=TIMESTAMP_NTZ",
        "select id, typeof(to_timestamp(day)) as t from people",
    ),
    "case": ("spark.sql.caseSensitive=true", "select id, upper(nm) as NM from people"),
    "ansi": ("spark.sql.ansi.enabled=true", "select id, try_cast(nm as int) + id as n from people"),
}

ALIKE = ("plain", "of_columns")
"""A view of the session's own settings, and one of another with columns alone, which no setting
changes."""


class TestViewsOfOtherSettings:
    """Spark reads a view under the settings that it was created under."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        header = "{{ config(materialized='ivm') }}\n"
        return {
            f"over_{name}.sql": f"{header}select * from {{{{ target.schema }}}}.view_{name}"
            for name in (*VIEWS, *ALIKE)
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse, project: Any) -> Warehouse:
        warehouse.sql(
            "create table people (id int, nm string, day string, seen timestamp) using delta "
            + FEED,
            "insert into people values (1, null, '2024-01-02', timestamp'2024-01-02 03:04:05'),"
            " (2, '7', null, null)",
        )
        warehouse.sql("create view view_of_columns as select nm as name, p.* from people p")
        # What dbt's sessions have.
        warehouse.sql("set spark.sql.ansi.enabled=false")
        warehouse.sql("create view view_plain as select id + 1 as id, nm from people")
        for name, (setting, text) in VIEWS.items():
            key = setting.partition("=")[0]
            warehouse.sql(f"set {setting}", f"create view view_{name} as {text}", f"reset {key}")
        warehouse.run()
        return warehouse

    def test_they_are_rebuilt_with_the_reason(self, built: Warehouse) -> None:
        built.sql(
            "insert into people values (3, 'x', '2024-03-03', timestamp'2024-03-03 00:00:00')"
        )
        responses = built.run()
        built.check(*responses)
        assert reasons(responses) == {f"over_{name}": "VIEW_SETTINGS_DIFFER" for name in VIEWS}

    def test_they_are_left_alone_without_source_changes(self, built: Warehouse) -> None:
        built.run()
        assert set(kinds(built.run()).values()) == {"none"}
