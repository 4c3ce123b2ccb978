"""Names of relations in Spark's own catalog and in others."""

from __future__ import annotations

import pytest
from jinja2 import Undefined

from dbt.adapters.ivm_spark.session.relation import IvmSparkRelation


@pytest.mark.parametrize("database", [None, "", "s", "spark_catalog", Undefined()])
def test_a_relation_of_sparks_own_catalog_has_two_parts(database: str | None) -> None:
    relation = IvmSparkRelation.create(database=database, schema="s", identifier="t")
    assert relation.render() == "s.t"
    assert relation.full_name == "`s`.`t`"


def test_a_relation_of_another_catalog_has_three() -> None:
    relation = IvmSparkRelation.create(database="lake", schema="s", identifier="t")
    assert relation.render() == "lake.s.t"
    assert relation.full_name == "`lake`.`s`.`t`"
    assert relation.incorporate(type="table").render() == "lake.s.t"
    assert relation.include(database=False, schema=False).render() == "t"


def test_every_part_is_quoted() -> None:
    relation = IvmSparkRelation.create(database="my lake", schema="a.b", identifier="c`d")
    assert relation.full_name == "`my lake`.`a.b`.`c``d`"
