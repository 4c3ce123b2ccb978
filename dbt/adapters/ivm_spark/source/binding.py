"""SQL for scans on Spark: a source at a pinned version, or its feed between two versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from typing_extensions import assert_never

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.dialect import ChangesClause, OptionsClause
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Scan
from dbt.adapters.ivm_spark.source.version_range import ChangeSource, Head, VersionRange
from dbt.adapters.ivm_spark.sql.scans import Bound, bind_plain, read_at
from dbt.adapters.ivm_spark.sql.sql_block import alias_of

_GAINED = ("insert", "update_postimage")
"""Delta's change types of rows that a table gains."""
_INSERTED = ("INSERT",)
"""Iceberg's."""


@dataclass(frozen=True)
class Versions:
    """The versions at which a refresh reads its sources, all by quoted name.

    Source: Delta's documentation, "Use Delta Lake change data feed", "Query an older snapshot of a
    table (time travel)", "Use row tracking for Delta tables"; Iceberg's, "Time travel", "Changelog
    view".

    Attributes:
        first: where the changes to read begin, for each source that moved; see `VersionRange`.
        pinned: the version to refresh to, for every source that has versions.
        stored: the relation that is read in place of a source's feed.
        read_by: the way to read the changes of each source; one that is missing here has a feed.
        scans: the relation that is read in place of a source at its pinned version.
    """

    first: dict[str, int]
    pinned: dict[str, int]
    stored: Mapping[str, str] = field(default_factory=dict)
    read_by: Mapping[str, ChangeSource] = field(default_factory=dict)
    scans: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ranges: Mapping[str, VersionRange],
        heads: Mapping[str, Head],
        others: Mapping[str, int] | None = None,
        stored: Mapping[str, str] | None = None,
        scans: Mapping[str, str] | None = None,
    ) -> Versions:
        """Return the versions of sources at their heads and of other tables, and the feeds to read.

        Args:
            ranges: the version ranges whose feeds are read.
            heads: the heads of the sources.
            others: the versions of other tables.
            stored: the relations that are read in place of feeds, with their columns and the
                weight.
            scans: the relations that are read in place of sources at their heads.
        """
        pinned = {name: head.version for name, head in heads.items() if not head.files}
        first = {name: w.first for name, w in ranges.items()}
        read_by = {name: w.source for name, w in ranges.items()}
        return cls(first, {**pinned, **(others or {})}, stored or {}, read_by, scans or {})

    def bind(self, scan: Scan) -> Bound:
        """Return a scan as Spark SQL; a relation without a version is read by its plain name."""
        if scan.relation not in self.pinned:
            return bind_plain(scan)
        if scan.at is At.CHANGES:
            return self._changes(scan)
        if scan.relation in self.scans:
            return bind_plain(scan, self.scans[scan.relation])
        bound = bind_plain(scan)
        read_at(bound.table, self.pinned[scan.relation])
        return bound

    def _changes(self, scan: Scan) -> Bound:
        """Return the feed as a table of the scan's columns and the weight alone.

        The feed's own columns are hidden.
        """
        # A source may have a column with the weight's name; the tree calls that column something
        # else.
        used = {c: name if c.lower() == WEIGHT else c for name, c in scan.fields}
        stored = self.stored.get(scan.relation)
        feed = self._feed(scan) if stored is None else exp.to_table(stored, dialect="spark")
        weight = self._weight(scan) if stored is None else exp.column(WEIGHT, quoted=True)
        rows = exp.select(
            *(
                exp.column(c, quoted=True)
                if c == own
                else exp.alias_(exp.column(c, quoted=True), own, quoted=True)
                for c, own in used.items()
            ),
            exp.alias_(weight, WEIGHT, quoted=True),
        ).from_(feed)
        columns: dict[str, exp.Expr] = {
            name: exp.column(used[c], table=scan.alias, quoted=True) for name, c in scan.fields
        }
        columns[WEIGHT] = exp.column(WEIGHT, table=scan.alias, quoted=True)
        return Bound(exp.Subquery(this=rows, alias=alias_of(scan.alias)), columns)

    def _weight(self, scan: Scan) -> exp.Expr:
        """Return the SQL of a changed row's weight: 1 if the table gains it, -1 if it loses it."""
        of_snapshots = self.read_by.get(scan.relation) is ChangeSource.SNAPSHOTS
        kinds = _INSERTED if of_snapshots else _GAINED
        gained = exp.In(
            this=exp.column("_change_type", quoted=True),
            expressions=[exp.Literal.string(kind) for kind in kinds],
        )
        return exp.If(this=gained, true=exp.Literal.number(1), false=exp.Literal.number(-1))

    def _feed(self, scan: Scan) -> exp.Table:
        first, last = self.first[scan.relation], self.pinned[scan.relation]
        source = self.read_by.get(scan.relation, ChangeSource.FEED)
        match source:
            case ChangeSource.TRACKING:
                return with_changes(scan.relation, first, last)
            case ChangeSource.SNAPSHOTS:
                return _change_log(scan.relation, first, last)
            case ChangeSource.FEED:
                return _change_feed(scan.relation, first, last)
            case _:
                assert_never(source)


def with_changes(relation: str, first: int, last: int) -> exp.Table:
    """Return a table's changed rows between two versions, which Spark finds by the rows' ids.

    The result has the columns of a change feed. The relation is given by its quoted name, and both
    versions are included.
    """
    table = exp.to_table(relation, dialect="spark")
    ends = {"first": exp.Literal.number(first), "last": exp.Literal.number(last)}
    table.set("changes", ChangesClause(**ends))
    return table


def _change_feed(relation: str, first: int, last: int) -> exp.Table:
    """Return a Delta table's feed between two versions, both included."""
    versions = (exp.Literal.number(version) for version in (first, last))
    feed = exp.Anonymous(
        this="table_changes", expressions=[exp.Literal.string(relation), *versions]
    )
    return exp.Table(this=feed)


def _change_log(relation: str, after: int, last: int) -> exp.Table:
    """Return the rows that an Iceberg table gained and lost after a snapshot, up to another."""
    table = exp.to_table(f"{relation}.{quote('changes')}", dialect="spark")
    ends = {"start-snapshot-id": str(after), "end-snapshot-id": str(last)}
    table.set("changes", OptionsClause(options=ends))
    return table
