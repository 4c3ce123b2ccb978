"""Two plans are equal only if they differ in nothing that can change a result."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan


def same_plan(explained: str, rewritten: str) -> bool:
    ours = normalized_plan(rewritten)
    return ours is not None and ours == normalized_plan(explained)


def _explain(*lines: str) -> str:
    plan = "\n".join(lines)
    return (
        "== Parsed Logical Plan ==\nx\n\n== Analyzed Logical Plan ==\nx\n\n"
        f"== Optimized Logical Plan ==\n{plan}\n\n== Physical Plan ==\nx\n"
    )


T, U = "Relation s.t[k#1,n#2] parquet", "Relation s.u[id#3,m#4] parquet"

USER = _explain(
    "Filter (isnotnull(sum(n)#30L) AND (sum(n)#30L > 3))",
    "+- Aggregate [k#11L], [k#11L, sum(n#12) AS sum(n)#30L]",
    "   +- Project [k#11L, n#12]",
    "      +- Join Inner, (k#11L = id#20L)",
    "         :- Filter ((n#12 > 1) AND isnotnull(k#11L))",
    "         :  +- Relation spark_catalog.s.t[k#11L,n#12] parquet",
    "         +- Relation spark_catalog.s.u[id#20L] parquet",
)
OURS = _explain(
    "Project [key#90L AS k#91L, total#92L AS s#93L]",
    "+- Filter ((total#92L > 3) AND isnotnull(total#92L))",
    "   +- Aggregate [k#51L], [k#51L AS key#90L, sum(n#52) AS total#92L]",
    "      +- Join Inner, (k#51L = id#60L), leftHint=(strategy=broadcast)",
    "         :- Filter (isnotnull(k#51L) AND (n#52 > 1))",
    "         :  +- Relation spark_catalog.s.t[k#51L,n#52] parquet",
    "         +- Relation spark_catalog.s.u[id#60L] parquet",
)


def test_names_ids_aliases_hints_and_the_order_of_conjuncts_do_not_count() -> None:
    assert same_plan(USER, OURS)


def test_a_conjunct_that_is_said_twice_is_one() -> None:
    again = "((total#92L > 3) AND isnotnull(total#92L)) AND (total#92L > 3)"
    assert same_plan(USER, OURS.replace("((total#92L > 3) AND isnotnull(total#92L))", f"({again})"))


@pytest.mark.parametrize("details", ["keys: [errorMessage], values: [{}]", "errorMessage, {}"])
def test_the_message_of_an_assertion_does_not_count(details: str) -> None:
    """Spark writes the condition into it, by the names that its columns have in the text."""

    def plan(condition: str, message: str) -> str:
        raised = f"raise_error(USER, map({details.format(message)}), NullType)"
        return _explain(
            f"Project [if ({condition}) null else {raised} AS a#2]",
            "+- Relation s.t[d#1] parquet",
        )

    ours = plan("isnotnull(d#1)", "'(NOT (t_d IS NULL))' is not true!")
    assert same_plan(plan("isnotnull(d#1)", "'(d IS NOT NULL)' is not true!"), ours)
    assert not same_plan(plan("isnull(d#1)", "'(d IS NOT NULL)' is not true!"), ours)
    assert not same_plan(plan("isnotnull(d#1)", "no date"), ours)


def test_an_operator_of_a_form_that_is_not_known_is_no_plan() -> None:
    cut = _explain("Expand [[k#1, n#2], ... 3 more fields]", "+- Relation s.t[k#1,n#2] parquet")
    assert normalized_plan(cut) is None


def test_a_plan_with_a_truncated_list_is_not_compared() -> None:
    """Spark's default truncates lists of more than 25; the rest of the list is not known."""
    cut = _explain("Project [k#1, ... 475 more fields]", "+- Relation s.t[k#1,n#2] parquet")
    assert normalized_plan(cut) is None


