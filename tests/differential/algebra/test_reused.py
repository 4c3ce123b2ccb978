"""A query that contains a view's former one is built from that view's state."""

from __future__ import annotations

import random

import duckdb
from hypothesis import given, note, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from tests.differential.algebra.batches import SETTINGS, changed, fresh_database
from tests.differential.algebra.database import Database
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.queries import summaries, views

GROWN = (
    "with former as ({sql}) select former.*, w.c as other from former left join w on "
    "cast(former.{one} as string) = cast(w.b as string)",
    "with former as ({sql}) select {one}, count(*) as rows, count({two}) as n from former group by "
    "{one}",
    "with former as ({sql}) select *, count(*) over (partition by {one}) as alike from former",
    "with former as ({sql}) select distinct {two} from former where {one} is not null",
    "with former as ({sql}) select * from former where exists (select 1 from w where cast(w.b as "
    "string) = cast(former.{two} as string))",
    "with former as ({sql}) select {one}, {two} from former union all select {one}, {two} from "
    "former",
    "with former as ({sql}), top as (select {one}, max({two}) as most from former group by {one}) "
    "select f.{one}, t.most from former f join top t on t.{one} <=> f.{one}",
)
"""What somebody makes of a model: the former query in it is `sql`, and two of its columns are `one`
and `two`."""


def grown(sql: str, names: list[str], generator: random.Random) -> str:
    one, two = (f"`{generator.choice(names)}`" for _ in range(2))
    return generator.choice(GROWN).format(sql=sql, one=one, two=two)


def built(database: Database, sql: str) -> Maintained | None:
    """The view of this text, None where it can't be maintained or is no SQL of DuckDB's."""
    try:
        view = Maintained(database, sql)
        view.build()
        return view if view.shown() == view.wanted() else None
    except (NotMaintained, duckdb.Error):
        return None


@settings(SETTINGS)
@given(sql=st.one_of(views(), summaries()), seed=st.integers(0, 2**32))
def test_a_grown_query_is_built_from_the_state(sql: str, seed: int) -> None:
    sql = sql.replace("unix_timestamp()", "1")
    generator = random.Random(seed)
    with fresh_database() as database, fresh_database() as other:
        view = built(database, sql)
        if view is None:
            return
        changed(view, database, generator)
        view.build()
        names = list(database.types(view.texts[1]))
        after = grown(sql, names, generator)
        note(sql)
        note(after)
        if built(other, after) is None:
            return
        database.settle()
        view.grow(after)
        shown, wanted = view.shown(), view.wanted()
        assert shown == wanted, f"too many {shown - wanted}, missing {wanted - shown}"
        assert view.stored() == view.stored_anew()
