"""Write docs/supported-sql.md: what the code says of each example in supported-sql.yml.

python docs/supported_sql.py          (or `make docs`)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from dbt.adapters.ivm_spark.algebra.catalog import (
    Catalog,
    Function,
    Relation,
    RelationKind,
    relation_key,
)
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.delta.type_checks import aggregates_to_order
from dbt.adapters.ivm_spark.plan.examined import in_order
from dbt.adapters.ivm_spark.plan.plan import technique_of
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT
from dbt.adapters.ivm_spark.state.layout import below_state, probe

EXAMPLES = Path(__file__).with_name("supported-sql.yml")
PAGE = Path(__file__).with_name("supported-sql.md")

_SOURCES = {
    "orders": {
        "order_id": "bigint",
        "customer_id": "bigint",
        "ordered_on": "date",
        "amount": "decimal(12,2)",
        "note": "string",
    },
    "customers": {"customer_id": "bigint", "segment": "string", "name": "string"},
    "clicks": {
        "user_id": "bigint",
        "tags": "array<string>",
        "seconds": "int",
        "score": "double",
        "counters": "map<string,int>",
    },
}
_FUNCTIONS = {
    "`with_tax`": Function(
        "with_tax", (("net", "decimal(12,2)", ""),), returns="double", body="net * 1.19"
    )
}
_ARGUMENTS = {
    "revenue": "decimal(12,2)",
    "running": "decimal(12,2)",
    "sum": "decimal(12,2)",
    "first_day": "date",
    "largest": "decimal(12,2)",
    "mean": "int",
    "long": "boolean",
    "checksum": "int",
    "total": "double",
    "a": "decimal(12,2)",
    "b": "decimal(12,2)",
}
"""The type of the argument of each example's aggregate, by output."""

_HEAD = """# Which SQL is maintained, and how

`make docs` writes this page: for each example, the code says which technique maintains it.
`adapter_response` names the same technique. The examples read the tables of a small shop. Other
types can change the technique: sums of floats, collations and MAP columns (see the README).

| technique | a refresh |
|---|---|
| `row_based` | adds and removes the rows that changed |
| `group_aggregate` | adds the change to the counts, sums and extrema of its groups |
| `append` | adds the change as rows of its own (with `state_writes: append`) |
| `affected_groups` | computes the changed groups again, from their rows only |
| `affected_partitions` | computes the changed window partitions again |
| `full` | rebuilds the view, for the given reason |
"""


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    for section in yaml.safe_load(EXAMPLES.read_text()):
        lines = [f"## {section['title']}\n", "| construct | technique | example |", "|---|---|---|"]
        for example in section["examples"]:
            said = said_of(example["sql"], frozenset(example.get("double", ())))
            sql = example["sql"].replace("|", "\\|")
            lines.append(f"| {example['name']} | {said} | `{sql}` |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def said_of(
    sql: str,
    double: frozenset[str] = frozenset(),
    sources: Mapping[str, Mapping[str, str]] = _SOURCES,
    arguments: Mapping[str, str] = _ARGUMENTS,
) -> str:
    """Return the technique of an example, or `full` and the reason.

    Args:
        sql: the query of the example.
        double: the outputs that have the type DOUBLE.
        sources: the types of the columns, by table.
        arguments: the types of the aggregates' arguments, by output.
    """
    relations = [
        Relation(f"`shop`.`{name}`", RelationKind.DELTA, tuple(columns.items()))
        for name, columns in sources.items()
    ]
    catalog = Catalog({relation_key(r.name): r for r in relations}, ("shop",), _FUNCTIONS)
    try:
        view = build_view(sql, catalog)

        def types_of(node: Node) -> dict[str, str]:
            given = {c: _type(c, sources, arguments) for c in node.columns}
            return given | dict.fromkeys(double & given.keys(), "double")

        view = in_order(view, aggregates_to_order(below_state(view.root), types_of))
        types = types_of(probe(view.root))
        return f"`{technique_of(lay_out(view, types, '`shop`.`v__ivm`')).value}`"
    except NotMaintained as error:
        return f"`full`: `{error.reason.code.value}`, {error.reason.detail}"


def _type(
    column: str, sources: Mapping[str, Mapping[str, str]], arguments: Mapping[str, str]
) -> str:
    """Return the assumed Spark type of a probe's column, whose name is close to the source's."""
    if column.startswith(ARGUMENT):
        column = column.removeprefix(ARGUMENT)
        return arguments.get(column, _type(column, sources, arguments))
    for columns in sources.values():
        for name, kind in columns.items():
            if column == name or column.removesuffix("_2") == name:
                return kind
    return "bigint"


if __name__ == "__main__":
    PAGE.write_text(page())
