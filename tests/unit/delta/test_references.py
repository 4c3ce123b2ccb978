"""Along which foreign keys a query joins its tables, and what its delta then reads."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import At, Empty, Scan
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.references import ForeignKey, Lasting, joined_along
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.state.layout import probe

RELATIONS = tuple(
    Relation(f"`s`.`{name}`", RelationKind.DELTA, columns)
    for name, columns in {
        "lines": (("o", "bigint"), ("d", "int"), ("q", "int"), ("text", "string")),
        "orders": (("o", "bigint"), ("d", "int"), ("c", "bigint"), ("v", "int")),
        "customers": (("c", "bigint"), ("segment", "string"), ("short", "int")),
    }.items()
)
CATALOG = Catalog({relation_key(r.name): r for r in RELATIONS}, ("s",))
FACTS = {r.name: SourceFacts.of(10, r.columns) for r in RELATIONS}
LINES, ORDERS, CUSTOMERS = (r.name for r in RELATIONS)
OF_ORDER = ForeignKey(LINES, ("o", "d"), ORDERS, ("o", "d"))
OF_CUSTOMER = ForeignKey(ORDERS, ("c",), CUSTOMERS, ("c",))
KEYS = (OF_ORDER, OF_CUSTOMER)
ON = "l.o = o.o and l.d = o.d"
BOTH = f"select l.q, o.v from lines l join orders o on {ON}"
CHAIN = f"{BOTH} join customers c on o.c = c.c"


def _along(query: str, keys: tuple[ForeignKey, ...] = KEYS) -> set[str]:
    root = build_view(query, CATALOG).root
    return {key.referenced for key in joined_along(root, keys, FACTS)}


@pytest.mark.parametrize(
    ("query", "referenced"),
    [
        pytest.param(BOTH, {ORDERS}, id="inner join"),
        pytest.param(CHAIN, {ORDERS, CUSTOMERS}, id="chain"),
        pytest.param(BOTH.replace("join", "left join"), {ORDERS}, id="left join"),
        pytest.param(
            f"select o.v, l.q from orders o right join lines l on {ON}", {ORDERS}, id="right join"
        ),
        pytest.param(f"{BOTH} and o.v > l.q", {ORDERS}, id="another condition"),
        pytest.param(f"{BOTH} where o.v > 3", {ORDERS}, id="filtered"),
        pytest.param(
            f"select l.q from lines l where not exists (select 1 from orders o where {ON})",
            {ORDERS},
            id="not exists",
        ),
        pytest.param(
            "select s.q from (select o, d, sum(q) as q from lines group by o, d) s "
            "join (select o as id, d as day, v from orders) r on s.o = r.id and s.d = r.day",
            {ORDERS},
            id="groups and other names",
        ),
        pytest.param(
            f"select o.v, l.q from orders o left join lines l on {ON}", set(), id="referring side"
        ),
        pytest.param(BOTH.replace("join", "full join"), set(), id="full join"),
        pytest.param(BOTH.replace(" and l.d = o.d", ""), set(), id="part of a key"),
        pytest.param(BOTH.replace("l.o = o.o", "l.o <=> o.o"), set(), id="null-safe"),
        pytest.param(BOTH.replace("l.o = o.o", "l.o = o.o + 0"), set(), id="computed"),
        pytest.param(BOTH.replace("l.o = o.o", "l.q = o.o"), set(), id="another column"),
        pytest.param(
            "select s.q from (select max(o) as o, d, sum(q) as q from lines group by d) s "
            "join orders o on s.o = o.o and s.d = o.d",
            set(),
            id="an aggregate of the column",
        ),
        pytest.param(
            "select a.q from lines a join lines b on a.q = b.q "
            "join orders o on a.o = o.o and b.d = o.d",
            set(),
            id="columns of two rows",
        ),
        pytest.param(
            "select l.q from lines l join (select o, d, count(*) as n from orders group by o, d) o "
            f"on {ON}",
            set(),
            id="referenced groups",
        ),
    ],
)
def test_joins_along_keys(query: str, referenced: set[str]) -> None:
    assert _along(query) == referenced


def test_columns_of_other_types_are_no_reference() -> None:
    keys = (ForeignKey(ORDERS, ("c",), CUSTOMERS, ("short",)),)
    assert not _along("select o.v from orders o join customers c on o.c = c.short", keys)


def _scans(query: str, lasting: Lasting, *moved: str) -> set[tuple[str, At]]:
    view = build_view(query, CATALOG)
    layout = lay_out(view, dict.fromkeys(probe(view.root).columns, "bigint"), "`s`.`v__ivm`")
    facts = {name: FACTS[name] for name in view.sources}
    found = Derivation(layout, facts, lasting).over(frozenset(moved))
    if isinstance(found, Empty):
        return set()
    return {(n.relation, n.at) for n in nodes(found) if isinstance(n, Scan)}


def test_new_rows_of_the_referenced_table_have_no_term() -> None:
    lasting = Lasting(KEYS)
    moved = (LINES, ORDERS, CUSTOMERS)
    read = {(LINES, At.CHANGES), (ORDERS, At.POST), (CUSTOMERS, At.POST)}
    assert _scans(CHAIN, lasting, *moved) == read
    assert (LINES, At.POST) in _scans(CHAIN, Lasting(), *moved)
    assert not _scans(CHAIN, lasting, ORDERS, CUSTOMERS)


def test_deleted_rows_of_the_referenced_table_are_partners_too() -> None:
    lasting = Lasting(KEYS, frozenset({ORDERS}))
    read = {(LINES, At.CHANGES), (ORDERS, At.POST), (ORDERS, At.CHANGES), (CUSTOMERS, At.POST)}
    assert _scans(CHAIN, lasting, LINES, ORDERS, CUSTOMERS) == read


def test_the_other_terms_stay() -> None:
    lasting = Lasting((OF_ORDER,))
    found = _scans(CHAIN, lasting, LINES, ORDERS, CUSTOMERS)
    assert {(LINES, At.POST), (CUSTOMERS, At.CHANGES)} <= found
    assert (ORDERS, At.CHANGES) not in found


def test_of_tables_that_refer_to_each_other_one_keeps_its_term() -> None:
    keys = (
        ForeignKey(ORDERS, ("c",), CUSTOMERS, ("c",)),
        ForeignKey(CUSTOMERS, ("c",), ORDERS, ("c",)),
    )
    query = "select o.v, c.segment from orders o join customers c on o.c = c.c"
    found = _scans(query, Lasting(keys), ORDERS, CUSTOMERS)
    changed = {name for name, at in found if at is At.CHANGES}
    assert len(changed) == 1
