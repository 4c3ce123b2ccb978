"""SQL functions are expanded as Spark does it; others must be listed in
`deterministic_functions`."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Function, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.plan.reading import lay_out, read
from dbt.adapters.ivm_spark.plan.relations import catalog_of
from dbt.adapters.ivm_spark.source.functions import function_from
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.parse import functions_called
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.layout import probe
from tests.unit.golden.shop import RELATIONS


def made(name: str, parameters: str, returns: str, body: str, **said: str) -> Function:
    """A function in the form of DESCRIBE FUNCTION EXTENDED."""
    usage = {
        "sqlFunction.inputParam": parameters,
        "sqlFunction.returnType": returns,
        "sqlFunction.expression": body,
        "sqlFunction.deterministic": "true",
        "sqlFunction.isTableFunc": "false",
        "catalogAndNamespace.numParts": "2",
        "catalogAndNamespace.part.0": "spark_catalog",
        "catalogAndNamespace.part.1": "shop",
        "sqlConfig.spark.sql.ansi.enabled": "true",
        "referredTempViewNames": "[]",
    } | {f"sqlFunction.{key}": value for key, value in said.items()}
    lines = [f"Function: {name}", "Class: sqlFunction.", f"Usage: {json.dumps(usage)}"]
    return function_from(name, [{"function_desc": line} for line in lines])


TAX = made("spark_catalog.shop.tax", "net DECIMAL(10,2), rate DOUBLE DEFAULT 0.1", "DOUBLE",
           "net + net * rate")  # fmt: skip
LABEL = made("spark_catalog.shop.label", "x INT", "STRING", "concat('#', shop.tax(x, 1))")
DEEP = made("spark_catalog.shop.deep", "p STRUCT<a: INT>, xs ARRAY<INT>", "INT",
            "aggregate(xs, 0, (acc, x) -> acc + x + p.a + deep.p.a)")  # fmt: skip
NET = made("spark_catalog.shop.net", "x INT", "DOUBLE", "shop.tax(shop.tax(x, 2), 3)")
FUNCTIONS = {
    "`net`": NET,
    "`shop`.`tax`": TAX,
    "`tax`": TAX,
    "`spark_catalog`.`shop`.`tax`": TAX,
    "`label`": LABEL,
    "`deep`": DEEP,
    "`dice`": made("dice", "x INT", "DOUBLE", "rand() + x", deterministic="false"),
    "`open`": made("open", "x INT", "INT", "x + y"),
    "`java`": Function("shop.java"),
    "`session_f`": Function("session_f"),
}


def catalog(**more: object) -> Catalog:
    found = Catalog({relation_key(r.name): r for r in RELATIONS}, ("shop",), dict(FUNCTIONS))
    return replace(found, **more)  # type: ignore[arg-type]


def written(item: str) -> str:
    view = build_view(f"select {item} as x from orders", catalog())
    return to_sql(render(view.written, bind_plain)).split(" AS `x` ")[0].removeprefix("SELECT ")


@pytest.mark.parametrize(
    ("call", "expression"),
    [
        (
            "tax(amount, 0.5)",
            "CAST((CAST(`orders`.`amount` AS DECIMAL(10, 2)) + CAST(`orders`.`amount` AS "
            "DECIMAL(10, 2)) * CAST(0.5 AS DOUBLE)) AS DOUBLE)",
        ),
        (
            "spark_catalog.shop.tax(1)",
            "CAST((CAST(1 AS DECIMAL(10, 2)) + CAST(1 AS DECIMAL(10, 2)) * CAST(0.1 AS DOUBLE)) "
            "AS DOUBLE)",
        ),
        (
            "Label(order_id)",
            "CAST((concat('#', CAST((CAST(CAST(`orders`.`order_id` AS INT) AS DECIMAL(10, 2)) + "
            "CAST(CAST(`orders`.`order_id` AS INT) AS DECIMAL(10, 2)) * CAST(1 AS DOUBLE)) AS "
            "DOUBLE))) AS STRING)",
        ),
    ],
)
def test_a_call_is_its_body_with_casts(call: str, expression: str) -> None:
    assert written(call) == expression


def test_an_argument_may_have_its_parameters_name() -> None:
    assert written("tax(Rate => 0.5, net => amount)") == written("tax(amount, 0.5)")
    assert written("tax(net => amount)") == written("tax(amount)")


def test_a_call_in_an_argument_is_expanded_too() -> None:
    assert written("tax(tax(amount))").count("CAST(0.1 AS DOUBLE)") == 3


def test_a_body_that_is_nothing_but_a_call_is_expanded() -> None:
    found = written("net(order_id)")
    assert "tax" not in found
    assert found.count("* CAST") == 3, "the inner one stands twice in the outer body"


def test_a_field_of_a_parameter_and_the_functions_own_name() -> None:
    found = written("deep(named_struct('a', customer_id), array(1))")
    assert found.count("`customer_id`") == 2
    assert "deep" not in found


@pytest.mark.parametrize(
    ("item", "code", "detail"),
    [
        ("dice(1)", ReasonCode.EXPRESSION_NOT_DETERMINISTIC, "dice()"),
        ("open(1)", ReasonCode.QUERY_NOT_UNDERSTOOD, "the body of open()"),
        ("tax()", ReasonCode.QUERY_NOT_UNDERSTOOD, "the arguments of spark_catalog.shop.tax()"),
        ("tax(1, net => 2)", ReasonCode.QUERY_NOT_UNDERSTOOD, "the arguments of"),
        ("tax(1, other => 2)", ReasonCode.QUERY_NOT_UNDERSTOOD, "the arguments of"),
        ("tax(rate => 2)", ReasonCode.QUERY_NOT_UNDERSTOOD, "the arguments of"),
        ("tax((select 1))", ReasonCode.OPERATOR_NOT_SUPPORTED, "a query as an argument"),
        ("transform(array(1), a -> tax(a))", ReasonCode.OPERATOR_NOT_SUPPORTED, "in a lambda"),
        ("java(1)", ReasonCode.OPERATOR_NOT_SUPPORTED, "not Spark's own"),
        ("shop.upper(note)", ReasonCode.OPERATOR_NOT_SUPPORTED, "`shop`.upper"),
        ("unknown(1)", ReasonCode.OPERATOR_NOT_SUPPORTED, "unknown(), a function"),
    ],
)
def test_other_calls_are_refused(item: str, code: ReasonCode, detail: str) -> None:
    with pytest.raises(NotMaintained) as error:
        written(item)
    assert error.value.reason.code is code
    assert detail in error.value.reason.detail


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"isTableFunc": "true"}, "a table function"),
        ({"returnType": "NO TYPE AT ALL"}, "whose types can't be read"),
        ({"inputParam": "x"}, "whose types can't be read"),
    ],
)
def test_a_function_that_cant_be_expanded_says_why(said: dict[str, str], reason: str) -> None:
    assert made("f", "x INT", "INT", "x", **said).unsupported == reason


def test_what_spark_says_of_another_function_is_not_its_body() -> None:
    rows = [{"function_desc": line} for line in ("Function: s.f", "Class: com.F", "Usage: {}")]
    assert function_from("`f`", rows) == Function("s.f")


@pytest.mark.parametrize("trusted", ["java", "JAVA"])
def test_a_function_listed_as_deterministic_is_maintained(trusted: str) -> None:
    sql = "select customer_id, max(java(order_id)) as x from orders group by 1"
    found = read(sql, catalog(trusted=frozenset({trusted.lower()})), {})
    assert found.unsupported_reason is None
    assert found.repeatable
    without = read(sql, catalog(), {})
    assert without.unsupported_reason is not None
    assert without.fingerprint != found.fingerprint


def test_a_function_is_part_of_the_fingerprint() -> None:
    def fingerprint(sql: str, tax: Function) -> str:
        return read(sql, catalog(functions=FUNCTIONS | {"`tax`": tax}), {}).fingerprint

    other = replace(TAX, body="net")
    for sql in (
        "select tax(amount) as x from orders",
        "select tax(amount) + rand() as x from orders",
    ):
        assert fingerprint(sql, TAX) == fingerprint(sql, replace(TAX))
        assert fingerprint(sql, TAX) != fingerprint(sql, other)


def test_a_function_of_other_settings_is_not_read() -> None:
    ansi = ("spark.sql.ansi.enabled", "true")
    other = FUNCTIONS | {"`tax`": replace(TAX, settings=(ansi,))}
    for value, passes in (("true", True), ("false", False)):
        found = read("select tax(1) as x from orders", catalog(functions=other), {ansi[0]: value})
        assert (found.unsupported_reason is None) is passes


def test_a_view_cant_call_a_temporary_function() -> None:
    """It stands above the stored rows; below them a refresh calls it."""
    trusting = catalog(trusted=frozenset({"session_f", "java"}))

    def laid_out(item: str) -> None:
        view = build_view(f"select customer_id, {item} as x from orders group by 1", trusting)
        types = dict.fromkeys(probe(view.root).columns, "bigint")
        lay_out(view, types, "`s`")

    laid_out("max(session_f(order_id))")
    laid_out("java(max(order_id))")
    with pytest.raises(NotMaintained, match="a temporary function"):
        laid_out("session_f(max(order_id))")


def test_only_unknown_functions_are_described() -> None:
    asked: list[str] = []

    def describe(name: str) -> Function:
        asked.append(name)
        return FUNCTIONS.get(name, Function(name))

    relations = catalog().relations

    def names(sql: str) -> list[str]:
        asked.clear()
        catalog_of(sql, lambda name: relations[relation_key(name)], describe)
        return asked

    assert names("select upper(note), sum(amount) over (partition by 1) from shop.orders") == []
    assert names("select Label(1), label(2), shop.upper(note) from shop.orders") == [
        "`label`",
        "`shop`.`tax`",
        "`shop`.`upper`",
    ]
    assert functions_called("select f(1) from (select g(2)) where exists (select h(3))") == (
        ("f",),
        ("g",),
        ("h",),
    )
