"""Random views of the kinds that were once wrong: calls over stars, structs that are named by their
columns, units, texts that are times, intervals inside, and what the session decides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Draw = Any

COLUMNS = "id int, month int, d date, ts timestamp, s string, tags array<string>"
TABLES = ("one", "two", "hooked")
VALUES = (
    *("x.id", "x.month", "year(x.d)", "length(x.s)", "size(x.tags)"),
    *("hash(*)", "xxhash64(x.*)", "hash(x.d, x.ts)", "greatest(x.id, x.month)"),
    *("length(to_json(struct(*)))", "length(to_json(struct(x.s, x.ID as k, x.id + 1)))"),
    *("hash(struct(* except (ts)))", "length(to_json((x.id, x.s)))"),
    *("datediff(DAY, date'2024-01-01', dateadd(MONTH, x.month, x.d))",),
    *("timestampdiff(HOUR, x.ts, dateadd(WEEK, 1, x.ts))", "date_diff(YEAR, x.d, '2030-01-01')"),
    *("extract(hour from (x.ts - timestamp'2024-01-01 00:00:00'))",),
    *("size(filter(x.tags, x -> x > 'b'))", "length(concat_ws('|', transform(x.tags, id -> id)))"),
    *("cast(x.d <= 'today' as int)", "cast(x.s = 'today' as int)", "cast(x.ts < 'now' as int)"),
    *("length(to_json(named_struct('a', x.s, 'b', x.month)))", "cast(x.s as int)"),
    *("length(cast(x.ts as string))", "length(current_timezone())", "x.id / x.month"),
    *("length(concat_ws(',', x.s, 'yesterday'))", "unix_timestamp(x.ts)"),
    *("x.id | x.month & 3 ^ 1", "x.id << 2 | x.month >>> 1", "~x.id & -x.month % 5"),
    *("cast(x.id & 1 = 0 = (x.month > 1) as int)", "length(x.s || x.month || x.id % 2)"),
)
"""Numbers made of a row of the alias x; none of them moves within a test's time."""
CONDITIONS = (
    *("x.id > 0", "x.d > 'yesterday'", "x.ts <= 'now'", "x.s <> 'now'", "hash(*) > 0"),
    *("x.d < to_date('tomorrow')", "x.s in ('today', 'a')", "x.d <= dateadd(YEAR, 1, x.d)"),
    *("x.ts - timestamp'2024-01-01 00:00:00' > interval '1' day", "x.d >= lower('TODAY')"),
    *("x.id | 1 between x.month & 1 and 1 << x.month", "not x.id & 1 = 0 or x.id = 1 in (true)"),
    *("x.d is null or x.d between '2020-01-01' and 'tomorrow'", "greatest(x.id, x.month) > 1"),
)
CALLS = (
    *("count(*)", "sum({v})", "min({v})", "max({v})", "count(distinct {v})", "count(distinct *)"),
    *("extract(hour from max(x.ts - timestamp'2024-01-01 00:00:00'))",),
    *("cast(sum(x.ts - timestamp'2024-01-01 00:00:00') as string)",),
    *("cast(avg(x.ts - timestamp'2024-01-01 00:00:00') as string)",),
    *("length(to_json(max(struct(x.id, x.s))))", "max(hash(*))"),
    *("extract(day from min(x.ts - timestamp'2024-01-01 00:00:00') filter (where x.id > 0))",),
)
KEYS = (
    *("x.id", "x.s", "x.month", "dateadd(MONTH, 1, x.d)", "length(to_json(struct(*)))", "'all'"),
    *("x.ts - timestamp'2024-01-01 00:00:00'", "x.d <= 'today'", "-1"),
)
SETTINGS = (
    *("spark.sql.jsonGenerator.ignoreNullFields=false", "spark.sql.ansi.enabled=false"),
    *("spark.sql.session.timeZone=Asia/Tokyo", "spark.sql.timestampType=TIMESTAMP_NTZ"),
    *("spark.sql.shuffle.partitions=2", "spark.sql.legacy.sizeOfNull=true"),
)


@st.composite
def rows(draw: Draw) -> str:
    """A relation under the alias x with the columns of a table."""
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    table = f"@{draw(st.sampled_from(TABLES))}"
    shape = draw(st.sampled_from(("table", "table", "cte", "renamed", "union", "join")))
    if shape == "cte":
        return f"(with c as (select * from {table}) select * from c) x"
    if shape == "renamed":
        swapped = "month as id, id as month, d, ts, s, tags"
        return f"(select {swapped} from {table}) x"
    if shape == "union":
        return f"(select * from @one union all select * from {table}) x"
    if shape == "join":
        every = ", ".join(f"l.{name}" for name in names)
        return f"(select {every} from @two l join {table} r on l.id = r.id and r.month > 0) x"
    return f"{table} x"


@st.composite
def views(draw: Draw) -> str:
    """A view: rows, different rows, groups, or windows."""
    source = draw(rows())
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True))
    where = ""
    if draw(st.booleans()):
        where = f" where {draw(st.sampled_from(CONDITIONS))}"
    items = [f"{value} as v{place}" for place, value in enumerate(values)]
    kind = draw(st.sampled_from(("rows", "distinct", "group", "group", "all", "window", "top")))
    if kind == "rows":
        return f"select x.id, {', '.join(items)} from {source}{where}"
    if kind == "distinct":
        return f"select distinct {', '.join(items)} from {source}{where}"
    if kind == "window":
        value = values[0]
        over = f"sum({value}) over (partition by x.s, hash(*)) as o"
        return f"select x.s, {over} from {source}{where}"
    if kind == "top":
        order = draw(st.sampled_from(("x.ts - timestamp'2024-01-01 00:00:00'", "v0")))
        return f"select x.id, {', '.join(items)} from {source}{where} order by {order}, x.id"
    calls = draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=3, unique=True))
    aggregates = [f"{call.format(v=values[0])} as m{place}" for place, call in enumerate(calls)]
    if kind == "all":
        return (
            f"select 'all' as w, -1 as o, {', '.join(aggregates)} from {source}{where} group by all"
        )
    key = draw(st.sampled_from(KEYS))
    shown = f"cast({key} as string) as k"
    having = draw(st.sampled_from(("", "", " having count(*) > 1")))
    if having and draw(st.booleans()):
        having = " having max(x.ts - timestamp'2024-01-01 00:00:00') > interval '2' hour"
    key += draw(st.sampled_from(("", "", ", 'x'", ", 2.5, x.month", ", null, true")))
    grouped = f" group by {key}" if not key.startswith("-1") else " group by all"
    return f"select {shown}, {', '.join(aggregates)} from {source}{where}{grouped}{having}"
