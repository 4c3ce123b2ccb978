"""Queries that are large, deep, or written to confuse: a tree or a reason, in bounded time."""

from __future__ import annotations

from time import perf_counter

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import is_empty, to_sql, without_end
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import UnionAll
from dbt.adapters.ivm_spark.plan.reading import (
    FAR_OPERATORS,
    MAX_OPERATORS,
    lay_out,
    read,
)
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.parse import MAX_TABLES
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.layout import probe
from tests.functional.ivm import hostile
from tests.unit.golden.shop import CATALOG, RELATIONS

FACTS = Relation("`shop`.`facts`", RelationKind.DELTA, (("k", "string"), ("v", "bigint")))
DIMS = Relation("`shop`.`dims`", RelationKind.DELTA, (("k", "string"), ("label", "string")))
SHOP = Catalog({relation_key(r.name): r for r in (*RELATIONS, FACTS, DIMS)}, ("shop",))
SECONDS = 60
"""What no query may take here; each takes a tenth, and took minutes or a crash without bounds."""


def said(query: str, most: int = MAX_OPERATORS) -> Reason | None:
    """Why a query is not maintained, None where it is; nothing else may be raised."""
    started = perf_counter()
    try:
        reading = read(query.replace("@", ""), SHOP, {})
        if reading.view is None:
            return reading.unsupported_reason
        types = {c: "bigint" if c.startswith("v") else "string" for c in _columns(reading.view)}
        lay_out(reading.view, types, "`shop`.`v__ivm`", most=most)
    except NotMaintained as error:
        return error.reason
    finally:
        assert perf_counter() - started < SECONDS
    return None


def _columns(view: object) -> tuple[str, ...]:
    return probe(view.root).columns  # type: ignore[attr-defined]


def _calls(name: str, depth: int) -> str:
    return f"select {f'{name}(' * depth}v{')' * depth} as v from facts"


def _exists(depth: int) -> str:
    query = "select 1 from facts as z where z.v = 1"
    for level in range(depth):
        query = f"select 1 from facts as f{level} where f{level}.v = 2 and exists ({query})"
    return query.replace("select 1", "select k", 1)


def _groups(depth: int) -> str:
    query = "select v, count(*) as n from facts group by v"
    for level in range(depth):
        query = f"select n as v, count(*) as n from ({query}) as q{level} group by n"
    return query


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(hostile.parentheses(20), id="20 parentheses"),
        pytest.param(hostile.subqueries(20), id="20 subqueries"),
        pytest.param(hostile.cases(20), id="20 cases"),
        pytest.param(hostile.ctes(60), id="60 ctes"),
        pytest.param(hostile.doubled(5), id="5 doubled ctes"),
        pytest.param(hostile.unions(100), id="100 branches"),
        pytest.param(hostile.columns(500), id="500 columns"),
        pytest.param(hostile.conditions(100), id="100 conditions"),
        pytest.param(hostile.PLAIN + " where v in (" + ", ".join("1" * 3000) + ")", id="in 3000"),
        pytest.param(" or ".join([f"{hostile.PLAIN} where v = 1", *["v = 2"] * 500]), id="500 or"),
        pytest.param(_calls("abs", 20), id="20 calls"),
        pytest.param("select " + "- " * 30 + "v as v from facts", id="30 minuses"),
        pytest.param("select k from facts where " + "not " * 30 + "v = 1", id="30 nots"),
        pytest.param(f"select {' || '.join(['k'] * 200)} as v from facts", id="200 concatenated"),
        pytest.param(_exists(5), id="5 exists"),
        pytest.param(_groups(8), id="8 groups of groups"),
        pytest.param(hostile.unions(600), id="600 branches"),
        pytest.param(hostile.joins(40), id="40 tables"),
    ],
)
def test_a_long_or_moderately_deep_query_is_maintained(query: str) -> None:
    assert said(query) is None


@pytest.mark.parametrize(
    ("query", "says"),
    [
        pytest.param(hostile.parentheses(1000), "nested too deep", id="1000 parentheses"),
        pytest.param(hostile.subqueries(300), "nested too deep", id="300 subqueries"),
        pytest.param(hostile.cases(300), "nested too deep", id="300 cases"),
        pytest.param(hostile.ctes(400), "nested too deep", id="400 ctes"),
        pytest.param(_calls("abs", 300), "nested too deep", id="300 calls"),
        pytest.param(_calls("array", 300), "nested too deep", id="300 arrays"),
        pytest.param(
            "select " + "- " * 2000 + "v as v from facts", "nested too deep", id="2000 minuses"
        ),
        pytest.param(
            "select k from facts where " + "not " * 2000 + "v = 1",
            "nested too deep",
            id="2000 nots",
        ),
        pytest.param(
            f"select {' + '.join(['v'] * 2000)} as v from facts",
            "nested too deep",
            id="sum of 2000",
        ),
        pytest.param(_exists(60), "", id="60 exists"),
        pytest.param(_groups(60), "", id="60 groups of groups"),
        pytest.param(hostile.doubled(20), f"more than {MAX_TABLES} places", id="20 doubled ctes"),
        pytest.param(hostile.unions(600).replace(" all ", " "), "", id="600 branches of UNION"),
        pytest.param(hostile.joins(100), "nested too deep", id="100 tables"),
        pytest.param(
            hostile.joins(60).replace("left join", "join"),
            "more than 8000 operators",
            id="60 tables",
        ),
    ],
)
def test_a_query_that_is_too_deep_or_too_large_is_refused_with_a_reason(
    query: str, says: str
) -> None:
    reason = said(query)
    assert reason is not None
    assert reason.code.value == "OPERATOR_NOT_SUPPORTED"
    assert says in reason.detail


