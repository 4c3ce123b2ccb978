"""Foreign keys that dbt's constraints declare, and that a refresh may rely on. Pure.

    constraints:
      - {type: foreign_key, columns: [order_id], to: ref('orders'), to_columns: [order_id],
         expression: rely}

RELY is how Databricks writes it: the platform does not enforce the key, and may use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dbt.adapters.ivm_spark.delta.references import ForeignKey

Parse = Callable[[str], "tuple[str, ...] | None"]
"""Returns the arguments of a text that calls ref or source, None for another text."""


def relied_on(nodes: Mapping[str, Any], sources: Mapping[str, Any], parse: Parse) -> list[Any]:
    """Return the foreign keys with `expression: rely`, each as the fields of a `ForeignKey`.

    They are plain values, so that a macro can keep them.

    Args:
        nodes: dbt's `graph.nodes`.
        sources: dbt's `graph.sources`.
        parse: reads the `to` of a constraint.
    """
    known = {**nodes, **sources}
    found = []
    for node in known.values():
        for columns, constraint in constraints_of(node, "foreign_key"):
            if not _relies(constraint):
                continue
            referenced = _referenced(constraint, known, parse)
            keys = [str(name) for name in constraint.get("to_columns") or ()]
            if referenced and node.get("relation_name") and len(keys) == len(columns) > 0:
                found.append([node["relation_name"], columns, referenced, keys])
    return found


def constraints_of(
    node: Mapping[str, Any], kind: str
) -> Iterator[tuple[list[str], Mapping[str, Any]]]:
    """Yield the constraints of a kind (`primary_key`, …) that a node has, each with its columns."""
    for constraint in node.get("constraints") or ():
        if _is(kind, constraint):
            yield [str(name) for name in constraint.get("columns") or ()], constraint
    for name, column in (node.get("columns") or {}).items():
        for constraint in column.get("constraints") or ():
            if _is(kind, constraint):
                yield [str(name)], constraint


def read_references(given: Any) -> tuple[ForeignKey, ...]:
    """Return what `relied_on` returned as foreign keys."""
    return tuple(
        ForeignKey(str(name), _lower(columns), str(other), _lower(keys))
        for name, columns, other, keys in given
    )


def _is(kind: str, constraint: Mapping[str, Any]) -> bool:
    given = constraint.get("type")
    return str(getattr(given, "value", given)) == kind


def _relies(constraint: Mapping[str, Any]) -> bool:
    return "rely" in str(constraint.get("expression") or "").lower().split()


def _referenced(
    constraint: Mapping[str, Any], known: Mapping[str, Any], parse: Parse
) -> str | None:
    """Return the relation that a constraint refers to: dbt writes it in place of the call."""
    text = str(constraint.get("to") or "")
    called = parse(text)
    if called is None:
        return text or None
    found = [
        str(node["relation_name"])
        for node in known.values()
        if node.get("relation_name") and called in _names(node)
    ]
    return found[0] if len(found) == 1 else None


def _names(node: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    """Return the arguments of calls that mean a node."""
    if "source_name" in node:
        return ((node["source_name"], node["name"]),)
    return (node["package_name"], node["name"]), (node["name"],)


def _lower(columns: Any) -> tuple[str, ...]:
    return tuple(str(column).lower() for column in columns)
