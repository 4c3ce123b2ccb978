"""Stars, struct() and units are written out while a tree is built."""

from __future__ import annotations

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.closed import check_closed
from dbt.adapters.ivm_spark.algebra.columns import tree_expressions
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.tree import Item, Project, Scan
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain

COLUMNS = {
    "t": (("id", "int"), ("s", "string"), ("p", "struct<x:int,in:struct<y:int>>")),
    "u": (("id", "int"), ("month", "int"), ("day", "date")),
}
CATALOG = Catalog(
    {
        relation_key(f"`s`.`{name}`"): Relation(f"`s`.`{name}`", RelationKind.DELTA, columns)
        for name, columns in COLUMNS.items()
    },
    ("s",),
)


def view(query: str) -> View:
    return build_view(query, CATALOG)


def text(query: str) -> str:
    return to_sql(render(view(query).written, bind_plain)).replace("`", "")


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("select hash(*) as h from t", "hash(t.id, t.s, t.p) AS h"),
        ("select hash(a.*) as h from t a join u b on a.id = b.id", "hash(a.id, a.s, a.p) AS h"),
        ("select greatest(u.*) as h from u", "greatest(u.id, u.month, u.day) AS h"),
        ("select hash(* except (s, p)) as h from t", "hash(t.id) AS h"),
        ("select count(distinct *) as n from t", "count(DISTINCT t.id, t.s, t.p)"),
        ("select count(*) as n from t", "count(1)"),
        ("select id from t where hash(*) > 1", "WHERE hash(t.id, t.s, t.p) > 1"),
        ("select p.* from t", "t.p.x AS x, t.p.in AS in"),
        ("select t.p.in.* from t", "t.p.in.y AS y"),
        ("select hash(p.*) as h from t", "hash(t.p.x, t.p.in)"),
        ("select x from (select p.* from t)", "t.p.x AS x"),
        ("select hash(*) as h from (select id + 1 as k, s from t)", "hash(t.id + 1, t.s)"),
        (
            "select sum(id) over (partition by struct(*)) as n from u",
            "PARTITION BY named_struct('id', u.id, 'month', u.month, 'day', u.day)",
        ),
        ("select struct(ID, id + 1, p.x) as r from t",
         "named_struct('ID', t.id, 'col2', t.id + 1, 'x', t.p.x)"),
        ("select struct(a) as r from (select id as a from t)", "named_struct('a', t.id)"),
        ("select max((id, s)) as r from t", "max(named_struct('id', t.id, 's', t.s))"),
        ("select id from t where (id, s) in ((1, 'a'))", "(t.id, t.s) IN ((1, 'a'))"),
        ("select dateadd(month, month, day) as d from u", "dateadd(MONTH, u.month, u.day)"),
        ("select date_add(day, month) as d from u", "date_add(u.day, u.month)"),
        ("select timestampdiff(Day, day, day) as d from u", "timestampdiff(DAY, u.day, u.day)"),
        ("select transform(array(id), s -> s + id) as r from t",
         "__ivm_lambda_s -> __ivm_lambda_s + t.id"),
        ("select -1 as k, count(*) as n from t group by all", "-1 AS k"),
        ("select 1 as k, id, count(*) as n from t group by all", "GROUP BY t.id"),
    ],
)  # fmt: skip
def test_a_star_expands_to_its_columns(query: str, meant: str) -> None:
    assert meant in text(query)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("select hash(*) as h from t join u using (id)", "over JOIN USING"),
        ("select hash(s.*) as h from t", "fields are unknown"),
        ("select hash(v.*) as h from (select p as v from t union all select p from t)",
         "fields are unknown"),
        ("select to_json(arrays_zip(array(id))) as z from t", "names its fields by its arguments"),
        ("select (id, s).id as x from t", "a row as a value"),
        ("select _metadata.file_path as f from t", "_metadata"),
        ("select transform(array(id), x -> x + nobody) as r from t", "nobody"),
        ("select id from t order by id limit nobody", "nobody"),
    ],
)  # fmt: skip
def test_an_uncertain_star_is_refused(query: str, reason: str) -> None:
    with pytest.raises(NotMaintained, match=reason):
        view(query)


def test_no_tree_has_a_star() -> None:
    found = view("select hash(*) as h, count(*) as n, p.x from t group by hash(p.*), t.p, id, s")
    for tree in (found.written, found.root):
        assert not any(e.find(exp.Star) for e in tree_expressions(tree))


@pytest.mark.parametrize(
    "expression",
    [
        exp.column("other"),
        exp.column("a", table="t"),
        exp.Anonymous(this="hash", expressions=[exp.Star()]),
    ],
)
def test_a_tree_with_a_column_of_no_input_is_refused(expression: exp.Expr) -> None:
    scan = Scan("`s`.`t`", "t", (("a", "id"),))
    check_closed(Project(scan, (Item("b", exp.column("a")),)))
    with pytest.raises(NotMaintained):
        check_closed(Project(scan, (Item("b", expression),)))


TWICE = "select t.*, u.id, u.day from t join u on t.id = u.id"
"""It has two columns `id`."""


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        (f"select s, day from (select * from ({TWICE}) q)", "t.s u.day"),
        (f"with j as ({TWICE}), k as (select * from j) select k.s, day from k", "t.s u.day"),
        (f"select s, n from (select j.*, 1 as n from ({TWICE}) j)", "t.s 1"),
        (
            f"select s, u.day from (select * from ({TWICE}) q) x join u on x.day = u.day",
            "t.s u_2.day",
        ),
        ("select id_2 from (select * from (select id, id, month as id_2 from u) q)", "u.month"),
    ],
)
def test_a_star_over_two_columns_of_one_name_stands_for_both(query: str, columns: str) -> None:
    selected = text(query).split(" FROM ")[0].removeprefix("SELECT ")
    assert " ".join(item.split(" AS ")[0] for item in selected.split(", ")) == columns


def test_an_unknown_name_is_still_refused() -> None:
    with pytest.raises(NotMaintained, match="none"):
        view(f"select none from (select * from ({TWICE}) q)")