def test_any_number_of_conditions_is_read() -> None:
    conditions = [f"NOT (k#51L = {n})" for n in range(2000)]
    nested = "(" * 1999 + conditions[0] + "".join(f" AND {c})" for c in conditions[1:])
    plan = _explain(f"Filter {nested}", "+- Relation s.t[k#51L] parquet")
    other = _explain(f"Filter {nested.replace('1234', '9999')}", "+- Relation s.t[k#51L] parquet")
    assert normalized_plan(plan) is not None
    assert not same_plan(plan, other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(total#92L > 3)", "(total#92L > 4)"),
        ("(total#92L > 3) AND", "(total#92L > 3) OR"),
        ("sum(n#52)", "sum(k#51L)"),
        ("sum(n#52)", "max(n#52)"),
        ("Join Inner", "Join LeftOuter"),
        ("(k#51L = id#60L)", "(n#52 = id#60L)"),
        ("spark_catalog.s.u", "spark_catalog.s.w"),
        ("[key#90L AS k#91L, total#92L AS s#93L]", "[total#92L AS s#93L, key#90L AS k#91L]"),
        ("[key#90L AS k#91L, total#92L AS s#93L]", "[key#90L AS k#91L]"),
        ("Aggregate [k#51L]", "Aggregate [n#52]"),
    ],
)
def test_what_changes_a_result_counts(old: str, new: str) -> None:
    assert old in OURS
    assert not same_plan(USER, OURS.replace(old, new))


def test_the_columns_of_a_union_are_matched_by_place() -> None:
    def union(second: str) -> str:
        return _explain(
            "Union false, false",
            ":- Relation spark_catalog.s.t[a#1,b#2] parquet",
            f"+- Project [{second}]",
            "   +- Relation spark_catalog.s.u[a#3,b#4] parquet",
        )

    assert same_plan(union("a#3, b#4"), union("a#3 AS x#9, b#4"))
    assert not same_plan(union("a#3, b#4"), union("b#4, a#3"))


def test_a_query_that_does_not_analyse_has_no_plan() -> None:
    failed = "== Parsed Logical Plan ==\nx\n\n== Analyzed Logical Plan ==\nAnalysisException: x"
    assert normalized_plan(failed) is None
    assert not same_plan(failed, failed)


def _semi(kind: str, left: str, right: str) -> str:
    return _explain(
        f"Join {kind}, (k#1 = id#3)",
        *([f":- Filter {left}", ":  +- Relation spark_catalog.s.t[k#1,n#2] parquet"] if left else
          [":- Relation spark_catalog.s.t[k#1,n#2] parquet"]),
        *([f"+- Filter {right}", "   +- Relation spark_catalog.s.u[id#3] parquet"] if right else
          ["+- Relation spark_catalog.s.u[id#3] parquet"]),
    )  # fmt: skip


def test_isnotnull_on_the_keys_of_a_semi_join_does_not_count() -> None:
    written, inferred = "(n#2 > 1)", "((n#2 > 1) AND isnotnull(k#1))"
    assert same_plan(_semi("LeftSemi", written, ""), _semi("LeftSemi", inferred, "isnotnull(id#3)"))
    assert same_plan(_semi("LeftAnti", "", ""), _semi("LeftAnti", "", "isnotnull(id#3)"))


def test_other_filters_of_a_semi_join_count() -> None:
    assert not same_plan(_semi("LeftSemi", "", ""), _semi("LeftSemi", "isnotnull(n#2)", ""))
    assert not same_plan(_semi("LeftAnti", "", ""), _semi("LeftAnti", "isnotnull(k#1)", ""))


def _expand(values: str, outputs: str = "k#3, n#2, spark_grouping_id#4L") -> str:
    return _explain(
        "Aggregate [k#3, spark_grouping_id#4L], [k#3, sum(n#2) AS s#5L]",
        f"+- Expand [{values}], [{outputs}]",
        "   +- Relation spark_catalog.s.t[k#1,n#2] parquet",
    )


