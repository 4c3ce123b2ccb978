"""Every type that Spark can group by: as a key, as a value, in DISTINCT, in rows, and joined by."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.ivm.warehouse import FEED, Warehouse, models_of, reasons

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
TYPES = {
    "ok": "boolean",
    "d": "decimal(38,18)",
    "f": "float",
    "day": "date",
    "ts": "timestamp",
    "ntz": "timestamp_ntz",
    "bin": "binary",
    "arr": "array<decimal(38,0)>",
    "st": "struct<a: int, b: array<struct<c: binary, d: timestamp_ntz>>>",
}
ALL = ", ".join(TYPES)
SAME = " and ".join(f"a.{c} <=> b.{c}" for c in TYPES)
VALUES = (
    # two rows that differ in one column each, and in nothing that a careless comparison sees
    {"ok": "true", "d": "1.000000000000000001", "f": "float('NaN')", "day": "date'0001-01-01'",
     "ts": "timestamp'2024-03-31 01:30:00'", "ntz": "timestamp_ntz'2024-03-31 02:30:00'",
     "bin": "x''", "arr": "array()", "st": "named_struct('a', 1, 'b', array())"},
    {"ok": "false", "d": "1.000000000000000002", "f": "0.0", "day": "date'9999-12-31'",
     "ts": "timestamp'2024-03-31 03:30:00'", "ntz": "timestamp_ntz'9998-12-31 23:59:59.999999'",
     "bin": "x'00'", "arr": "array(null)",
     "st": "named_struct('a', null, 'b', array(named_struct('c', x'00', 'd', null)))"},
    {"ok": "null", "d": "null", "f": "-0.0", "day": "null", "ts": "null", "ntz": "null",
     "bin": "x'0000'", "arr": "array(99999999999999999999999999999999999999)",
     "st": "named_struct('a', null, 'b', array(null))"},
    {"ok": "null", "d": "null", "f": "null", "day": "null", "ts": "null", "ntz": "null",
     "bin": "null", "arr": "null", "st": "null"},
)  # fmt: skip
MODELS = {
    "keys": f"select {ALL}, count(*) as n, sum(v) as v from @typed group by {ALL}",
    "one_key_each": " union all ".join(
        f"select '{c}' as k, string(max(v)) as high, count(*) as n from @typed group by {c}"
        for c in ("f", "bin", "arr", "st")
    ),
    "extremes": f"select v % 2 as k, {', '.join(f'min({c}) as {c}' for c in TYPES)}, "
    "max(arr) as high, max(st) as most, bool_and(ok) as every, sum(d) as total "
    "from @typed group by v % 2",
    "collected": "select v % 2 as k, count(distinct arr) as arrays, count(distinct st) as structs, "
    "count(distinct bin, ntz) as pairs, sort_array(collect_set(ntz)) as times, "
    "mode(d) as most from @typed where bin is not null group by v % 2",
    "different": f"select distinct {ALL} from @typed",
    "rows_twice": f"select {ALL} from @typed union all select {ALL} from @typed where v > 1",
    "joined": f"select a.id, b.id as other, a.st from @typed a join @typed b on {SAME}",
    "left_joined": "select a.id, b.v, b.arr from @typed a left join @typed b "
    "on a.arr = b.arr and a.st <=> b.st and a.bin = b.bin",
    "excepted": "select arr, st, bin from @typed "
    "except select arr, st, bin from @typed where v > 2",
    "latest": "select ok, d, ntz, v from (select *, row_number() over "
    "(partition by ok, d, st order by ntz desc, v) as place from @typed) where place = 1",
    "above": "select v % 2 as k, null as nothing, "
    "upper(max(string(id))) collate UTF8_LCASE as name, max(v) * interval 1 minute as took, "
    "named_struct('a b', max(id)) as odd from @typed group by v % 2",
    "entries": "select id, map_entries(m) as entries, m['x'] as x from @others",
    "parsed": "select id, variant_get(va, '$.a', 'int') as a from @others",
    "maps": "select id, m from @others",
    "variants": "select id, va from @others",
    "long_ago": "select count(*) as n, sum(id) as ids from @others "
    "where till - since > interval 1 day",
}
REFUSED = {
    "maps": "MAP_TYPE_NOT_SUPPORTED",
    "variants": "OPERATOR_NOT_SUPPORTED",
}


def rows(*chosen: tuple[int, int, dict[str, str]]) -> str:
    values = (f"({i}, {v}, {', '.join(row.values())})" for i, v, row in chosen)
    return f"insert into typed values {', '.join(values)}"


def others(*chosen: tuple[int, str]) -> str:
    values = (
        f"({i}, map('x', {i}, 'y', null), parse_json('{{\"a\": {i}}}'), "
        f"timestamp'2024-01-01', {till})"
        for i, till in chosen
    )
    return f"insert into others values {', '.join(values)}"


FIRST = (
    f"create table typed (id int, v int, {', '.join(f'{n} {t}' for n, t in TYPES.items())}) "
    f"using delta {FEED}",
    "create table others (id int, m map<string, int>, va variant, since timestamp, "
    f"till timestamp) using delta {FEED}",
    rows(*((place, place, row) for place, row in enumerate(VALUES))),
    rows(*((4 + place, 1, row) for place, row in enumerate(VALUES))),
    others((1, "timestamp'2024-01-05'"), (2, "timestamp'2024-01-01 10:00:00'"), (3, "null")),
)
# a neighbour of each row: equal in all columns but one
NEIGHBOURS = [
    (10 + place, 3, {**VALUES[place % 3], name: VALUES[(place + 1) % 3][name]})
    for place, name in enumerate(TYPES)
]
BATCHES = (
    (
        rows(*NEIGHBOURS),
        "delete from typed where id in (1, 4)",
        "update typed set v = v + 2 where id = 7",
        others((4, "timestamp'2024-01-02 00:00:01'")),
        "delete from others where id = 1",
    ),
    (
        "update typed set f = -f, ntz = ntz + interval 1 microsecond, st = null where v = 3",
        "delete from typed where id in (3, 7, 11)",
        "update others set m = map('x', null), till = till + interval 2 days where id = 2",
    ),
)


class TestTypes:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return models_of(MODELS, HEADER)

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[tuple[dict[str, Any], list[str]]]:
        runs = []
        for batch in (FIRST, *BATCHES):
            warehouse.sql(*batch)
            responses = warehouse.run()
            runs.append((responses, warehouse.all_differences(MODELS)))
        return runs

    def test_equal_their_queries(self, runs: Any) -> None:
        for place, (_, differences) in enumerate(runs):
            assert not differences, place

    def test_only_unmatchable_types_are_refreshed_in_full(self, runs: Any) -> None:
        for responses, _ in runs:
            assert reasons(responses) == REFUSED
        touched = {n: sum(run[0][n]["rows_affected"] for run in runs[1:]) for n in MODELS}
        assert {n for n, count in touched.items() if not count} <= set(REFUSED)
