"""The numbers that the pages give are the constants of the code."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra import materialized
from dbt.adapters.ivm_spark.commands.doctor import rules
from dbt.adapters.ivm_spark.commands.explain.refresh_log import _TRIMMED_EVERY
from dbt.adapters.ivm_spark.commands.report.reporter import SHOWN_COMMITS
from dbt.adapters.ivm_spark.commands.verify.comparable import DIGITS
from dbt.adapters.ivm_spark.delta import near, window
from dbt.adapters.ivm_spark.delta.join import FACTOR_ROWS
from dbt.adapters.ivm_spark.physical import (
    broadcast,
    collected_keys,
    expensive_predicates,
    key_ranges,
    magic_sets,
    materialize,
    runtime_filters,
    semijoin_reduction,
)
from dbt.adapters.ivm_spark.plan import (
    assembly,
    comparing,
    decide,
    large_state,
    no_op_updates,
    touched_rows,
    tuning,
    work,
)
from dbt.adapters.ivm_spark.plan.plan import RefreshKind, Technique
from dbt.adapters.ivm_spark.plan.reading import FAR_OPERATORS, MAX_OPERATORS
from dbt.adapters.ivm_spark.session import (
    pinned_scan,
    stored_rows,
    table_files,
    transaction,
)
from dbt.adapters.ivm_spark.session.credentials import CONNECT_PORT
from dbt.adapters.ivm_spark.sql.grouping_sets import MAX_SETS
from dbt.adapters.ivm_spark.sql.parse import MAX_TABLES
from dbt.adapters.ivm_spark.sql.rewrite.grouping_sets import MAX_KEYS
from dbt.adapters.ivm_spark.watermark import cost_model
from tests.functional.ivm import hostile
from tests.unit.docs.blocks import ROOT, prose
from tests.unit.sql.test_hostile import said

WORDS = {12: "twelve", 50: "fiftieth"}
MOST = 51
"""Tables of which a plain inner join has a change of at most MAX_OPERATORS operators."""


def rows(number: int) -> str:
    """A number as the pages write it."""
    return f"{number // 10**6} million" if number % 10**6 == 0 else f"{number:,}"


STATED = {
    "docs/operators/windows.md": (f"a source of {rows(window.APART_ROWS)} rows or more",),
    "README.md": (
        f"together have at most {rows(decide.SMALL_ROWS)} rows",
        f"Every {assembly.COMPACT_AFTER + 1}th refresh adds them up",
        f"at more than {MAX_TABLES:,} places",
        f"of more than {MAX_SETS} sets or {MAX_KEYS} keys",
        f"more than {MAX_OPERATORS} operators",
        f"inner join of more than {MOST} tables ({FAR_OPERATORS} and",
    ),
    "docs/how-it-works.md": (
        f"After {assembly.COMPACT_AFTER} appends",
        f"keeps a relation of at most {rows(materialized.FEW_ROWS)} rows",
        f"at most {pinned_scan.FEW_FILES} files or {pinned_scan.FEW_BYTES // 1_000_000} MB; or",
        f"at most {pinned_scan.MANY_FILES} files, of which Delta would hardly",
        f"with at most {table_files.MOST_KNOWN} files, the run asks",
        f"if the state has {rows(transaction.FOOTER_ROWS)} rows or more, its columns",
        f"materialized relations with at most {rows(stored_rows.COPIED_ROWS)} rows becomes one",
        f"at most {rows(broadcast.BROADCAST_ROWS)} rows for certain",
        f"a partner with {rows(runtime_filters.BIG_ROWS)} rows or more",
        f"at most {key_ranges.RANGES}, parted at the widest gaps",
        f"at most {key_ranges.KEYS:,} of them",
        f"at most {rows(collected_keys.MOST_COLLECTED)} different keys for certain",
        f"more than {pinned_scan.FEW_FILES} files and {pinned_scan.FEW_BYTES // 1_000_000} MB, and",
        f"the groups' table has {rows(magic_sets.LONG_ROWS)} rows or more",
        f"and {magic_sets.SMALLER} times as many as the filtered one",
        f"the biggest has {rows(FACTOR_ROWS)} rows or more",
        f"then joins a table of {rows(materialize.STAGE_ROWS)} rows or more, the refresh",
        f"the partner reads {rows(semijoin_reduction.REDUCED_ROWS)} rows or more",
        f"against a table of {rows(expensive_predicates.MATCHED_ROWS)} rows or more that joins",
        f"at most {rows(no_op_updates.DOUBTED_ROWS)} of them",
        f"asked if all sources together have less than {rows(no_op_updates.WORTH_ASKING)} rows",
        f"at most {decide.HOPE} times that of a rebuild",
        f"A state of {rows(large_state.LARGE_ROWS)} rows or more is a large one",
        f"every {large_state.TIDY_EVERY}th refresh lets",
        f"The fixed part is {cost_model.FIXED_FULL} s",
        f"counts as {cost_model.COLD:.0f} s shorter",
        f"takes {1 - cost_model.AGING:.0%} off the estimate".replace("%", " %"),
        f"down to {cost_model.OLD} of it",
        f"the fixed part is {cost_model.FIXED_INCREMENTAL} s",
        f"and {cost_model.REWRITTEN} of that if",
        f"of a large state it is {cost_model.EXCHANGED} of that, for an INSERT {cost_model.ADDED}.",
        f"of a window function counts as {cost_model.TOUCHED:.0f},",
        f"the first changed one and stays, it counts as {cost_model.EARLY:.0f}.",
        f"causes a rebuild of {touched_rows.SECONDS / touched_rows.SHARE:.0f} s or more",
        f"adds {cost_model.MATERIALIZED:.0%}".replace("%", " %"),
        f"adds {cost_model.SCAN:.0%}".replace("%", " %"),
        f"A changed row counts as {cost_model.CHANGED:.0f} rows of a rebuild",
        f"to join the change counts as {cost_model.MET:.0f}.",
        f"takes at most {cost_model.LIGHT * 10**6} µs",
        f"counts as {cost_model.STORED:.0f} for a MERGE, as {cost_model.SCATTERED:.0f} if",
        f"as {work.NARROWED} of that where only the ranges",
        f"no more than {decide.UNTRIED} times the rebuild",
        f"tried at up to {decide.RISKED} times, if it would take at most {decide.HOPED} times",
        f"All sources together have at most {rows(decide.SMALL_ROWS)} rows",
        f"counts as at most {cost_model._MOST:.0f} times its estimate",
        f"look at most {rows(near.MOST_ROWS)} rows around a row",
        f"A rebuild from at most {rows(tuning.SMALL_REBUILD)} rows",
        f"up to {rows(tuning.FEW_CHANGES)} changed rows",
        f"a state of up to {rows(tuning.SMALL_STATE)} runs",
        f"each {rows(tuning.MET_ROWS)} rows that the change joins",
    ),
    "docs/operating.md": (
        f"More than {comparing.MUCH:.0%} of the rows differ".replace("%", " %"),
        f"up to {rows(broadcast.BROADCAST_ROWS)} changes are broadcast",
        f"partners with {rows(runtime_filters.BIG_ROWS)} rows or more",
    ),
    "docs/reference.md": (f"together have at most {rows(decide.SMALL_ROWS)} rows",),
    "docs/doctor.md": (
        f"more than {rules.MANY_FILES} files of less than {rules.SMALL_FILE // 10**6} MB",
    ),
    "docs/explain.md": (f"at every {WORDS[_TRIMMED_EVERY]} refresh",),
    "docs/report.md": (f"at most {SHOWN_COMMITS} commits",),
    "docs/connecting.md": (f"`port` is {CONNECT_PORT}",),
    "docs/verify.md": (f"in about {WORDS[DIGITS]} significant digits",),
}


@pytest.mark.parametrize(
    ("page", "stated"), [(page, stated) for page, every in STATED.items() for stated in every]
)
def test_a_page_has_the_number_of_the_code(page: str, stated: str) -> None:
    assert stated in prose(ROOT / page)


def test_halves_on_the_pages_are_halves_in_the_code() -> None:
    """How it works: of a first build; the doctor: of a retention."""
    assert (cost_model.FIRST_BUILD, rules.SOON) == (0.5, 0.5)
    assert tuning.PARTITION_ROWS == 10**6, "one more for each million rows"


def test_a_plain_inner_join_may_have_the_stated_number_of_tables() -> None:
    def joined(tables: int) -> str:
        return hostile.joins(tables).replace("left join", "join")

    assert said(joined(MOST)) is None
    reason = said(joined(MOST + 1))
    assert reason is not None
    assert f"more than {MAX_OPERATORS} operators" in reason.detail


def test_the_readme_lists_the_kinds_and_techniques_that_there_are() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    for field, values in (("refresh_kind", RefreshKind), ("technique", Technique)):
        (line,) = (line for line in lines if line.startswith(f"| `{field}` |"))
        listed = line.split(" | ")[1].removesuffix(" |").replace("`", "").split(", ")
        assert listed == [value.value for value in values]
