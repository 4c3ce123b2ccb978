"""TPC-H's tables, made by tpchgen-cli, and its queries."""

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
