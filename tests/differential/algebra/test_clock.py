"""A clock call between operators of one key: a rule that computes several operators at once must
not mix the new time with the old."""

from __future__ import annotations

from hypothesis import given, note
from hypothesis import strategies as st

from tests.differential.algebra.batches import SETTINGS, checked
from tests.differential.algebra.maintained import Maintained

_SOURCES = (
    "select s, a as x, b as y from t",
    "select t.s, t.a as x, u.c as y from t join u on t.s = u.s",
    "select t.s, t.a as x, v.b as y from t join t v on t.s = v.s",
    "select t.s, t.a as x, u.c as y from t left join u on t.s = u.s",
)
_NOW = "unix_timestamp()"
_LAYERS = (
    # the clock, in projections and filters
    f"select s, coalesce(x, {_NOW}) as x, y from ({{q}}) q",
    f"select s, x, case when y < {_NOW} then x else y end as y from ({{q}}) q",
    f"select s, least(x, {_NOW}) as x, coalesce(y, x) as y from ({{q}}) q",
    f"select s, x, y from ({{q}}) q where x >= {_NOW} or y is null",
    f"select s, x, y from ({{q}}) q where {_NOW} between x and y",
    f"select q.s, q.x, q.y from ({{q}}) q, (select {_NOW} as now) p where q.x >= p.now or q.y < 3",
    f"select q.s, case when q.y < p.now then q.x end as x, q.y from ({{q}}) q cross join"
    f" (select {_NOW} as now) p",
    f"select s, x, y from ({{q}}) q where y < (select {_NOW})",
    # operators of the key s
    "select s, lead(x) over (partition by s order by y, x) as x, y from ({q}) q",
    "select s, x, row_number() over (partition by s order by x, y) as y from ({q}) q",
    "select s, x, max(y) over (partition by s) as y from ({q}) q",
    "select s, x, count(*) as y from ({q}) q group by s, x",
    "select s, max(x) as x, count(y) as y from ({q}) q group by s",
    "select distinct s, x, y from ({q}) q",
    "select q.s, q.x, t.b as y from ({q}) q join t on q.s = t.s",
    "select q.s, q.x, u.c as y from ({q}) q left join u on q.s = u.s",
    "select q.s, q.x, q.y from ({q}) q where exists (select 1 from t where t.s = q.s)",
    "select q.s, q.x, q.y from ({q}) q where not exists (select 1 from t where t.s = q.s)",
)
_WITH_ITSELF = "select q.s, q.x, r.y from ({q}) q join ({q}) r on q.s = r.s"


@st.composite
def layered(draw: st.DrawFn) -> str:
    """Operators of one key, with the clock between them."""
    sql = draw(st.sampled_from(_SOURCES))
    for place in range(draw(st.integers(2, 4))):
        # Every second layer reads the clock, so that it stands between operators.
        layers = _LAYERS[:8] if place % 2 == 1 else _LAYERS
        sql = draw(st.sampled_from(layers)).format(q=sql)
    if draw(st.integers(0, 3)) == 0:
        sql = _WITH_ITSELF.format(q=sql)
    return f"select s, x, y from ({sql}) q"


@SETTINGS
@given(sql=layered(), seed=st.integers(0, 2**32))
def test_a_view_with_a_clock_between_operators_of_one_key_equals_its_query(
    sql: str, seed: int
) -> None:
    note(sql)
    checked(sql, seed, Maintained.shown, Maintained.wanted)


def test_an_open_interval_between_two_windows_ends_now() -> None:
    """Each row but the last of its key ends where the next begins; the last ends now."""
    sql = (
        f"select s, x, y, row_number() over (partition by s order by x, y) as n from ("
        f"select s, x, coalesce(next, {_NOW}) as y from ("
        "select s, a as x, lead(a) over (partition by s order by a, b) as next from t) q) r"
    )
    for seed in range(5):
        assert checked(sql, seed, Maintained.shown, Maintained.wanted) is not None
