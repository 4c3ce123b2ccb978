"""TPC-H's tables, made by tpchgen-cli, and its queries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.tpch.changes import chosen

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
LARGE = {
    "customer": "c_custkey",
    "lineitem": "l_orderkey",
    "orders": "o_orderkey",
    "part": "p_partkey",
    "partsupp": "ps_partkey",
}
"""The tables that grow with the scale, and what TPC-H lays them out by. The suppliers are few."""
FILES = 80
"""Files of a worn table: more than the 50 that Delta writes into a checksum."""
WORN = 0.002
"""The rows that a worn table has lost, as a share of them."""
SOURCES_YML = f"""
sources:
  - name: tpch
    schema: "{{{{ target.schema }}}}"
    tables: [{", ".join(f"{{name: {table}}}" for table in TABLES)}]
"""
QUERIES = Path(__file__).parent / "queries"


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


def load(folder: Path, schema: str, worn: bool = False) -> list[str]:
    """Statements that create the Delta tables from the files.

    If `worn`, the large tables are as after a long time of use: they have more files than Delta
    writes into a checksum, laid out by the table's key, and each file has a deletion vector.
    """
    return [
        statement
        for table in TABLES
        for statement in (
            _worn(folder, schema, table, LARGE[table])
            if worn and table in LARGE
            else [_create(folder, schema, table)]
        )
    ]


def _create(folder: Path, schema: str, table: str, properties: str = "", hint: str = "") -> str:
    return (
        f"create or replace table {schema}.{table} using delta "
        f"tblproperties (delta.enableChangeDataFeed = true{properties}) "
        f"as select {hint}* from parquet.`{folder / f'{table}.parquet'}`"
    )


def _worn(folder: Path, schema: str, table: str, key: str) -> list[str]:
    vectors = ", delta.enableDeletionVectors = true"
    hint = f"/*+ repartition_by_range({FILES}, {key}) */ "
    gone = chosen(key, "worn", WORN)
    return [
        _create(folder, schema, table, vectors, hint),
        f"delete from {schema}.{table} where {gone}",
    ]


def model(number: int, **config: object) -> str:
    """Query `number` as a dbt model."""
    given = ", ".join(f"{key}={value!r}" for key, value in config.items())
    return f"{{{{ config({given}) }}}}\n{(QUERIES / f'q{number:02}.sql').read_text()}"
