"""Expressions whose meaning may depend on the relation: stars, structs, units, lambdas.

Every view equals its query after each batch, and is maintained, or its reason is the one given.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.budget import LONG, budget
from tests.functional.ivm.warehouse import FEED, Warehouse, kinds, reasons

HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"
MAINTAINED = {
    # stars
    "hash_of_all": "select id, xxhash64(*) as h from @cust",
    "hash_of_one": "select c.id, md5(concat_ws('|', c.*)) as h, p.a from @cust c join @pts p"
    " on p.a = c.id",
    "json_of_all": "select id, to_json(struct(*)) as j from @cust",
    "json_of_some": "select id, to_json(struct(* except (seen))) as j from @cust",
    "star_as_arguments": "select greatest(*) as hi, coalesce(null, p.*) as one from @pts p",
    "star_in_where": "select a from @pts where greatest(*) > 5",
    "star_in_count": "select count(distinct *) as n, count(*) as m from @pts",
    "star_in_groups": "select h, count(*) as n from (select md5(to_json(struct(*))) as h from @pts)"
    " group by h having count(*) > 0",
    "star_in_aggregate": "select a, max(struct(*)) as latest from @pts group by a",
    "star_in_window": "select a, row_number() over (partition by hash(*) order by"
    " b) as n from @pts",
    "star_in_lambda": "select id, transform(tags, t -> concat(t, hash(*))) as x from @cust",
    "star_in_case": "select a, case when hash(p.*) > 0 then least(*) end as x from @pts p",
    "star_in_generator": "select a, explode(array(*)) as v from @pts",
    "star_of_struct": "select id, loc.*, p.loc.tag as t2 from @pos p",
    "star_of_inner_struct": "select id, loc.deep.*, hash(loc.*) as h from @pos",
    "star_below": "select lat, tag from (select loc.* from @pos) where lat > 1",
    "star_of_outer": "select a from @pts p where exists (select 1 from @cust c"
    " where hash(p.a) = hash(c.id)) or greatest(p.*) > 6",
    # names that a function takes from its arguments
    "named_by_columns": "select to_json(struct(a, total)) as j from (select a, sum(b) as total"
    " from @pts group by a)",
    "named_by_renamed": "select to_json(struct(x, a + 1, C)) as j from (select a as x, b as a, c"
    " from @pts) q",
    "row_as_value": "select max((b, c)) as m, a from @pts group by a",
    # parameters that are called like tables and columns
    "lambda_like_a_table": "select id, filter(tags, p -> p > nm) as x from @cust p",
    "text_in_lambda": "select id, transform(tags, q -> concat(q, 'a')) as x, aggregate(tags, '',"
    " (acc, q) -> acc || q || 'x') as y from @cust",
    "lambda_like_a_column": "select q.id, transform(tags, id -> concat(id, q.nm)) as x"
    " from (select id, nm, tags from @cust) q",
    # names and texts that the adapter could take for its own or for a time
    "cte_like_a_number": "with t1 as (select a, b from @pts), t2 as (select id, nm from @cust)"
    " select t1.a, t1.b, t2.nm from t1 join t2 on t1.a = t2.id",
    "raised_text": "select a, case when b > 1000 then raise_error('too ' || 'much') else b end as b"
    " from @pts",
    "texts_like_times": "select a, case when b > 4 then '10:00' else 'T9:30' end as opens from"
    " @pts where cast(c as string) <> '09:15'",
    "pick_below": "select c.id, q.f, q.l from @cust c left join (select a, first(b) ignore nulls"
    " as f, last(b, true) as l from @pts group by a) q on q.a = c.id",
    "fields_of_aliases": "select loc as l, l.lat as lat, named_struct('p', id) as s, s.p as p"
    " from @pos",
    "fields_of_groups": "select a, max(struct(b, c)) as m, m.c as c from @pts group by a",
    # literals and elements
    "raw_literals": "select id, r'id' as a, X'CAFE' as b, nm = r'a' as c from @cust where nm = r'a'"
    " or nm is null or nm <> r'\\x'",
    "elements": "select id, array('x', 'y')[id % 2] as e, array(id, 3)[0] as f from @cust",
    "rows_of_values": "select v.x, p.a from @pts p join values 1, 5, null as v(x) on v.x = p.a",
    "texts_of_windows": "select a, lag('x', 1, 'none') over (partition by a order by b) as l,"
    " mask('Ab', lowerChar => 'q') as m from @pts",
    "placed": "select /*+ repartition(3) */ a, b from @pts where b > 1",
    "labels": "select a, case when b > 4 then 'T1' else 'T2' end as t, b > 4 or c in (1, 2) as f"
    " from @pts where cast(a as string) not in ('08:00', '08:05', 'T1', 'T2')",
    "not_either": "select a, b from @pts where not (b in (select id from @cust where id is not"
    " null) or c > 5) and not (a in (select id from @bill) and b > 5)",
    "listed_in_order": "select l, count(*) as n from (select a, listagg(cast(b as string), ',')"
    " within group (order by cast(b as string)) as l from @pts group by a) group by l",
    "medians": "select c.id, q.m, q.p from @cust c left join (select a, median(b) as m,"
    " percentile_cont(0.5) within group (order by c) as p from @pts group by a) q on q.a = c.id",
    "few_of_values": "select p.a, v.l from @pts p join (select * from values (1, 'a'), (5, 'b'),"
    " (7, 'c') as t(k, l) where k > 1) v on v.k = p.a",
    "placed_by_key": "select a, count(*) as n from (select /*+ repartition(2, a) */ a from @pts)"
    " group by a",
    # parameters
    "one_value": "select a, b, (select 3) as k from @pts where b > (select 1)",
    "parameters": "with p as (select 2 as least, 'x' as tag) select a, count(*) as n, (select tag"
    " from p) as tag from @pts where b >= (select least from p) group by a",
    "parameter_of_values": "select a, b from @pts where b in (select x from values (2), (5) as"
    " v(x)) and a < (select max(x) from values (3), (6) as v(x)) or c = (select x from values (6)"
    " as v(x))",
    "value_of_its_row": "select a, (select p.b + 1) as n, (select 'big' where p.b > 4) as t"
    " from @pts p",
    # units
    "units": "select id, dateadd(MONTH, 1, day) as due, timestampdiff(HOUR, seen, timestamp"
    "'2024-06-01 00:00:00') as h, datediff(WEEK, day, date'2024-12-31') as w from @bill",
    "units_that_are_columns": "select id, month, dateadd(MONTH, month, day) as due,"
    " date_diff(DAY, date'2024-01-01', day) as n, timestampadd(YEAR, year, seen) as y from @bill",
    "units_in_a_join": "select b.id, c.nm from @bill b join @cust c on c.id = b.id"
    " where b.seen >= dateadd(DAY, -30, c.seen)",
    "units_in_groups": "select dateadd(QUARTER, 1, day) as q, count(*) as n from @bill group by 1",
    "bare_substr": "select substr(nm from 2) as s, substr(nm from 1 for 1) as t from @cust",
    # constants that are grouped by
    "constant_keys": "select 'total' as what, -1 as one, sum(b) as b, count(*) as n from @pts"
    " group by all",
    "constant_column": "with c as (select a, b, cast('' as string) as origin from @pts)"
    " select origin, a, max(b) as b from c group by 1, 2",
}
IN_FULL = {
    "file_name": ("select id, input_file_name() as f from @cust", "EXPRESSION_NOT_DETERMINISTIC"),
    "file_metadata": ("select id, _metadata.file_name as f from @cust", "QUERY_NOT_UNDERSTOOD"),
    "row_number_of_file": (
        "select id, monotonically_increasing_id() as n from @cust",
        "EXPRESSION_NOT_DETERMINISTIC",
    ),
    "partition_number": (
        "select id, spark_partition_id() as n from @cust",
        "EXPRESSION_NOT_DETERMINISTIC",
    ),
    "time_of_day": ("select id from @cust where seen > '10:00'", "EXPRESSION_NOT_DETERMINISTIC"),
    "typed_time_of_day": (
        "select id from @cust where seen < timestamp 'T10:00:00'",
        "EXPRESSION_NOT_DETERMINISTIC",
    ),
    "star_over_using": (
        "select hash(*) as h from @cust join @bill using (id)",
        "OPERATOR_NOT_SUPPORTED",
    ),
    "zip_of_columns": (
        "select to_json(arrays_zip(tags)) as z from @cust",
        "OPERATOR_NOT_SUPPORTED",
    ),
}
TABLES = (
    f"create table cust (id int, nm string, seen timestamp, tags array<string>) using delta {FEED}",
    f"create table pts (a int, b int, c int) using delta {FEED}",
    "create table pos (id int, loc struct<lat: double, tag: string, deep: struct<x: int, y: int>>)"
    f" using delta {FEED}",
    f"create table bill (id int, month int, year int, day date, seen timestamp) using delta {FEED}",
    "insert into cust values (1, 'a', null, array('x', 'b')),"
    " (2, null, timestamp'2024-01-01 00:00:00', array('p'))",
    "insert into pts values (1, 2, 3), (5, 5, 5), (5, 5, 5), (null, 7, -1)",
    "insert into pos values (1, named_struct('lat', 1.5D, 'tag', 'x',"
    " 'deep', named_struct('x', 1, 'y', 2))), (2, null)",
    "insert into bill values (1, 2, 1, date'2024-01-31', timestamp'2024-01-31 10:30:00'),"
    " (2, 0, null, date'2024-02-29', null)",
)
BATCHES = (
    (
        "insert into cust values (3, 'c', timestamp'2024-02-01 00:00:00', array('c', null))",
        "insert into pts values (7, 7, 6), (1, 2, 3)",
        "insert into pos values (3, named_struct('lat', 9.0D, 'tag', null,"
        " 'deep', named_struct('x', null, 'y', 4)))",
        "insert into bill values (3, 12, 5, date'2023-12-31', timestamp'2024-01-01 00:30:00')",
    ),
    (
        "update cust set nm = 'z' where id = 1",
        "delete from pts where a = 5",
        "update pos set loc.tag = 'q' where id = 1",
        "update bill set month = 1, day = date'2024-06-30' where id = 2",
    ),
    ("delete from cust where id = 2", "delete from pts", "delete from bill where id = 1"),
)


class TestMeaning:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        queries = MAINTAINED | {name: sql for name, (sql, _) in IN_FULL.items()}
        return {
            f"{name}.sql": HEADER + sql.replace("@", "{{ target.schema }}.")
            for name, sql in queries.items()
        }

    @pytest.fixture(scope="class")
    def runs(self, warehouse: Warehouse) -> list[tuple[dict[str, Any], list[str]]]:
        warehouse.sql(*TABLES)
        runs = []
        for batch in ((), *budget((BATCHES[0] + BATCHES[1],), BATCHES)):
            warehouse.sql(*batch)
            responses = warehouse.run()
            compared = MAINTAINED if LONG or batch else ()
            runs.append((responses, warehouse.all_differences(compared)))
        return runs

    def test_equal_their_queries(self, runs: Any) -> None:
        for place, (_, differences) in enumerate(runs):
            assert not differences, place

    def test_are_maintained(self, runs: Any) -> None:
        for responses, _ in runs[1:]:
            found = {n: r for n, r in reasons(responses).items() if n in MAINTAINED}
            assert not found, [responses[name]["reason"] for name in found]

    def test_queries_of_files_or_column_names_are_rebuilt(self, runs: Any) -> None:
        for responses, _ in runs[1:]:
            found = {n: code for n, code in reasons(responses).items() if n in IN_FULL}
            assert found == {name: code for name, (_, code) in IN_FULL.items()}

    def test_optimize_changes_only_queries_of_files(self, warehouse: Warehouse, runs: Any) -> None:
        """OPTIMIZE changes no row, and so nothing for a view that is maintained."""
        warehouse.sql("insert into cust values (8, 'h', null, null)")
        warehouse.run("file_name", "file_metadata", "hash_of_all")
        warehouse.sql("optimize cust")
        responses = warehouse.run("file_name", "file_metadata", "hash_of_all")
        assert kinds(responses) == {
            "file_name": "full",
            "file_metadata": "full",
            "hash_of_all": "none",
        }
        warehouse.check("file_name", "file_metadata", "hash_of_all")

    def test_a_star_includes_a_later_column(self, warehouse: Warehouse, runs: Any) -> None:
        warehouse.sql("alter table cust add column (city string)")
        warehouse.run("json_of_all", "hash_of_one")
        warehouse.check("json_of_all", "hash_of_one")
        warehouse.sql("insert into cust values (9, 'i', null, null, 'w')")
        assert set(kinds(warehouse.run("json_of_all", "hash_of_one")).values()) == {"incremental"}
        warehouse.check("json_of_all", "hash_of_one")
