"""Spark's keywords as names: at each place the word is read as if it were quoted."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark

KEYWORDS = """
    add after aggregate alter always analyze and anti any any_value archive array asc at atomic
    authorization begin between bigint binary binding boolean both bucket buckets by byte cache
    call called cascade cast catalog catalogs change char character check clear cluster clustered
    codegen collation collection column columns comment commit compact compactions compensation
    compute concatenate condition constraint contains continue cost create cross cube current data
    database databases date date_add date_diff dateadd datediff day dayofyear days dbproperties
    dec decimal declare default defined definer delay delete delimited desc describe deterministic
    dfs directories directory distribute do double drop else elseif end enforced escape escaped
    evolution except exchange exclude execute exists exit explain export extend extended external
    extract fetch fields fileformat filter first float flow following for foreign format formatted
    found full function functions generated geography geometry global grant group grouping handler
    having hour hours identifier identity if ignore ilike immediate import include increment index
    indexes inner inpath input inputformat insert int integer intersect into invoker items iterate
    join json key keys language last lateral lazy leading leave left level like lines list load
    local location lock locks logical long loop macro map matched materialized max merge
    microsecond microseconds millisecond milliseconds minus minute minutes modifies month months
    msck name namespace namespaces nanosecond nanoseconds natural no none norely nulls numeric of
    offset on only option options or order out outer outputformat over overlaps overlay overwrite
    partition partitioned partitions percent pivot placing position preceding primary principals
    procedure procedures properties purge quarter query range reads real recordreader recordwriter
    recover recursion reduce references refresh rely rename repair repeat repeatable
    replace reset respect restrict return returns revoke right role roles rollback rollup row rows
    schema schemas second seconds security semi separated serde serdeproperties set sets short
    show single skewed smallint some sort sorted source specific sql sqlexception sqlstate start
    statistics stored stratify stream streaming string struct substr substring sync system_time
    system_version table tables tablesample target tblproperties terminated then time timediff
    timestamp timestamp_ltz timestamp_ntz timestampadd timestampdiff tinyint to touch trailing
    transaction transactions transform trim truncate try_cast type unarchive unbounded uncache
    union unique unknown unlock unpivot unset until update use using value values var varchar
    variable variant version view views void watermark week weeks while window with within without
    year years zone
""".split()
"""The keywords of Spark 4.1 (`sql_keywords()`), without those that begin a clause or an operand."""
PLACES = (
    "select {k}, w.{k}, v as {k}, u from w",
    "select {k} + 1, 2 * {k}, - {k}, {k} - v, v || {k}, f({k}, {k}), {k}[0], {k}.x from w",
    "select case when {k} = 1 then {k} else {k} end, case {k} when {k} then 1 end from w",
    "select v from w where {k} and {k} > 1 or not {k} or v in ({k}, 1) or v between {k} and {k}",
    "select {k}, count(*) from w group by {k}, v having {k} > 1 order by {k} desc, {k}",
    "select sum({k}) over (partition by {k} order by {k} rows between 1 preceding and current row)"
    " from w",
    "select a.v from w a join w b on a.{k} = b.{k} and {k} = 1",
    "select a.v from w a join w b using (v, {k})",
    "select * except ({k}), count(distinct {k}), cast({k} as int), {k}::int from w",
    "with {k} as (select v as {k} from w) select {k} from w union all select {k} from w",
    "select transform(x, {k} -> {k} + 1), sum(v) filter (where {k}) from w",
)


@pytest.mark.parametrize("place", PLACES)
def test_a_keyword_is_a_name(place: str) -> None:
    misread = [k for k in KEYWORDS if _tree(place, k) != _tree(place, f"`{k}`")]
    assert misread == []


@pytest.mark.parametrize("word", ["all", "case", "interval", "not", "in", "is", "limit", "when"])
def test_a_word_before_an_operand_is_a_name_beside_punctuation(word: str) -> None:
    place = "select {k}, f({k}), w.{k} from w where v = {k}"
    assert _tree(place, word) == _tree(place, f"`{word}`")


@pytest.mark.parametrize(
    "text",
    [
        "select distinct a, count(distinct b), count(all c) from t group by all having true",
        "select a is not distinct from b, not a like 'x', a not in (1), not not a from t",
        "select case when not a then date '2024-01-01' else interval 1 day end from t",
        "select sum(a) over (partition by b order by c desc nulls last rows between 1 preceding"
        " and unbounded following) from t window w as (order by a range current row)",
        "select t.*, a * 2, count(*), extract(year from d), trim(both 'x' from s) from t limit 3",
        "select cast(a as array<struct<b: date, c: map<string, int>>>), a::array<date> from t",
        "select /*+ broadcast(u) */ a from t left join u on a = b cross join (values (1)) v (c)",
        "select a from t, lateral (select 1 b) l lateral view outer explode(x) y as z",
        "select if(a, 1, 2), any(b), left(s, 1), values(m) from t where exists (select 1)",
        "(select a from t union all select b from u) except select c from v",
        "select * from t pivot (sum(a) for b in (1 as x)) unpivot exclude nulls (c for d in (e))",
        "select a from t group by b, c with rollup order by a asc",
    ],
)
def test_other_keywords_stay_keywords(text: str) -> None:
    plain = super(IvmSpark, IvmSpark()).tokenize(text)
    read = IvmSpark().tokenize(text)
    assert [t.token_type for t in read] == [t.token_type for t in plain]


def _tree(place: str, word: str) -> exp.Expr | None:
    tree = sqlglot.parse(place.format(k=word), dialect=IvmSpark)[0]
    for name in tree.find_all(exp.Identifier) if tree is not None else ():
        name.set("quoted", False)
    return tree
