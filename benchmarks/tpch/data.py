"""TPC-H's tables and refresh sets as SQL statements for Spark.

The data is made by tpchgen-cli. RF1 (new orders with their lines) and RF2 (orders removed with
their lines) are TPC-H's own, section 2.5 of its specification; it has no updates, so lines, orders
and customers are updated too. Which rows change is decided by hashes of their keys and the round.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
SOURCES_YML = f"""
sources:
  - name: tpch
    schema: "{{{{ target.schema }}}}"
    tables: [{", ".join(f"{{name: {table}}}" for table in TABLES)}]
"""
QUERIES = Path(__file__).parent / "queries"
_MILLION = 1_000_000


def generate(folder: Path, scale: float) -> None:
    """Write the tables as Parquet files at a scale factor; files that are there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    if all((folder / f"{table}.parquet").exists() for table in TABLES):
        return
    beside = Path(sys.executable).with_name("tpchgen-cli")
    command = str(beside) if beside.exists() else shutil.which("tpchgen-cli")
    if command is None:
        raise FileNotFoundError("tpchgen-cli is not installed: pip install tpchgen-cli")
    subprocess.run(
        [command, "parquet", "-s", str(scale), "--output-dir", str(folder)],
        check=True,
        capture_output=True,
    )


def load(folder: Path, schema: str) -> list[str]:
    """Statements that create the Delta tables from the files."""
    return [
        f"create or replace table {schema}.{table} using delta "
        "tblproperties (delta.enableChangeDataFeed = true) "
        f"as select * from parquet.`{folder / f'{table}.parquet'}`"
        for table in TABLES
    ]


def model(number: int, **config: object) -> str:
    """Query `number` as a dbt model."""
    given = ", ".join(f"{key}={value!r}" for key, value in config.items())
    return f"{{{{ config({given}) }}}}\n{(QUERIES / f'q{number:02}.sql').read_text()}"


def inserts(schema: str, fraction: float, round_: int) -> list[str]:
    """RF1: as many new orders, with their lines, as `fraction` of the orders."""
    key = 100 * _MILLION * round_
    chosen = _chosen("o_orderkey", f"rf1 {round_}", fraction)
    lines = _chosen("l_orderkey", f"rf1 {round_}", fraction)
    return [
        f"insert into {schema}.orders select o_orderkey + {key}, * except (o_orderkey) "
        f"from {schema}.orders where {chosen}",
        f"insert into {schema}.lineitem select l_orderkey + {key}, * except (l_orderkey) "
        f"from {schema}.lineitem where {lines}",
    ]


def deletes(schema: str, fraction: float, round_: int) -> list[str]:
    """RF2: `fraction` of the orders and their lines."""
    return [
        f"delete from {schema}.{table} where {_chosen(key, f'rf2 {round_}', fraction)}"
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))
    ]


def updates(schema: str, fraction: float, round_: int) -> list[str]:
    """`fraction` of the lines, and a tenth of it of the orders and of the customers."""
    lines = _chosen("l_orderkey * 8 + l_linenumber", f"lines {round_}", fraction)
    orders = _chosen("o_orderkey", f"orders {round_}", fraction / 10)
    customers = _chosen("c_custkey", f"customers {round_}", fraction / 10)
    return [
        f"update {schema}.lineitem set l_quantity = pmod(l_quantity, 50) + 1, "
        "l_extendedprice = l_extendedprice + 10, l_receiptdate = date_add(l_receiptdate, 9), "
        f"l_returnflag = 'R' where {lines}",
        f"update {schema}.orders set o_orderpriority = '1-URGENT', o_custkey = o_custkey + 1 "
        f"where {orders}",
        f"update {schema}.customer set c_acctbal = c_acctbal - 1000, c_mktsegment = 'BUILDING' "
        f"where {customers}",
    ]


def dimension_changes(schema: str, round_: int) -> list[str]:
    """A twentieth of the suppliers, parts and offers change, or go."""
    suppliers = _chosen("s_suppkey", f"suppliers {round_}", 0.05)
    parts = _chosen("p_partkey", f"parts {round_}", 0.05)
    offers = _chosen("ps_partkey * 31 + ps_suppkey", f"offers {round_}", 0.05)
    gone = _chosen("ps_partkey * 37 + ps_suppkey", f"gone {round_}", 0.02)
    return [
        f"update {schema}.supplier set s_nationkey = pmod(s_nationkey + 7, 25), "
        f"s_comment = 'Customer Complaints' where {suppliers}",
        f"update {schema}.part set p_size = 15, p_type = 'PROMO BRASS', "
        f"p_name = 'forest green' where {parts}",
        f"update {schema}.partsupp set ps_supplycost = ps_supplycost / 2, ps_availqty = 1 "
        f"where {offers}",
        f"delete from {schema}.partsupp where {gone}",
    ]


def _chosen(key: str, salt: str, fraction: float) -> str:
    """A predicate that is true for `fraction` of the keys."""
    return f"pmod(xxhash64({key}, '{salt}'), {_MILLION}) < {round(fraction * _MILLION)}"
