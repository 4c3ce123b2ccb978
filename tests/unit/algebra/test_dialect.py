"""Expressions are parsed by the precedence of Spark's grammar."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a | b & c ^ d", "a | ((b & c) ^ d)"),
        ("a & b << 1 + 2", "a & (b << (1 + 2))"),
        ("a << b >> c >>> d", "((a << b) >> c) >>> d"),
        ("a || b + c * d", "(a || b) + (c * d)"),
        ("a - b + c - d", "((a - b) + c) - d"),
        ("a * b div c % d / e", "(((a * b) div c) % d) / e"),
        ("- a % b", "(- a) % b"),
        ("~ a + b", "(~ a) + b"),
        ("- a :: string", "- (a :: string)"),
        ("a & 1 = 0", "(a & 1) = 0"),
        ("a | b < c ^ d", "(a | b) < (c ^ d)"),
        ("a = b < c <=> d", "((a = b) < c) <=> d"),
        ("a = b is null", "(a = b) is null"),
        ("a = b in (c)", "(a = b) in (c)"),
        ("a < b between c and d", "(a < b) between c and d"),
        ("a || b not like c || d", "(a || b) not like (c || d)"),
        ("a | b between c & d and e ^ f", "(a | b) between (c & d) and (e ^ f)"),
        ("a is not distinct from b | c", "a is not distinct from (b | c)"),
        ("not a = b and c", "(not (a = b)) and c"),
        ("! a or b and not c in (d)", "(! a) or (b and (not (c in (d))))"),
        ("a || b collate x", "a || (b collate x)"),
        ("- a collate x", "- (a collate x)"),
    ],
)
def test_precedence(text: str, meant: str) -> None:
    assert _bare(text) == _bare(meant)


@pytest.mark.parametrize("operator", ["|", "^", "&", "<<", ">>", ">>>", "||", "-", "/", "<", "<=>"])
def test_equal_operators_are_taken_from_the_left(operator: str) -> None:
    text = f"a {operator} b {operator} c"
    assert _bare(text) == _bare(f"(a {operator} b) {operator} c")
    assert _bare(text) != _bare(f"a {operator} (b {operator} c)")


def _bare(text: str) -> exp.Expr:
    """The tree of an expression without its parentheses."""
    tree = sqlglot.parse_one(f"select {text}", dialect=IvmSpark)
    for around in list(tree.find_all(exp.Paren)):
        around.replace(around.this)
    return tree


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("r'bun'", exp.RawString),
        ('R"bun"', exp.RawString),
        ("X'CAFE'", exp.HexString),
        ("x'1f'", exp.HexString),
        ("array(a, b)[0]", exp.Bracket),
        ("array('x')[a - 1]", exp.Bracket),
        ("list[1]", exp.Bracket),
    ],
)
def test_a_literal_is_no_name_and_an_element_no_array(text: str, kind: type[exp.Expr]) -> None:
    query = sqlglot.parse_one(f"select {text} as x from t where {text} = a", dialect=IvmSpark)
    assert isinstance(query.selects[0].unalias(), kind)


@pytest.mark.parametrize("rows", ["1, 2, 3", "(1), (2), (3)", "1, (2), 3"])
@pytest.mark.parametrize("named", ["as t(x)", "t(x)", "as t (x)"])
def test_rows_of_one_value_need_no_parentheses(rows: str, named: str) -> None:
    query = sqlglot.parse_one(f"select x from values {rows} {named}", dialect=IvmSpark)
    values = query.find(exp.Values)
    assert values is not None
    assert values.alias == "t"
    assert [c.name for c in values.args["alias"].columns] == ["x"]
    assert [len(row.expressions) for row in values.expressions] == [1, 1, 1]
    assert query.find(exp.Alias) is None
