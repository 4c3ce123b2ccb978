"""The sources of the golden cases."""

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts


def _delta(name: str, *columns: tuple[str, str]) -> Relation:
    return Relation(f"`shop`.`{name}`", RelationKind.DELTA, columns)


RELATIONS = (
    _delta(
        "orders",
        ("order_id", "bigint"),
        ("customer_id", "bigint"),
        ("ordered_on", "date"),
        ("amount", "decimal(12,2)"),
        ("note", "string"),
    ),
    _delta("customers", ("customer_id", "bigint"), ("segment", "string"), ("name", "string")),
    _delta("clicks", ("user_id", "bigint"), ("tags", "array<string>"), ("seconds", "int")),
    Relation(
        "`shop`.`big_orders`",
        RelationKind.VIEW,
        (("id", "bigint"), ("amount", "decimal(12,2)")),
        "select order_id, amount from orders where amount > 100",
        ("shop",),
        ("order_id", "amount"),
    ),
)


def facts_of_all(rows: int) -> dict[str, SourceFacts]:
    """What is known of the sources where each has so many rows."""
    return {r.name: SourceFacts.of(rows, r.columns) for r in RELATIONS}


CATALOG = Catalog({relation_key(r.name): r for r in RELATIONS}, ("shop",))
TYPES = {
    "amount": "decimal(12,2)",
    "segment": "string",
    "customer_id": "bigint",
    "order_id": "bigint",
    "user_id": "bigint",
    "seconds": "int",
    "note": "string",
    "name": "string",
    "id": "bigint",
    "tag": "string",
    "month": "int",
}
