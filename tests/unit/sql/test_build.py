"""Reading queries: what is understood, and what is refused with which reason."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import dialect_name, to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Scan
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.plan.reading import read
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.parse import parse
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from tests.unit.golden.shop import CATALOG, RELATIONS
from tests.unit.sql.refused import check_refused


def _sql(query: str, catalog: Catalog = CATALOG) -> str:
    return to_sql(render(build_view(query, catalog).root, bind_plain))


@pytest.mark.parametrize(
    "call",
    [
        "date_sub(ordered_on, 1)",
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY amount)",
        "instr(note, 'a')",
        "string_agg(note, ',')",
        "count_if(amount > 1)",
        "nvl(note, 'x')",
        "mod(order_id, 3)",
        "try_divide(amount, 2)",
    ],
)
def test_a_function_stays_what_the_user_called(call: str) -> None:
    name = call.split("(")[0]
    assert f"{name}(" in _sql(f"select {call} as x from shop.orders")


@pytest.mark.parametrize("name", ["Recent", "RECENT", "`reCent`"])
def test_a_cte_is_read_in_any_case(name: str) -> None:
    text = "with recent as (select order_id from orders) select {0}.order_id from {0}"
    assert _sql(text.format(name)) == _sql(text.format("recent"))


def test_outside_the_scope_of_a_cte_its_name_is_a_table() -> None:
    text = (
        "select o.order_id, c.n from orders as o join "
        "(with Orders as (select 1 as n) select n from Orders) as c on c.n = o.order_id"
    )
    assert "shop`.`orders`" in _sql(text)


def test_two_quotes_in_a_string_are_one() -> None:
    assert r"'it\'s'" in _sql("select order_id from orders where note = 'it''s'")


@pytest.mark.parametrize("key", ["'x'", "2.5", "true", "null", "'1'", "date'2024-01-01'"])
def test_a_constant_key_groups_nothing(key: str) -> None:
    rows = "count(*) as n from orders group by"
    assert _sql(f"select {key} as k, {rows} {key}, note") == _sql(f"select {key} as k, {rows} note")
    assert "GROUP BY" in _sql(f"select {rows} {key}")


@pytest.mark.parametrize(
    ("query", "code", "names"),
    [
        ("select rand() as r from orders", "EXPRESSION_NOT_DETERMINISTIC", "rand()"),
        ("select uuid() as r from orders", "EXPRESSION_NOT_DETERMINISTIC", "uuid()"),
        ("select sum(order_id) over (order by amount) as r from orders",
         "WINDOW_WITHOUT_PARTITION_BY", "OVER"),
        ("select order_id from orders tablesample (10 percent)",
         "OPERATOR_NOT_SUPPORTED", "sample"),
        ("select order_id from orders version as of 3", "OPERATOR_NOT_SUPPORTED", "version"),
        ("select count(*) as n from orders group by ()", "QUERY_NOT_UNDERSTOOD", "GROUP BY ()"),
        ("select customer_id, grouping(customer_id) as g from orders group by customer_id",
         "QUERY_NOT_UNDERSTOOD", "grouping()"),
        ("select note, grouping(note) as g from orders group by rollup (customer_id)",
         "QUERY_NOT_UNDERSTOOD", "not grouped by"),
        ("select grouping(note) as g from orders group by rollup (customer_id)",
         "QUERY_NOT_UNDERSTOOD", "grouping()"),
        ("select grouping_id(note, amount) as g from orders group by rollup (amount, note)",
         "QUERY_NOT_UNDERSTOOD", "grouping_id()"),
        ("select count(*) as n from orders group by customer_id grouping sets ((note), ())",
         "QUERY_NOT_UNDERSTOOD", "other keys"),
        ("select count(*) as n from orders group by rollup (1 + 1)",
         "OPERATOR_NOT_SUPPORTED", "a constant"),
        ("select count(*) as n from orders group by rollup (customer_id, 7)",
         "QUERY_NOT_UNDERSTOOD", "GROUP BY position 7"),
        ("select count(*) as n from orders group by cube (order_id, customer_id, ordered_on, note,"
         " amount, amount + 1, amount + 2, amount + 3, amount + 4)",
         "OPERATOR_NOT_SUPPORTED", "256 grouping sets"),
        ("select * from orders pivot (collect_list(amount) for note in ('a'))",
         "OPERATOR_NOT_SUPPORTED", "PIVOT of this aggregate"),
        ("select * from orders pivot (sum(distinct order_id) for note in ('a'))",
         "OPERATOR_NOT_SUPPORTED", "DISTINCT"),
        ("select * from (select amount, concat(note, 'x') as k from orders)"
         " pivot (sum(amount) for k in ('a'))", "OPERATOR_NOT_SUPPORTED", "of unknown type"),
        ("select * from (select order_id, amount + 1 as x, note from orders)"
         " pivot (max(x) as m, count(*) as n for note in ('a'))",
         "OPERATOR_NOT_SUPPORTED", "count() beside an aggregate"),
        ("select * from (select order_id, note from orders union all select 1, 2)"
         " pivot (sum(order_id) for note in ('a'))", "OPERATOR_NOT_SUPPORTED", "of unknown type"),
        ("select * from (select customer_id, note, name from orders join customers using"
         " (customer_id)) pivot (sum(name) as t, count(*) as n for note in ('a'))",
         "OPERATOR_NOT_SUPPORTED", "count() beside an aggregate"),
        ("select * from orders unpivot (note for kind in (order_id, customer_id))",
         "OPERATOR_NOT_SUPPORTED", "two columns of the same name"),
        ("select * from orders pivot (sum(amount) for amount in (1, 2))",
         "OPERATOR_NOT_SUPPORTED", "of unknown type"),
        ("select id from range(10)", "OPERATOR_NOT_SUPPORTED", "table function"),
        ("select nope from orders", "QUERY_NOT_UNDERSTOOD", "nope"),
        ("select from where", "QUERY_NOT_UNDERSTOOD", ""),
        ("delete from orders", "QUERY_NOT_UNDERSTOOD", "not one query"),
        ("with recursive r as (select 1 as n union all select n + 1 from r) select n from r",
         "OPERATOR_NOT_SUPPORTED", ""),
    ],
)  # fmt: skip
def test_refusals(query: str, code: str, names: str) -> None:
    check_refused(query, code, names)


def test_a_source_that_is_not_delta() -> None:
    csv = Relation("`shop`.`files`", RelationKind.OTHER, (("a", "int"),))
    catalog = Catalog({relation_key(csv.name): csv}, ("shop",))
    with pytest.raises(NotMaintained) as error:
        build_view("select a from files", catalog)
    assert error.value.reason.code is ReasonCode.INPUT_NOT_IN_DELTA
    assert "files" in error.value.reason.detail


def test_a_source_of_files() -> None:
    """The reason names a format that is not read exactly."""
    columns = (("a", "int"),)
    exact = Relation("`shop`.`exact`", RelationKind.FILES, columns, format="parquet")
    text = Relation("`shop`.`text`", RelationKind.FILES, columns, format="csv")
    catalog = Catalog({relation_key(r.name): r for r in (exact, text)}, ("shop",))
    assert build_view("select a from exact", catalog).sources == {exact.name: exact}
    with pytest.raises(NotMaintained) as error:
        build_view("select e.a from exact e join text t on e.a = t.a", catalog)
    assert error.value.reason.code is ReasonCode.INPUT_NOT_IN_DELTA
    assert error.value.reason.detail == "`shop`.`text`, csv"


def test_relations_that_the_catalog_lacks_are_named() -> None:
    parsed = parse("with o as (select * from other.t) select * from o join here", CATALOG)
    assert set(parsed.missing) == {"`other`.`t`", "`shop`.`here`"}


def test_a_cte_hides_a_table_of_its_name_but_not_inside_itself() -> None:
    sql = _sql("with orders as (select order_id from orders where amount > 1) select * from orders")
    assert sql.count("FROM `shop`.`orders`") == 1


def test_columns_that_are_not_used_are_not_read() -> None:
    sql = _sql("select d.order_id from (select * from orders) d")
    assert "note" not in sql


def test_names_with_spaces_and_quotes_are_quoted() -> None:
    odd = Relation("`shop`.`od``d t`", RelationKind.DELTA, (("a b", "int"), ("select", "int")))
    catalog = Catalog({relation_key(odd.name): odd}, ("shop",))
    sql = _sql("select `a b`, `select` from `od``d t`", catalog)
    assert "`a b`" in sql
    assert "FROM `shop`.`od``d t`" in sql


def test_case_sensitive_names() -> None:
    both = Relation("`shop`.`t`", RelationKind.DELTA, (("a", "int"), ("A", "int")))
    catalog = Catalog({relation_key(both.name): both}, ("shop",))
    root = build_view("select a, A as b from t", catalog, dialect_name(True)).root
    sql = to_sql(render(root, bind_plain))
    assert "`t`.`a`" in sql
    assert "`t`.`A`" in sql


QUERY = "select customer_id, sum(amount) as revenue from shop.orders group by customer_id"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (QUERY.replace("sum(", "SUM(").replace("group by", "GROUP BY"), True),
        (f"-- a comment\n{QUERY.replace(' from', chr(10) + '  FROM')}", True),
        (QUERY.replace("sum(", "max("), False),
        (QUERY.replace("as revenue", "as turnover"), False),
        (QUERY.replace("as revenue", "as Revenue"), False),
        (QUERY + " having count(*) > 1", False),
    ],
)  # fmt: skip
def test_fingerprints(other: str, same: bool) -> None:
    settings = {"spark.sql.ansi.enabled": "false"}
    before = read(QUERY, CATALOG, settings).fingerprint
    assert (read(other, CATALOG, settings).fingerprint == before) is same


def test_a_fingerprint_knows_used_columns_and_settings_only() -> None:
    settings = {"spark.sql.ansi.enabled": "false"}
    before = read(QUERY, CATALOG, settings).fingerprint.split("-")
    orders = RELATIONS[0]
    unused = _with_type(orders, "note", "int")
    used = _with_type(orders, "amount", "decimal(14,2)")
    assert read(QUERY, unused, settings).fingerprint.split("-") == before
    changed = read(QUERY, used, settings).fingerprint.split("-")
    assert [a == b for a, b in zip(before, changed, strict=True)] == [True, False, True]
    ansi = read(QUERY, CATALOG, {"spark.sql.ansi.enabled": "true"}).fingerprint.split("-")
    assert [a == b for a, b in zip(before, ansi, strict=True)] == [True, True, False]


def test_a_changed_view_changes_the_fingerprint_of_an_unmaintained_query() -> None:
    def found(text: str) -> str:
        columns = (("order_id", "bigint"),)
        view = Relation("`shop`.`few`", RelationKind.VIEW, columns, text, ("shop",))
        catalog = Catalog({**CATALOG.relations, relation_key(view.name): view}, ("shop",))
        query = "select order_id, row_number() over (order by order_id) as n from few"
        reading = read(query, catalog, {})
        assert reading.unsupported_reason is not None
        return reading.fingerprint

    few = "select order_id from orders where order_id < 5"
    assert found(few) == found(few)
    assert found(few) != found(few.replace("5", "6"))


def _with_type(relation: Relation, column: str, kind: str) -> Catalog:
    columns = tuple((n, kind if n == column else k) for n, k in relation.columns)
    changed = Relation(relation.name, relation.kind, columns)
    return Catalog({**CATALOG.relations, relation_key(relation.name): changed}, ("shop",))


def test_having_aggregates_the_column_of_the_input_not_the_output_of_its_name() -> None:
    grouped = "select customer_id, sum(amount) as amount from orders group by customer_id"
    assert _sql(f"{grouped} having sum(amount) > 1") == _sql(f"{grouped} having amount > 1")


def test_an_order_that_is_random_is_refused() -> None:
    with pytest.raises(NotMaintained) as error:
        build_view("select order_id from orders order by rand() limit 3", CATALOG)
    assert error.value.reason.code is ReasonCode.EXPRESSION_NOT_DETERMINISTIC


def test_an_expression_that_replaces_a_column_gets_parentheses() -> None:
    sql = _sql("select x * 2 as y from (select order_id + 1 as x from orders) q where x * 3 > 2")
    assert "(`orders`.`order_id` + 1) * 2" in sql
    assert "(`orders`.`order_id` + 1) * 3 > 2" in sql


@pytest.mark.parametrize(
    "query",
    [
        "select 1 as one",
        "select customer_id from customers where exists (select 1 where segment = 'a')",
        "select explode(sequence(date'2024-01-01', date'2024-12-31')) as day",
        "with days as (select explode(sequence(1, 9)) as d) "
        "select d, lead(d) over (order by d) as next from days where d > 2",
        "with two as (select 0 as n union all select 1), "
        "numbers as (select a.n + 2 * b.n as n from two a cross join two b where a.n < 9), "
        "numbered as (select row_number() over (order by 1) as k from numbers) "
        "select k, count(order_id) as n from numbered left join orders on k = order_id group by k",
    ],
)
def test_rows_without_a_source_are_constants(query: str) -> None:
    """They may have windows over all rows, and change with no source."""
    view = build_view(query, CATALOG)
    calendars = [n for n in walk(view.root) if not any(isinstance(b, Scan) for b in walk(n))]
    assert calendars
    assert all(delta(node, Context(frozenset(view.sources))) is None for node in calendars)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("select order_id from orders join (values (1, 'it''s')) v(k, x) on k = order_id", "it"),
        ("select order_id from orders join (values (1 + 1)) v(k) on k = order_id", "1 + 1"),
        ("select order_id, v.k + 1 as x from orders join (values (1)) v(k) on k = order_id",
         "an expression over VALUES"),
        ("select order_id from orders, (values (1)) v(k) where k + 1 = 2",
         "an expression over VALUES"),
        ("select order_id from orders union all select customer_id from orders order by rand()",
         "rand()"),
    ],
)  # fmt: skip
def test_constant_rows_that_are_refused(query: str, names: str) -> None:
    with pytest.raises(NotMaintained) as error:
        build_view(query, CATALOG)
    assert names in str(error.value)


@pytest.mark.parametrize(("beside", "null"), [("max(order_id)", True), ("max(note)", False)])
def test_a_pivoted_count_of_no_rows_is_null_only_if_spark_buffers_it(
    beside: str, null: bool
) -> None:
    source = "(select customer_id, order_id, note, ordered_on from orders)"
    values = "ordered_on in ('2026-01-01' as d)"
    sql = _sql(f"select * from {source} pivot ({beside} as m, count(*) as n for {values})")
    assert ("__ivm_rows_of_d_n" in sql) is null


def test_a_pivot_by_a_cast_is_by_its_type() -> None:
    source = "(select order_id, cast(amount + 1 as string) as k from orders)"
    sql = _sql(f"select * from {source} pivot (sum(order_id) for k in ('a', 'b'))")
    assert "AS STRING) IS NOT DISTINCT FROM CAST('b' AS STRING)" in sql


@pytest.mark.parametrize(
    ("items", "value"),
    [
        (
            "named_struct('p', order_id) as s, s.p as x",
            "named_struct('p', `orders`.`order_id`).`p`",
        ),
        (
            "struct(order_id as p) as S, upper(s.p) as x",
            "upper(named_struct('p', `orders`.`order_id`).`p`)",
        ),
        ("named_struct('p', named_struct('q', note)) as s, s.p.q as x", ".`p`.`q` AS `x`"),
        ("max(named_struct('p', amount)) as m, m.p as x", "`m`.`p` AS `x`"),
    ],
)
def test_an_alias_beside_its_definition_has_fields(items: str, value: str) -> None:
    assert value in _sql(f"select {items} from orders")


def test_a_relation_comes_before_an_alias_of_its_name() -> None:
    found = _sql("select named_struct('note', 1) as o, o.note as x from orders o")
    assert "`o`.`note` AS `x`" in found


def test_a_cte_may_be_called_as_the_adapter_numbers_tables() -> None:
    text = "with {0} as (select order_id from orders), {1} as (select customer_id from customers) "
    text += "select {0}.order_id from {0} join {1} on {0}.order_id = {1}.customer_id"
    assert _sql(text.format("t1", "t0")) == _sql(text.format("x", "y"))


def test_a_schema_comes_before_an_alias_of_its_name() -> None:
    found = _sql("select 1 as shop, shop.orders.note from shop.orders")
    assert "`orders`.`note`" in found
