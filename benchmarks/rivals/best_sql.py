"""The SQL that a patient person would write by hand to keep three of the shapes up to date.

Each knows its query: which column is the key, that lines have one order, that sums of decimals are
exact. Nothing here is general, and that is the point: it is the practical limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

GAINED = "_change_type in ('insert', 'update_postimage')"
WEIGHT = f"if({GAINED}, 1, -1)"


@dataclass(frozen=True)
class BestSql:
    """query: what the table `target` holds; refresh: statements that bring it up to date, from the
    target, the change feeds by table and the tables as they are now.

    Spark takes a table's feed and the table itself in one statement for the same relation, unless
    the table is read at a version."""

    query: Callable[[str], str]
    refresh: Callable[[str, dict[str, str], dict[str, str]], Sequence[str]]
    reads: tuple[str, ...]


def _aggregate(schema: str) -> str:
    return (
        "select l_partkey, count(*) as n, sum(l_extendedprice) as price "
        f"from {schema}.lineitem group by l_partkey"
    )


def _refresh_aggregate(target: str, feeds: dict[str, str], now: dict[str, str]) -> list[str]:
    """The feed is read once and kept: MERGE reads its source twice."""
    return [
        "cache table best_delta as "
        f"select l_partkey, sum({WEIGHT}) as n, sum({WEIGHT} * l_extendedprice) as price "
        f"from {feeds['lineitem']} group by l_partkey",
        *_added_up(target, "l_partkey"),
        "drop view best_delta",
    ]


def _join_aggregate(schema: str) -> str:
    return (
        "select o_custkey, count(*) as n, sum(l_extendedprice) as price "
        f"from {schema}.lineitem join {schema}.orders on o_orderkey = l_orderkey "
        "group by o_custkey"
    )


def _refresh_join_aggregate(target: str, feeds: dict[str, str], now: dict[str, str]) -> list[str]:
    """Changed lines with the orders as they are, and the lines as they are with changed orders;
    what changed on both sides was counted in both, so it is taken off once."""
    return [
        f"cache table best_lines as select l_orderkey, sum({WEIGHT}) as w, "
        f"sum({WEIGHT} * l_extendedprice) as price from {feeds['lineitem']} group by l_orderkey",
        f"cache table best_orders as select o_orderkey, o_custkey, sum({WEIGHT}) as w "
        f"from {feeds['orders']} group by o_orderkey, o_custkey having sum({WEIGHT}) <> 0",
        "cache table best_delta as select o_custkey, sum(n) as n, sum(price) as price from ("
        "select /*+ broadcast(best_lines) */ o_custkey, w as n, price "
        f"from best_lines join {now['orders']} on o_orderkey = l_orderkey "
        "union all select /*+ broadcast(best_orders) */ o_custkey, w, w * l_extendedprice "
        f"from best_orders join {now['lineitem']} on o_orderkey = l_orderkey "
        "union all select o_custkey, -o.w * l.w, -o.w * price "
        "from best_orders o join best_lines l on o_orderkey = l_orderkey"
        ") group by o_custkey having sum(n) <> 0 or sum(price) <> 0",
        *_added_up(target, "o_custkey"),
        *(f"drop view {name}" for name in ("best_delta", "best_orders", "best_lines")),
    ]


def _added_up(target: str, key: str) -> list[str]:
    """The MERGE of `best_delta` into a table of counts and sums."""
    return [
        f"merge into {target} t using best_delta d on t.{key} = d.{key} "
        "when matched and t.n + d.n = 0 then delete "
        "when matched then update set n = t.n + d.n, price = t.price + d.price "
        "when not matched and d.n > 0 then insert *"
    ]


def _keyed_join(schema: str) -> str:
    return (
        "select l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_custkey, o_orderdate "
        f"from {schema}.lineitem join {schema}.orders on o_orderkey = l_orderkey "
        "where l_quantity > 25"
    )


def _refresh_keyed_join(target: str, feeds: dict[str, str], now: dict[str, str]) -> list[str]:
    """The same three terms, with the rows themselves; of each key the row that came is written, and
    a key of which no row came is gone."""
    row = "l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_custkey, o_orderdate"
    values = "l_quantity, l_extendedprice, o_custkey, o_orderdate"
    columns = values.split(", ")
    return [
        "cache table best_lines as select l_orderkey, l_linenumber, l_quantity, l_extendedprice, "
        f"sum({WEIGHT}) as w from {feeds['lineitem']} where l_quantity > 25 "
        f"group by l_orderkey, l_linenumber, l_quantity, l_extendedprice having sum({WEIGHT}) <> 0",
        f"cache table best_orders as select o_orderkey, o_custkey, o_orderdate, sum({WEIGHT}) as w "
        f"from {feeds['orders']} group by o_orderkey, o_custkey, o_orderdate "
        f"having sum({WEIGHT}) <> 0",
        "cache table best_delta as select l_orderkey, l_linenumber, "
        f"max_by(struct({values}), n) as row, max(n) > 0 as stays from ("
        f"select {row}, sum(n) as n from ("
        f"select /*+ broadcast(best_lines) */ {row}, w as n "
        f"from best_lines join {now['orders']} on o_orderkey = l_orderkey "
        f"union all select /*+ broadcast(best_orders) */ {row}, w "
        f"from best_orders join {now['lineitem']} on o_orderkey = l_orderkey "
        "where l_quantity > 25 "
        f"union all select {row}, -o.w * l.w "
        "from best_orders o join best_lines l on o_orderkey = l_orderkey"
        f") group by {row} having sum(n) <> 0"
        ") group by l_orderkey, l_linenumber",
        f"merge into {target} t using best_delta d "
        "on t.l_orderkey = d.l_orderkey and t.l_linenumber = d.l_linenumber "
        "when matched and not d.stays then delete "
        f"when matched then update set {', '.join(f'{c} = d.row.{c}' for c in columns)} "
        f"when not matched and d.stays then insert ({row}) values "
        f"(d.l_orderkey, d.l_linenumber, {', '.join(f'd.row.{c}' for c in columns)})",
        *(f"drop view {name}" for name in ("best_delta", "best_orders", "best_lines")),
    ]


BEST = {
    "aggregate_many_groups": BestSql(_aggregate, _refresh_aggregate, ("lineitem",)),
    "join_aggregate": BestSql(_join_aggregate, _refresh_join_aggregate, ("lineitem", "orders")),
    "keyed_join": BestSql(_keyed_join, _refresh_keyed_join, ("lineitem", "orders")),
}