def test_grouping_sets_are_compared_by_the_columns_of_each_set() -> None:
    written = _expand("[k#1, n#2, 0], [null, n#2, 1]")
    reordered = _expand("[n#2, k#1, 0], [n#2, null, 1]", "n#2, year(k)#3, spark_grouping_id#4L")
    assert same_plan(written, reordered.replace("k#3", "year(k)#3"))
    assert not same_plan(written, _expand("[k#1, n#2, 0]"))
    assert not same_plan(written, _expand("[null, n#2, 1], [k#1, n#2, 0], [null, n#2, 1]"))
    assert not same_plan(written, _expand("[k#1, n#2, 0], [null, k#1, 1]"))


def test_a_literal_group_key_counts_only_if_it_is_the_only_key() -> None:
    def grouped(keys: str) -> str:
        return _explain(
            f"Aggregate {keys}[k#1, sum(n#2) AS s#5L]",
            "+- Relation spark_catalog.s.t[k#1,n#2] parquet",
        )

    assert same_plan(grouped("[k#1], "), grouped("[1, k#1], "))
    assert not same_plan(grouped("[1], "), grouped(""))


def _windowed(*above: str, rank: str = "b#2 ASC", keys: str = "[a#1]") -> str:
    call = f"rank({rank}) windowspecdefinition({keys[1:-1]}, {rank})"
    return _explain(
        *above,
        f"Window [{call} AS r#5], {keys}, [{rank}]",
        "+- Relation s.t[a#1,b#2] parquet",
    )


def test_the_order_and_repeats_of_windows_over_the_same_rows_do_not_count() -> None:
    rank = "rank(b#2) windowspecdefinition(a#1, b#2 ASC)"
    count = "count(1) windowspecdefinition(b#2)"
    relation = "Relation s.t[a#1,b#2] parquet"
    one = _explain(
        "Project [a#1, r#5, (r#6 + 1) AS x#7, n#8L]",
        f"+- Window [{count} AS n#8L], [b#2]",
        f"   +- Window [{rank} AS r#5, {rank} AS r#6], [a#1], [b#2 ASC]",
        f"      +- {relation}",
    )
    other = _explain(
        "Project [a#1, r#5, (r#5 + 1) AS x#7, n#8L]",
        f"+- Window [{rank} AS r#5], [a#1], [b#2 ASC]",
        f"   +- Window [{count} AS n#8L], [b#2]",
        f"      +- {relation}",
    )
    assert same_plan(one, other)
    assert not same_plan(one, other.replace("(r#5 + 1)", "(n#8L + 1)"))
    assert not same_plan(one, other.replace("count(1) windowspecdefinition(b#2)", "count(1)"))


def test_windows_over_different_rows_keys_or_orders_differ() -> None:
    both = "Project [r#5, r#6]"
    filtered = (
        "+- Window [rank(b#2) windowspecdefinition(a#1, b#2 ASC) AS r#6], [a#1], [b#2 ASC]",
        "   +- Filter (r#5 > 1)",
        "      +- Window [rank(b#2) windowspecdefinition(a#1, b#2 ASC) AS r#5], [a#1], [b#2 ASC]",
        "         +- Relation s.t[a#1,b#2] parquet",
    )
    assert same_plan(_explain(both, *filtered), _explain(both, *filtered))
    assert not same_plan(_explain(both, *filtered), _explain("Project [r#6, r#5]", *filtered))
    assert not same_plan(_windowed(), _windowed(rank="b#2 DESC"))
    assert not same_plan(_windowed(), _windowed(keys="[b#2]"))


def test_isnotnull_may_move_below_windows_only_on_their_keys() -> None:
    def below(column: str) -> str:
        window, relation = _windowed().split("\n+- ")
        return f"{window}\n+- Filter isnotnull({column})\n   +- {relation}"

    def above(column: str) -> str:
        return (
            _windowed(f"Filter isnotnull({column})")
            .replace("\nWindow", "\n+- Window")
            .replace("\n+- Relation", "\n   +- Relation")
        )

    assert same_plan(above("a#1"), below("a#1"))
    assert not same_plan(above("b#2"), below("b#2"))
    assert not same_plan(above("a#1"), _windowed())


