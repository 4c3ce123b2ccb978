"""Gives a plan's scans of Iceberg the conditions that Spark has pushed into them.

Spark takes a condition out of the plan if the scan itself keeps only rows for which it is true, as
Iceberg does for a partition. The optimized plan does not show such conditions. The physical plan
does; a scan has columns of the same ids in both.

Source: Spark's V2ScanRelationPushDown; the description of Iceberg's SparkBatchQueryScan.
"""

from __future__ import annotations

import re

_SCAN = re.compile(r"^([: +\-]*)RelationV2\[(.*)\] (\S+)$", re.MULTILINE)
_PHYSICAL = re.compile(r"BatchScan (\S+)\[(.*?)\] IcebergScan\(.*?, filters=(.*), runtimeFilters=")
OF_CATALOGS = "RelationV2["
"""How Spark prints a scan of another catalog's table."""
_IDS = re.compile(r"#(\d+)")
_NULL, _NOT_NULL = " IS NULL", " IS NOT NULL"


def with_pushed(optimized: str, physical: str) -> str | None:
    """Return an optimized plan whose scans of Iceberg look like others, with what was pushed.

    None if the conditions of a scan are not certain.
    """
    if OF_CATALOGS not in optimized:
        return optimized
    pushed: dict[tuple[str, ...], str | None] = {}
    for name, columns, filters in _PHYSICAL.findall(physical):
        key = name, *_IDS.findall(columns)
        pushed[key] = None if key in pushed else _written(filters)

    def scan(found: re.Match[str]) -> str:
        branch, columns, name = found.groups()
        conditions = pushed.get((name, *_IDS.findall(columns)))
        if conditions is None:
            return found.group()
        return f"{branch}Relation {name}[{columns}] iceberg{conditions}"

    plan = _SCAN.sub(scan, optimized)
    return None if OF_CATALOGS in plan else plan


def _written(filters: str) -> str:
    """Return conditions in one order, without the IS NOT NULL that another one implies."""
    parts = sorted(part for part in filters.split(", ") if part)
    others = [part for part in parts if not part.endswith(_NOT_NULL)]
    implied = {part.split(" ")[0] for part in others if not part.endswith(_NULL)}
    kept = [p for p in parts if p in others or p.removesuffix(_NOT_NULL) not in implied]
    return "".join(f" where {part}" for part in kept)
