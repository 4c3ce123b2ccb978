"""The brokerage's models and sources."""

from __future__ import annotations

import re

import pytest
import sqlglot

from benchmarks.brokerage.changes import CHANGED, Round
from benchmarks.brokerage.columns import columns
from benchmarks.brokerage.data import TABLES, load
from benchmarks.brokerage.models import PATHS, TEXTS, depth, model, ordered, refs, sources
from benchmarks.brokerage.size import Size
from benchmarks.contest import texts
from benchmarks.rivals.by_dbt import AUTO, TABLE
from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.plan.plan import technique_of
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import probe

SIZE = Size(10_000)
FULL: dict[str, str] = {}
"""Models that are not maintained, with the code of the reason."""
_READ = re.compile(r"\{\{ \w+\((?:'brokerage', )?'(\w+)'\) \}\}")
_TYPES = {name: kind for table in columns(SIZE).values() for name, (kind, _) in table.items()}


def test_the_project_has_fifty_models_in_seven_layers() -> None:
    assert len(TEXTS) == 50
    assert max(depth(name) for name in TEXTS) == 7
    folders = {name: path.parent.name for name, path in PATHS.items()}
    assert {depth(name) for name in TEXTS if folders[name] == "bronze"} == {1}
    assert all(depth(name) > 2 for name in TEXTS if folders[name] == "gold")


def test_a_model_reads_existing_models_and_sources() -> None:
    for name in TEXTS:
        assert refs(name) <= TEXTS.keys(), name
        assert sources(name) <= set(TABLES), name
        assert refs(name) or sources(name), name
    assert {table for name in TEXTS for table in sources(name)} == set(TABLES)


def test_a_subset_includes_its_parents_in_order() -> None:
    names = ordered(["dim_accounts"])
    assert names[-1] == "dim_accounts"
    assert {"silver_customers", "bronze_customer_changes", "bronze_brokers"} < set(names)
    assert "bronze_prices" not in names
    everything = ordered()
    for place, name in enumerate(everything):
        assert refs(name) <= set(everything[:place]), name
    with pytest.raises(ValueError, match="no models of layers: dim_nobody"):
        ordered(["dim_nobody"])


def test_a_form_reads_models_of_its_own_form() -> None:
    made = texts([model("dim_accounts")], [AUTO, TABLE])
    assert "ref('silver_accounts__auto')" in made["dim_accounts__auto"]
    assert "ref('bronze_brokers__table')" in made["dim_accounts__table"]
    assert "materialized='ivm'" in made["dim_accounts__auto"]
    assert not re.findall(r"below\(|ref\('\w+(?<!__auto)(?<!__table)'\)", "".join(made.values()))


def _relation(name: str, named: dict[str, str]) -> Relation:
    return Relation(f"`bench`.`{name}`", RelationKind.DELTA, tuple(named.items()))


def test_every_model_is_read_and_laid_out() -> None:
    """With the types that the columns of the sources have; others count as bigint."""
    relations = [
        _relation(name, {column: kind for column, (kind, _) in of.items()})
        for name, of in columns(SIZE).items()
    ]
    found: dict[str, str] = {}
    for name in ordered():
        sql = _READ.sub(r"bench.\1", TEXTS[name])
        catalog = Catalog({relation_key(r.name): r for r in relations}, ("bench",))
        try:
            view = build_view(sql, catalog)
            types = {column: _TYPES.get(column, "bigint") for column in probe(view.root).columns}
            found[name] = technique_of(lay_out(view, types, "`bench`.`v__ivm`")).value
        except NotMaintained as error:
            found[name] = error.reason.code.value
        outputs = sqlglot.parse_one(sql, dialect="spark").named_selects
        assert "*" not in outputs, name
        relations.append(
            _relation(name, {column: _TYPES.get(column, "bigint") for column in outputs})
        )
    techniques = {"row_based", "group_aggregate", "affected_groups", "affected_partitions"}
    assert {name: said for name, said in found.items() if said not in techniques} == FULL
    assert set(found.values()) >= techniques


def test_a_size_has_its_rows_in_the_largest_sources() -> None:
    for rows in (2_000, 10_000, 100_000, 1_000_000):
        size = Size(rows)
        assert size.symbols * size.days == rows
        assert size.customers * 50 == rows
    assert Size(1_000_000).symbols == Size(1_000_000).days == 1_000
    with pytest.raises(ValueError, match="at least 500 rows"):
        Size(10)


def test_the_statements_are_sql_and_load_every_table() -> None:
    loaded = load(SIZE, "s")
    assert [re.findall(r"table s\.(\w+)", sql) for sql in loaded] == [[t] for t in TABLES]
    for sql in (*loaded, *Round(SIZE, 1, 0.001, SIZE.days).statements("s")):
        sqlglot.parse_one(sql, dialect="spark")


def test_a_round_mostly_inserts_and_replaces_one_source() -> None:
    sent = Round(SIZE, 3, 0.001, SIZE.days).statements("s")
    first = [sql.split()[0] for sql in sent]
    assert [first.count(word) for word in ("insert", "update", "delete", "create")] == [10, 2, 2, 1]
    changed = {found for sql in sent for found in re.findall(r"^[a-z ]+ s\.(\w+)", sql)}
    assert changed == set(CHANGED)


@pytest.mark.parametrize(("fraction", "days"), [(0.0001, 1), (0.001, 1), (0.005, 5)])
def test_a_round_has_a_new_day_for_each_symbol(fraction: float, days: int) -> None:
    round_ = Round(SIZE, 1, fraction, SIZE.days)
    assert round_.days == days
    prices = next(sql for sql in round_.statements("s") if "daily_prices" in sql)
    assert f"{SIZE.days} + id div {SIZE.symbols} as d from range({SIZE.symbols * days})" in prices


def test_rounds_insert_other_keys() -> None:
    one, other = (Round(SIZE, number, 0.001, SIZE.days).statements("s") for number in (1, 2))
    assert "1000000000 + id as n" in one[1]
    assert "2000000000 + id as n" in other[1]