def _scalar(condition: str, *subqueries: str) -> str:
    lines = ["Project [k#1]", f"+- Filter {condition}"]
    for place, value in enumerate(subqueries):
        branch = "+" if place == len(subqueries) - 1 else ":"
        bar = " " if branch == "+" else ":"
        lines.append(f"   :  {branch}- {value}")
        lines.append(f"   :  {bar}  +- Relation spark_catalog.s.u[a#7,b#8] parquet")
    return _explain(*lines, "   +- Relation spark_catalog.s.t[k#1,n#2] parquet")


MAX = "Aggregate [max(a#7) AS max(a)#9]"
MIN = "Aggregate [min(b#8) AS min(b)#10]"


def test_scalar_subqueries_are_compared_by_their_plans() -> None:
    user = _scalar("(n#2 > scalar-subquery#5 [])", MAX)
    assert same_plan(user, _scalar("(n#2 > scalar-subquery#6 [])", MAX.replace("max(a)#", "c#")))
    assert not same_plan(user, _scalar("(n#2 > scalar-subquery#5 [])", MIN))
    assert not same_plan(user, _scalar("(n#2 > 5)", MAX))
    assert "Relation spark_catalog.s.t" in (normalized_plan(user) or "")


def test_subqueries_are_matched_by_their_use_not_by_their_order() -> None:
    one = "((n#2 > scalar-subquery#5 []) AND (k#1 > scalar-subquery#6 []))"
    other = "((k#1 > scalar-subquery#6 []) AND (n#2 > scalar-subquery#5 []))"
    assert same_plan(_scalar(one, MAX, MIN), _scalar(other, MIN, MAX))
    assert not same_plan(_scalar(one, MAX, MIN), _scalar(one, MIN, MAX))


def test_a_value_of_merged_subqueries_is_known_by_its_place() -> None:
    def merged(first: str, second: str, taken: str) -> str:
        struct = f"Project [named_struct({first}, x#9, {second}, y#10) AS mergedValue#11]"
        return _explain(
            f"Filter (n#2 > scalar-subquery#5 [].{taken})",
            f":  +- {struct}",
            ":     +- Aggregate [max(a#7) AS x#9, min(b#8) AS y#10]",
            ":        +- Relation spark_catalog.s.u[a#7,b#8] parquet",
            "+- Relation spark_catalog.s.t[k#1,n#2] parquet",
        )

    assert same_plan(merged("max(a)", "min(b)", "max(a)"), merged("c", "c_2", "c"))
    assert same_plan(merged("max(a)", "min(b)", "min(b)"), merged("c", "c_2", "c_2"))
    assert not same_plan(merged("max(a)", "min(b)", "max(a)"), merged("c", "c_2", "c_2"))
    assert normalized_plan(merged("c", "c", "c")) is None


def test_an_existence_join_adds_a_column() -> None:
    def exists(number: int, kind: str) -> str:
        return _explain(
            f"Filter ((n#2 > 1) {kind} exists#{number})",
            f"+- Join ExistenceJoin(exists#{number}), (a#7 = k#1)",
            "   :- Relation spark_catalog.s.t[k#1,n#2] parquet",
            "   +- Relation spark_catalog.s.u[a#7,b#8] parquet",
        )

    assert same_plan(exists(5, "OR"), exists(9, "OR"))
    assert not same_plan(exists(5, "OR"), exists(5, "AND"))


def test_the_values_of_a_pivot_count() -> None:
    def pivoted(values: str, first: int = 0) -> str:
        name = "__pivot_sum(t.n) AS a AS `sum(t.n) AS a`#5"
        return _explain(
            f"Project [k#1, {name}[{first}] AS x#6L, {name}[1] AS y#7L]",
            f"+- Aggregate [k#1], [k#1, pivotfirst(s#3, sum(t.n)#4L, {values}, 0, 0) AS {name}]",
            "   +- Aggregate [k#1, s#3], [k#1, s#3, sum(n#2) AS sum(t.n)#4L]",
            "      +- Relation spark_catalog.s.t[k#1,n#2,s#3] parquet",
        )

    assert same_plan(pivoted("p, q"), pivoted("p, q").replace("AS a", "AS other"))
    assert not same_plan(pivoted("p, q"), pivoted("p, r"))
    assert not same_plan(pivoted("p, q"), pivoted("p, q", first=1))


