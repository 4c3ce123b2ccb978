from __future__ import annotations

import pytest

from benchmarks.cost import Cost, Statement, added, files_of, kind_of, medians, typical


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("/* {'app': 'dbt'} */\nmerge into t using s on true", "merge"),
        ("describe history `s`.`t` limit 1", "history"),
        ("DESCRIBE DETAIL t", "metadata"),
        ("explain extended select 1", "metadata"),
        ("set a.b=1", "settings"),
        ("reset a.b", "settings"),
        ("cache table d as select 1", "keep"),
        ("create or replace temporary view v as select 1", "keep"),
        ("create or replace table t as select 1", "create"),
        ("with a as (select 1) select * from a", "query"),
        ("insert into t values (1)", "insert"),
        ("vacuum t", "other"),
    ],
)
def test_the_kind_of_a_statement(sql: str, kind: str) -> None:
    assert kind_of(sql) == kind


def test_a_breakdown_adds_up_to_the_seconds() -> None:
    sent = (Statement.of("merge into t", 1.5), Statement.of("set a=1", 0.1))
    cost = Cost(seconds=2.0, sent=(*sent, Statement.of("merge into u", 0.2)))
    assert cost.breakdown == {
        "settings": pytest.approx(0.1),
        "merge": pytest.approx(1.7),
        "python": pytest.approx(0.2),
    }


def test_a_statement_is_kept_short_and_in_one_line() -> None:
    text = Statement.of("/* by dbt */ select\n  1,\n" + "x" * 500, 0.0).text
    assert text.startswith("select 1, xxx")
    assert len(text) == 160


def test_costs_of_several_nodes_are_added() -> None:
    one = Cost(seconds=1, jobs=2, rows_read=10, sent=(Statement("merge", 1, "m"),))
    other = Cost(seconds=0.5, jobs=1, bytes_written=7, sent=(Statement("query", 0.5, "q"),))
    both = added([one, other])
    assert (both.seconds, both.jobs, both.rows_read, both.bytes_written) == (1.5, 3, 10, 7)
    assert [statement.kind for statement in both.sent] == ["merge", "query"]


def test_medians_are_of_each_figure_and_the_typical_run_is_one_of_them() -> None:
    costs = [Cost(seconds=s, jobs=j) for s, j in ((3, 1), (1, 9), (2, 5), (9, 5))]
    assert medians(costs)["seconds"] == 2.5
    assert medians(costs)["jobs"] == 5
    assert typical(costs) is costs[2]


def test_files_of_commits_of_every_kind() -> None:
    metrics = [
        {"numTargetFilesAdded": "2", "numTargetFilesRemoved": "1", "numOutputRows": "9"},
        {"numFiles": "3"},
        {"numAddedFiles": "1", "numRemovedFiles": "4"},
    ]
    assert files_of(metrics) == (6, 5)
