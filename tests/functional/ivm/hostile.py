"""Models that are hard to read or written to break out of what is around them, and bad ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hostile:
    """A model that has to be right: its query, configs, and the reason code of its second run,
    empty where that has to be incremental."""

    query: str
    config: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Bad:
    """A model that has to fail: its query, configs, and what the message says, in any case."""

    query: str
    says: tuple[str, ...]
    config: str = ""


PLAIN = "select k, v from @facts"
SUMS = "select k, sum(v) as total from @facts group by k"
LITERALS = (
    *(r"'it\'s'", "'it''s'", r"'back\\slash'", r"'\\'", r"'ends in \\'", "''", "''''"),
    *('"double \\" quote"', '"it\'s"', "'; drop table facts; --'", "'*/ x /* y'", "'-- no'"),
    *("'{{ \"{{ nope }}\" }}'", "'{{ \"{% if %}\" }}'", "'%s %(x)s %%'"),
    *(r"'\t\u0041\101'", r"'\%\_'", r"r'raw\n'", "'one' 'two'", "'日本 🦀 \u202e\u0301'"),
    *("'ivm1.AAAA'", "'`'", "'$' || '{x}'", "'@'", "'/*+ broadcast(t) */'", "'__ivm_count'"),
)
LINES = ("'two\nlines'", r"'\r\n'", "'), ('", "' AS x#1, leftHint=(y)'", "'#12L'")
"""Literals that the judge can't tell from parts of a plan."""
NAMES = (
    *("a;b", "it's", 'q"uote', "ti``ck", "-- no", "/* no", "*/", "back\\slash"),
    *("{{ '{{ nope }}' }}", "日本", "🦀", "from", "where", "null", "true", "table", "lateral"),
    *("__ivm", "_ivm_count", "ivm_weight", "$x", "%s", "*", "a.b.c", "tab\there", "é", "e\u0301"),
)
SOURCE_COLUMNS = ("# x", "a;b", "ti``ck", "it's", "-- no", "/* no", "back\\slash", "from")
"""Columns of the table `odd`, as they stand between backticks; it is partitioned by `Provider`."""


def parentheses(depth: int) -> str:
    return f"select k, {'(' * depth}v{')' * depth} as v from @facts"


def subqueries(depth: int) -> str:
    query = PLAIN
    for level in range(depth):
        query = f"select k, v from ({query}) as q{level}"
    return query


def cases(depth: int) -> str:
    value = "v"
    for level in range(depth):
        value = f"case when v = {level} then {level} else {value} end"
    return f"select k, {value} as v from @facts"


def ctes(length: int) -> str:
    later = "".join(f", c{n} as (select k, v from c{n - 1})" for n in range(1, length))
    return f"with c0 as ({PLAIN}){later} select k, v from c{length - 1}"


def doubled(length: int) -> str:
    """Each CTE reads the one before it twice."""
    later = "".join(
        f", c{n} as (select a.v from c{n - 1} as a join c{n - 1} as b on a.v = b.v)"
        for n in range(1, length)
    )
    return f"with c0 as (select v from @facts){later} select v from c{length - 1}"


def unions(branches: int) -> str:
    return " union all ".join(f"select k, v + {n} as v from @facts" for n in range(branches))


def joins(tables: int) -> str:
    later = "".join(f" left join @dims as d{n} on d{n}.k = d0.label" for n in range(1, tables))
    return f"select d0.k, d{tables - 1}.label from @dims as d0{later}"


def columns(number: int) -> str:
    return f"select k, {', '.join(f'v + {n} as c{n}' for n in range(number - 1))} from @facts"


def conditions(number: int) -> str:
    return f"{PLAIN} where {' and '.join(f'v <> {1000 + n}' for n in range(number))}"