def test_the_order_and_repeats_of_a_unions_columns_do_not_count() -> None:
    def union(outputs: str, one: str, other: str) -> str:
        return _explain(
            f"Project [{outputs}]",
            "+- Union false, false",
            f"   :- Project [{one}]",
            "   :  +- Relation s.t[a#1,b#2] parquet",
            f"   +- Project [{other}]",
            "      +- Relation s.u[c#11,d#12] parquet",
        )

    plain = union("a#1, b#2", "a#1, b#2", "c#11, d#12")
    assert same_plan(plain, union("a#1, b#2", "b#2, a#1", "d#12, c#11"))
    assert same_plan(plain, union("a#1, x#3", "a#1, b#2, b#2 AS x#3", "c#11, d#12, d#12 AS y#13"))
    assert not same_plan(plain, union("b#2, a#1", "a#1, b#2", "c#11, d#12"))
    # One column of the first branch, two of the other.
    twice = union("a#1, x#3", "a#1, a#1 AS x#3", "c#11, d#12")
    assert not same_plan(twice, union("a#1, a#1", "a#1, a#1 AS x#3", "c#11, d#12"))
    # A literal of the first branch is not the literal above.
    marked = union("x#3", "1 AS x#3", "2 AS y#13")
    assert not same_plan(marked, union("1 AS z#4", "1 AS x#3", "2 AS y#13"))


def test_isnotnull_on_the_partition_key_of_first_rows_does_not_count() -> None:
    rank = "row_number() windowspecdefinition({0}, n#2 ASC NULLS FIRST) AS r#3], [{0}], [n#2 ASC]"

    def plan(filtered: str, key: str = "k#1") -> str:
        lines = [
            "Project [id#9, n#2]",
            f"+- Join Inner, (id#9 = {key})",
            "   :- Relation s.u[id#9] parquet",
            "   +- Filter (r#3 = 1)",
            f"      +- Window [{rank.format(key)}",
            f"         +- WindowGroupLimit [{key}], [n#2 ASC NULLS FIRST], row_number(), 1",
        ]
        if filtered:
            lines += [f"            +- Filter isnotnull({filtered})"]
        indent = 15 if filtered else 12
        return _explain(*lines, f"{' ' * indent}+- Relation s.t[k#1,n#2] parquet")

    assert same_plan(plan("k#1"), plan(""))
    assert not same_plan(plan("n#2"), plan(""))


def test_a_table_may_have_pivot_in_its_name() -> None:
    plan = _explain("Project [k#1]", "+- Relation s.int__pivot_day[k#1,n#2] parquet")
    assert normalized_plan(plan) is not None


def test_the_order_of_distinct_counts_does_not_count() -> None:
    """Spark makes rows for each count(DISTINCT ...), in an order that depends on their ids."""

    def plan(lists: str, counts: str) -> str:
        return _explain(
            f"Aggregate [k#1], [k#1, {counts}]",
            "+- Aggregate [k#1, a#21, b#22, gid#20], [k#1, a#21, b#22, gid#20]",
            f"   +- Expand [{lists}], [k#1, a#21, b#22, gid#20]",
            "      +- Relation s.t[k#1,a#2,b#3] parquet",
        )

    def count(column: str, group: int) -> str:
        return f"count({column}) FILTER (WHERE (gid#20 = {group})) AS n{group}#3{group}"

    a_first = "[k#1, a#2, null, 1], [k#1, null, b#3, 2]"
    b_first = "[k#1, null, b#3, 1], [k#1, a#2, null, 2]"
    ours = plan(a_first, f"{count('a#21', 1)}, {count('b#22', 2)}")
    assert same_plan(ours, plan(b_first, f"{count('a#21', 2)}, {count('b#22', 1)}"))
    assert not same_plan(ours, plan(b_first, f"{count('a#21', 1)}, {count('b#22', 2)}"))
    assert not same_plan(ours, plan(a_first, f"{count('b#22', 2)}, {count('a#21', 1)}"))


