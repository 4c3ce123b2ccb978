from __future__ import annotations

from pathlib import Path

from benchmarks.tpch.data import FILES, LARGE, TABLES, load


def test_each_table_is_created_once_with_a_change_feed() -> None:
    statements = load(Path("/files"), "s")
    assert len(statements) == len(TABLES)
    for table, statement in zip(TABLES, statements, strict=True):
        assert f"table s.{table} using delta" in statement
        assert "delta.enableChangeDataFeed = true" in statement
        assert f"select * from parquet.`/files/{table}.parquet`" in statement


def test_large_worn_tables_get_many_files_and_lose_rows() -> None:
    statements = load(Path("/files"), "s", worn=True)
    assert len(statements) == len(TABLES) + len(LARGE)
    for table, key in LARGE.items():
        (created,) = (s for s in statements if f"create or replace table s.{table} " in s)
        (deleted,) = (s for s in statements if s.startswith(f"delete from s.{table} "))
        assert statements.index(created) < statements.index(deleted)
        assert "delta.enableDeletionVectors = true" in created
        assert f"repartition_by_range({FILES}, {key})" in created
        assert f"xxhash64({key}, " in deleted