DEEP = "OPERATOR_NOT_SUPPORTED"
RIGHT = {
    "literals": Hostile(
        f"select k, {', '.join(f'{text} as l{n}' for n, text in enumerate(LITERALS))} from @facts"
    ),
    "literals_of_lines": Hostile(
        f"select k, {', '.join(f'{text} as l{n}' for n, text in enumerate(LINES))} from @facts"
    ),
    "literals_grouped": Hostile(
        "select concat(k, '; drop table facts --') as x, count(*) as n, max('*/') as m "
        r"from @facts where k <> 'it\'s' or k = '\\' group by concat(k, '; drop table facts --')"
    ),
    "comments": Hostile(
        "-- it's; \" ` {# x #}\n/* ; drop table facts; -- ' \" ` /* nested */ */ select /*+ x('y'"
        ") */ k, -- '\nsum(v) as total from @facts /* */ group by k; -- done ; '"
    ),
    "semicolon_stored": Hostile(
        "select k, v, sum(v) over (order by v, k) as r from @facts ; ; -- done",
        reason="WINDOW_WITHOUT_PARTITION_BY",
    ),
    "names": Hostile(
        f"select {', '.join(f'max(v) + {n} as `{name}`' for n, name in enumerate(NAMES))} "
        "from @facts as `; drop` group by `; drop`.k"
    ),
    "odd_rows": Hostile("select * from @odd as `it's; --`"),
    "wide": Hostile(columns(500)),
    "keys_that_do_not_hold": Hostile(
        "select f.k, d.label, count(*) as n from @facts as f join @dims as d on f.k = d.k "
        "group by f.k, d.label",
        config="primary_keys={'facts': ['k'], 'dims': ['k'], 'nowhere': ['nothing']}",
    ),
    "described": Hostile(SUMS),
}
HEAVY = {
    "name_of_lines": Hostile(
        "select max(v) as `two\nlines` from @facts", reason="QUERY_NOT_UNDERSTOOD"
    ),
    "variable": Hostile(
        "select k, '${spark.sql.shuffle.partitions}' as p from @facts",
        reason="EXPRESSION_NOT_DETERMINISTIC",
    ),
    "odd_groups": Hostile(
        "select `a;b`, `Provider`, count(*) as n, max(`ti``ck`) as m, min(`# x`) as l from @odd "
        "group by `a;b`, `Provider`"
    ),
    "deep_parentheses": Hostile(parentheses(100), reason=DEEP),
    "united": Hostile(unions(600), reason=DEEP),
    "joined": Hostile(joins(40), reason=DEEP),
    "deep_subqueries": Hostile(subqueries(120), reason=DEEP),
    "deep_cases": Hostile(cases(80), reason=DEEP),
    "long_ctes": Hostile(ctes(80)),
    "doubled_ctes": Hostile(doubled(6), reason=DEEP),
    "conditions": Hostile(conditions(300)),
}
"""Models on which Spark's own planning takes long, or whose like is in RIGHT."""
BAD = {
    "nothing": Bad("-- nothing", ("no query", "select")),
    "no_columns": Bad("select from @facts where", ("syntax error",)),
    "two_statements": Bad(f"{PLAIN}; drop table @facts", ("syntax error", "drop")),
    "breaks_out": Bad("select k from @facts) as q (k); drop table @facts; --", ("syntax error",)),
    "open_string": Bad("select 'k as x from @facts", ("syntax error",)),
    "open_comment": Bad(f"{PLAIN} /* no end", ("unclosed", "comment")),
    "open_name": Bad("select `k from @facts", ("syntax error",)),
    "too_many_ctes_for_spark": Bad(ctes(300), ("spark.sql.analyzer.maxiterations",)),
    "too_deep_for_spark": Bad(parentheses(3000), ("nested too deep", "-Xss")),
    "widths": Bad(f"{PLAIN} union all select k from @facts", ("NUM_COLUMNS_MISMATCH",)),
    "ordinal": Bad("select k, count(*) as n from @facts group by 7", ("GROUP_BY_POS_OUT_OF",)),
    "aggregate_in_where": Bad(f"{PLAIN} where sum(v) > 1", ("aggregate", "where")),
    "unknown_function": Bad(
        "select no_such(k) as x from @facts", ("no_such", "UNRESOLVED_ROUTINE")
    ),
    "ill_typed": Bad("select k from @facts where array(v) > 1", ("DATATYPE_MISMATCH",)),
    "ambiguous": Bad("select k from @facts as a join @dims as b on a.k = b.k", ("AMBIGUOUS",)),
    "fails_in_the_job": Bad(
        "select k, cast(raise_error('boom') as int) as x from @facts", ("boom",)
    ),
    "hidden_columns": Bad("select * from @ours", ("__ivm_count", "are reserved")),
    "mistyped": Bad(SUMS, ("refresh_polcy", "refresh_policy"), "refresh_polcy='full'"),
    "prefixed": Bad(SUMS, ("ivm_keys", "primary_keys"), "ivm_keys={'k': 1}"),
    "two_layouts": Bad(
        SUMS, ("partition_by", "liquid_clustered_by"), "partition_by='k', liquid_clustered_by='k'"
    ),
    "two_feeds": Bad(
        SUMS,
        ("emit_changes is false", "delta.enableChangeDataFeed"),
        "emit_changes=false, tblproperties={'delta.enableChangeDataFeed': 'true'}",
    ),
    "listed_properties": Bad(SUMS, ("tblproperties", "mapping"), "tblproperties=['a', 'b']"),
    "no_such_partition": Bad(SUMS, ("nope",), "partition_by=['nope']"),
    "another_format": Bad(SUMS, ("file_format", "parquet", "delta"), "file_format='parquet'"),
    "named_badly": Bad(SUMS, ("it's; --",), 'alias="it\'s; --"'),
    "shared_name": Bad(SUMS, ("shared_name__ivm", "another name or alias")),
}