def test_a_literal_may_have_a_line_break() -> None:
    def plan(separator: str, table: str) -> str:
        lines = f"Project [concat_ws({separator}, a#1) AS x#2]\n+- Relation s.{table}[a#1] parquet"
        return _explain(*lines.split("\n"))

    assert same_plan(plan("\n", "t"), plan("\n", "t"))
    assert not same_plan(plan("\n", "t"), plan(" ", "t"))
    assert not same_plan(plan("\n", "t"), plan("\n", "u"))


@pytest.mark.parametrize("depth", ["", "   ", "      "])
def test_a_literal_that_looks_like_an_operator_hides_nothing(depth: str) -> None:
    def plan(condition: str) -> str:
        return _explain(
            "Project [concat(a#1, ",
            f"{depth}+- Relation s.u[b#9] parquet) AS x#2]",
            f"+- Filter ({condition})",
            "   +- Relation s.t[a#1] parquet",
        )

    assert not same_plan(plan("a#1 > 1"), plan("a#1 > 2"))


LIMIT = "WindowGroupLimit [k#1], [n#2 ASC NULLS FIRST], row_number(), 2"
RANKS = "Window [row_number() windowspecdefinition(k#1, n#2 ASC NULLS FIRST) AS r#9], [k#1], [n#2]"


def test_a_key_that_is_not_null_may_be_asked_below_a_limit_of_its_partitions() -> None:
    above = _explain(
        "Filter ((r#9 <= 2) AND isnotnull(k#1))", f"+- {RANKS}", f"   +- {LIMIT}", f"      +- {T}"
    )
    below = _explain(
        "Filter (r#9 <= 2)", f"+- {RANKS}", f"   +- {LIMIT}", "      +- Filter isnotnull(k#1)",
        f"         +- {T}",
    )  # fmt: skip
    assert same_plan(above, below)
    assert not same_plan(above.replace("isnotnull(k#1)", "isnotnull(n#2)"),
                         below.replace("isnotnull(k#1)", "isnotnull(n#2)"))  # fmt: skip


@pytest.mark.parametrize(
    "placing",
    [
        "Repartition 3, true",
        "RepartitionByExpression [k#1]",
        "RebalancePartitions [k#1], Infinity",
    ],
)
def test_where_rows_are_computed_does_not_count(placing: str) -> None:
    plain = _explain("Filter (n#2 > 1)", f"+- {T}")
    assert same_plan(_explain(placing, "+- Filter (n#2 > 1)", f"   +- {T}"), plain)
    assert same_plan(plain, _explain("Filter (n#2 > 1)", f"+- {placing}", f"   +- {T}"))


def test_a_name_with_a_space_is_one_name_in_any_case() -> None:
    def plan(name: str, number: int) -> str:
        return _explain(
            f"Project [{name}#{number}L]",
            f"+- Filter isnotnull({name}#{number}L)",
            f"   +- Relation s.odd[X Y#{number}L,X Z#{number + 1}] parquet",
        )

    assert same_plan(plan("X Y", 1), plan("x y", 11))
    assert not same_plan(plan("X Y", 1), plan("X Z", 1).replace("X Z#1L", "X Z#2"))


@pytest.mark.parametrize("whole", ["true", "false"])
def test_an_order_counts_also_that_of_each_partition(whole: str) -> None:
    """collect_list sees the rows of SORT BY in their order."""
    plain = _explain("Filter (n#2 > 1)", f"+- {T}")
    assert not same_plan(_explain(f"Sort [k#1 ASC NULLS FIRST], {whole}", "+- Filter (n#2 > 1)",
                                  f"   +- {T}"), plain)  # fmt: skip