@pytest.mark.parametrize("levels", [10, 25])
def test_views_on_views_that_multiply(levels: int) -> None:
    """Each view joins the one below with itself; 2 to the power of 25 tables in all."""
    views = [
        Relation(
            f"`shop`.`v{n}`",
            RelationKind.VIEW,
            (("k", "string"),),
            f"select a.k from v{n - 1} as a join v{n - 1} as b on a.k = b.k",
            ("shop",),
            ("k",),
        )
        for n in range(1, levels + 1)
    ]
    base = Relation("`shop`.`v0`", RelationKind.DELTA, (("k", "string"),))
    catalog = Catalog({relation_key(r.name): r for r in (base, *views)}, ("shop",))
    with pytest.raises(NotMaintained) as error:
        build_view(f"select k from v{levels}", catalog)
    assert f"more than {MAX_TABLES} places" in error.value.reason.detail


def test_a_chain_of_union_all_is_one_operator() -> None:
    view = build_view("select order_id from orders union all select customer_id from customers "
                      "union all select 1 order by 1", CATALOG)  # fmt: skip
    unions = [node for node in walk(view.written) if isinstance(node, UnionAll)]
    assert [len(union.inputs) for union in unions] == [3]


@pytest.mark.parametrize(
    "chain",
    ["select 1 as n from orders union {} select 2 union all select 3 from orders",
     "select 1 as n from orders union all (select 2 union {} select 3 from orders)",
     "(select 1 as n from orders union all select 2 limit 1) union {} select 3 from orders"],
)  # fmt: skip
def test_other_chains_keep_their_levels(chain: str) -> None:
    for word in ("all", ""):
        root = build_view(chain.format(word), CATALOG).written
        branches = [len(n.inputs) for n in walk(root) if isinstance(n, UnionAll)]
        assert max(branches) == (3 if word and not chain.startswith("(") and "all (" not in chain
                                 else 2)  # fmt: skip


@pytest.mark.parametrize("text", (*hostile.LITERALS, *hostile.LINES))
def test_a_literal_keeps_its_meaning_when_written_back(text: str) -> None:
    """What Spark makes of it is seen in tests/functional/ivm/test_hostile_input.py; here, that
    what is written back is read as the same, and nothing escapes from it."""
    query = f"select {text.replace('{{ ', '').replace(' }}', '')} as x, k from facts"
    written = _written(query)
    assert _written(written).lower() == written.lower()
    assert len(list(walk(build_view(written, SHOP).written))) < 5


def _written(query: str) -> str:
    return to_sql(render(build_view(query, SHOP).written, bind_plain))


@pytest.mark.parametrize(
    ("query", "variable"),
    [
        ("select k, '${spark.app.name}' as x from facts", "${spark.app.name}"),
        ('select k from facts where k = "${env:USER}"', "${env:USER}"),
        ("select k as `${x}` from facts", "${x}"),
        ("select k from facts where k like r'${hiveconf:a}%'", "${hiveconf:a}"),
    ],
)
def test_a_query_with_a_variable_of_spark_is_not_maintained(query: str, variable: str) -> None:
    reading = read(query, SHOP, {})
    assert reading.unsupported_reason is not None
    assert reading.unsupported_reason.code.value == "EXPRESSION_NOT_DETERMINISTIC"
    assert variable in reading.unsupported_reason.detail
    assert not reading.repeatable, "the setting may change while no source does"


@pytest.mark.parametrize("text", ["'$' || '{x}'", "'${}'", "'$5 {x}'", "'{x}'", "'${a b}'"])
def test_a_text_without_a_variable_is_a_literal(text: str) -> None:
    assert said(f"select k, {text} as v from facts") is None


def test_a_setting_in_a_comment_says_nothing() -> None:
    assert said("select k, v -- in ${currency}\nfrom facts") is None


@pytest.mark.parametrize("text", ["", " \n", "-- nothing", "/* select 1 */", "facts"])
def test_a_text_that_is_no_query(text: str) -> None:
    assert is_empty(text)


@pytest.mark.parametrize("text", ["select 1", "table facts", "select 'no end"])
def test_a_text_that_may_be_one(text: str) -> None:
    assert not is_empty(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("select 1", "select 1"),
        ("select 1;", "select 1"),
        ("select 1 ; ;; -- done;", "select 1 "),
        ("select ';' /* ; */", "select ';' /* ; */"),
        ("select 1; drop table t;", "select 1; drop table t"),
        ("select 'no end;", "select 'no end;"),
        ("", ""),
    ],
)
def test_a_statements_end(text: str, left: str) -> None:
    assert without_end(text) == left


def test_a_remote_spark_allows_fewer_operators() -> None:
    assert said(hostile.joins(40)) is None
    reason = said(hostile.joins(40), most=FAR_OPERATORS)
    assert reason is not None
    assert f"more than {FAR_OPERATORS} operators" in reason.detail
