"""Generators: the names of their columns, and the places where they may stand."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG
from tests.unit.sql.refused import check_refused

_T = Relation(
    "`shop`.`t`",
    RelationKind.DELTA,
    (
        *(("id", "int"), ("xs", "array<int>"), ("xss", "array<array<int>>")),
        *(("m", "map<string,int>"), ("s", "struct<a:array<int>,n:int>")),
        *(("rows", "array<struct<A:int,b:string>>"), ("text", "string")),
    ),
)
_CATALOG = Catalog({**CATALOG.relations, relation_key(_T.name): _T}, ("shop",))


def _sql(query: str) -> str:
    return to_sql(render(build_view(query, _CATALOG).written, bind_plain))


@pytest.mark.parametrize(
    ("call", "columns"),
    [
        ("explode(xs)", "col"),
        ("explode(t.xs)", "col"),
        ("explode_outer(m)", "key, value"),
        ("posexplode(xs)", "pos, col"),
        ("posexplode(m)", "pos, key, value"),
        ("inline(rows)", "A, b"),
        ("inline(array(struct(id as k, text v)))", "k, v"),
        ("json_tuple(text, 'a', 'b')", "c0, c1"),
        ("stack(2, id, text, 3)", "col0, col1"),
        ("explode(s.a)", "col"),
        ("explode(xss[0])", "col"),
        ("explode(split(text, ','))", "col"),
        ("explode(map_filter(m, (k, v) -> v > 1))", "key, value"),
        ("explode(from_json(text, 'map<string,int>'))", "key, value"),
        ("explode(cast(text as array<int>))", "col"),
        ("explode(coalesce(xs, array()))", "col"),
        ("explode(if(id > 1, xs, null))", "col"),
        ("explode(case when id > 1 then m end)", "key, value"),
    ],
)
def test_columns_without_names(call: str, columns: str) -> None:
    named = _sql(f"select id, {columns} from t lateral view {call} g as {columns}")
    assert _sql(f"select id, {columns} from t lateral view {call} g") == named
    assert _sql(f"select id, {columns} from t, lateral {call} g") == named
    if "inline" not in call:  # its fields are in no order that an alias would keep
        assert _sql(f"select id, {call} from t") == _sql(f"select id, {call} as ({columns}) from t")


@pytest.mark.parametrize(
    "rows",
    [
        "(select id, xs as ys from t)",
        "(select * from (select *, xs as ys from t))",
        "(select id, xs from t union all select id, xs from t) q (id, ys)",
        "(with c as (select id, xs ys from t) select * from c)",
        "(select id, collect_list(id) as ys from t group by id)",
        "(select id, y as ys from t lateral view explode(xss) g as y)",
        "(select a.id, b.xs as ys from t a join t b on a.id = b.id)",
    ],
)
def test_the_type_of_an_argument_is_found_in_the_input(rows: str) -> None:
    named = _sql(f"select id, col from {rows} lateral view explode(ys) l as col")
    assert _sql(f"select id, col from {rows} lateral view explode(ys) l") == named


def test_a_generator_over_another() -> None:
    named = "select id, b.col from t lateral view explode(xss) a as col lateral view explode"
    assert _sql(f"{named.replace(' as col', '')}(a.col) b") == _sql(f"{named}(a.col) b as col")


def test_as_may_be_missing_before_the_names() -> None:
    assert _sql("select p, x from t lateral view posexplode(xs) g p, x") == _sql(
        "select p, x from t lateral view posexplode(xs) g as p, x"
    )


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("select id, x from t, lateral explode(xs) as g(x)",
         "select id, x from t lateral view explode(xs) g as x"),
        ("select id, x, y from t cross join lateral explode(xs) g(x), lateral explode(xs) h(y)",
         "select id, x, y from t lateral view explode(xs) g as x lateral view explode(xs) h as y"),
    ],
)  # fmt: skip
def test_a_generator_is_a_lateral_view(query: str, meant: str) -> None:
    assert _sql(query) == _sql(meant)


def test_a_generator_over_aggregates_has_the_groups_below() -> None:
    sql = _sql("select id, explode(array(max(text), 'x')) from t group by id")
    groups, _, generator = sql.partition("LATERAL VIEW")
    assert "max(`t`.`text`)" in groups
    assert "GROUP BY" in groups
    assert "max" not in generator


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("select *, explode(xs) as x from (select id, xs from t)", ["id", "xs", "x"]),
        ("select posexplode(xs), *, 1 as one from (select id, xs from t) where id > 1",
         ["pos", "col", "id", "xs", "one"]),
        ("select explode(g.y) as z, * from (select id, xss from t) lateral view explode(xss) g y",
         ["z", "id", "xss", "y"]),
    ],
)  # fmt: skip
def test_a_star_has_no_column_of_the_generator_beside_it(query: str, columns: list[str]) -> None:
    written = build_view(query, _CATALOG).written.columns
    assert [name.rstrip("_23") for name in written] == columns


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("select id, col from t lateral view explode(aggregate(xs, xs, (a, x) -> a)) g",
         "name the columns"),
        ("select id, explode(try_variant_get(text, '$', 'array<int>')) from t", "name the columns"),
        ("select id, stack(id, 1, 2) from t", "name the columns"),
        ("select id, explode(xs) + 1 from t", "explode() in a select list"),
        ("select id, x from t left join lateral explode(xs) g(x) on true", "table function"),
        ("select id, x from t join lateral explode(xs) g(x) on x > id", "table function"),
        ("select *, explode(array(max(id))) from t group by id", "beside a star"),
    ],
)  # fmt: skip
def test_refused(query: str, names: str) -> None:
    check_refused(query, "OPERATOR_NOT_SUPPORTED", names, _CATALOG)
