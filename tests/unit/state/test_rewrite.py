"""A MERGE as a rewrite of the whole state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp, parse_one

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import Scan
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.rewrite import exchange, locate, rewrite

SOURCE = Scan("change", "change", (("k", "k"), ("n", "n")))


def of(text: str) -> exp.Expr:
    return parse_one(text, dialect="ivmspark")


MERGE = Merge(
    source=SOURCE,
    on=of("t.`k` <=> s.`k`"),
    delete_when=of("t.`n` + s.`n` = 0"),
    update_when=of("s.`n` <> 0"),
    updates=(("n", of("t.`n` + s.`n`")),),
    insert_when=of("s.`n` > 0"),
    inserts=(("k", of("s.`k`")), ("n", of("s.`n`"))),
)


def selected(merge: Merge, name: str) -> str:
    """The expression of one column of the rows."""
    query = rewrite(merge, exp.select("*").from_("change"), "stored").rows
    (found,) = (item.this for item in query.selects if item.alias == name)
    return to_sql(found)


def test_clauses_are_tried_in_the_order_of_a_merge() -> None:
    assert selected(MERGE, "__ivm_action") == (
        "CASE WHEN `t`.`__ivm_stored` IS NULL THEN CASE WHEN s.`n` > 0 THEN 'insert' END "
        "WHEN `s`.`__ivm_changed` IS NULL THEN 'keep' "
        "WHEN t.`n` + s.`n` = 0 THEN 'delete' WHEN s.`n` <> 0 THEN 'update' ELSE 'keep' END"
    )


def test_values_are_computed_only_for_rows_that_get_them() -> None:
    """A value may raise: a sum that overflows, a count below 0."""
    assert selected(MERGE, "__ivm_new") == (
        "CASE WHEN `t`.`__ivm_stored` IS NULL THEN CASE WHEN s.`n` > 0 THEN "
        "named_struct('k', s.`k`, 'n', s.`n`) END "
        "WHEN `s`.`__ivm_changed` IS NULL THEN NULL WHEN t.`n` + s.`n` = 0 THEN NULL "
        "WHEN s.`n` <> 0 THEN named_struct('k', `t`.`k`, 'n', t.`n` + s.`n`) END"
    )


@pytest.mark.parametrize("clause", ["delete_when", "update_when"])
def test_a_clause_that_is_missing(clause: str) -> None:
    action = selected(replace(MERGE, **{clause: None}), "__ivm_action")
    assert f"'{clause.removesuffix('_when')}'" not in action
    assert action.endswith("ELSE 'keep' END")


def test_all_rows_of_both_sides_are_joined() -> None:
    text = to_sql(rewrite(MERGE, exp.select("*").from_("change"), "stored").rows)
    assert text.endswith(
        "FROM (SELECT *, TRUE AS __ivm_stored FROM stored) AS t FULL JOIN "
        "(SELECT *, TRUE AS __ivm_changed FROM (SELECT * FROM change)) AS s ON "
        "t.`k` IS NOT DISTINCT FROM s.`k`"
    )


def test_only_a_state_with_a_feed_has_change_data() -> None:
    found = rewrite(MERGE, exp.select("*").from_("change"), "stored")
    fed, unfed = to_sql(found.expansion), to_sql(found.unfed)
    assert all(f"'{kind}'" in fed for kind in ("update_preimage", "update_postimage"))
    assert "_change_type" not in unfed
    assert "'delete'" not in unfed, "a deleted row is not written"


def test_an_exchange_writes_no_row_that_stays() -> None:
    change = exchange(MERGE, exp.select("*").from_("change"), exp.select("*"), "located").change
    assert "'keep'" not in to_sql(change.expansion)
    assert to_sql(change.rows).split(" FROM ")[0].endswith("`t`.`__ivm_file`, `t`.`__ivm_place`"), (
        "the places of the rows come along"
    )


def test_rows_are_located_by_the_condition_of_the_merge() -> None:
    state = exp.to_table("`s`.`v__ivm`", dialect="spark")
    query = locate(state, exp.select("*").from_("change"), MERGE.on)
    assert to_sql(query) == (
        "SELECT _metadata.file_path AS __ivm_file, _metadata.row_index AS __ivm_place, t.* "
        "FROM `s`.`v__ivm` AS t LEFT SEMI JOIN (SELECT * FROM change) AS s "
        "ON t.`k` IS NOT DISTINCT FROM s.`k`"
    )


def test_rows_are_located_in_a_view_that_has_their_places() -> None:
    state = exp.to_table("`s`.`v__ivm` VERSION AS OF 3", dialect="spark")
    located = locate(state, exp.select("*").from_("change"), MERGE.on)
    found = exchange(MERGE, exp.select("*").from_("change"), located, "stored")
    assert to_sql(found.located_in("files")) == (
        "SELECT t.* FROM files AS t LEFT SEMI JOIN (SELECT * FROM change) AS s "
        "ON t.`k` IS NOT DISTINCT FROM s.`k`"
    )
    assert "VERSION AS OF 3" in to_sql(found.located)
