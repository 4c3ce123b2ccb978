"""Which relations a run reads once, and which again for each model."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import SourceReader

SOURCE, VIEW, STATE = "`s`.`t`", "`s`.`v`", "`s`.`v__ivm`"
BUILT = frozenset(map(relation_key, (VIEW, STATE)))


class Warehouse:
    """Describes tables, whose newest version is `version`, and counts what it is asked."""

    def __init__(self) -> None:
        self.version = 1
        self.asked: Counter[str] = Counter()

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        name = sql.split("`")[3]
        self.asked[name] += 1
        if sql.startswith("describe history"):
            return [{"version": self.version, "timestamp": "1", "operation": "MERGE"}]
        facts = {"k": "int", "": "", "# Detailed Table Information": "", "Provider": "delta"}
        return [{"col_name": name, "data_type": value} for name, value in facts.items()]


def _read(pins: Pins, warehouse: Warehouse, name: str) -> int:
    """The version at which a relation is read."""
    reader = SourceReader(warehouse)
    relation = pins.relation(reader, name, BUILT)
    return pins.head(reader, relation, None, BUILT).version


def test_a_source_is_pinned_when_it_is_first_read() -> None:
    pins, warehouse = Pins(), Warehouse()
    assert _read(pins, warehouse, SOURCE) == 1
    warehouse.version = 2
    assert _read(pins, warehouse, SOURCE) == 1
    assert warehouse.asked == {"t": 2}


def test_a_table_that_the_run_builds_is_pinned_after_its_build() -> None:
    pins, warehouse = Pins(), Warehouse()
    assert _read(pins, warehouse, STATE) == 1
    warehouse.version = 2
    assert _read(pins, warehouse, STATE) == 2
    pins.done(VIEW, STATE)
    warehouse.version = 3
    assert _read(pins, warehouse, STATE) == 3
    warehouse.version = 4
    assert _read(pins, warehouse, STATE) == 3
    assert warehouse.asked == {"v__ivm": 6}
