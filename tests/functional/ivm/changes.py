"""Sources full of NULLs and duplicates, and random batches of changes to them, from one seed."""

from __future__ import annotations

from random import Random

from tests.functional.ivm.warehouse import FEED, Warehouse

SOURCES_YML = """
sources:
  - name: shop
    schema: "{{ target.schema }}"
    tables: [{name: orders}, {name: customers}, {name: products}]
"""

COLUMNS = {
    "orders": {
        "id": "int",
        "customer_id": "int",
        "product": "string",
        "amount": "decimal(10,2)",
        "quantity": "bigint",
        "price": "double",
        "placed": "date",
        "tags": "array<string>",
    },
    "customers": {
        "customer_id": "int",
        "segment": "string",
        "region": "string",
        "manager_id": "int",
    },
    "products": {"product": "string", "category": "string", "weight": "double"},
}
VALUES = {
    "id": [str(n) for n in range(1, 25)],
    "customer_id": [str(n) for n in range(1, 8)],
    "manager_id": [str(n) for n in range(1, 8)],
    "product": ["'ale'", "'bun'", "'cod'", "'dip'", "''"],
    "amount": ["-5", "0", "2.5", "5", "5.00", "19.99"],
    "quantity": ["-1", "0", "1", "2", "9007199254740993"],
    "price": ["-0.5", "0.0", "-0.0", "1.25", "3.5", "double('NaN')"],
    "weight": ["0.0", "0.5", "2.25", "4.0"],
    "placed": ["date'2023-12-31'", "date'2024-01-01'", "date'2024-02-29'"],
    "tags": ["array('x')", "array('x', 'y', 'x')", "array('y', null)", "array()"],
    "segment": ["'a'", "'b'", "'c'"],
    "region": ["'x'", "'y'", "'Z'"],
    "category": ["'food'", "'drink'"],
}
SIZES = {"orders": 40, "customers": 9, "products": 7}
NULLS = 0.15


class Changes:
    """Random changes; the same seed makes the same ones."""

    def __init__(self, warehouse: Warehouse, seed: int) -> None:
        self._warehouse = warehouse
        self._random = Random(seed)

    def create(self) -> None:
        for table, columns in COLUMNS.items():
            described = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            self._warehouse.sql(f"create table {table} ({described}) using delta {FEED}")
            self.insert(table, SIZES[table])

    def insert(self, table: str, count: int) -> None:
        """New rows; about every fourth one twice."""
        rows = [self._row(table) for _ in range(count)]
        rows += [row for row in rows if self._random.random() < 0.25]
        self._warehouse.sql(f"insert into {table} values {', '.join(rows)}")

    def update(self, table: str, columns: int = 2) -> None:
        """Other values in some columns of about a fifth of the rows."""
        chosen = self._random.sample(sorted(COLUMNS[table]), columns)
        sets = ", ".join(f"{name} = {self._value(table, name)}" for name in chosen)
        self._warehouse.sql(f"update {table} set {sets} where {self._some(table, 5)}")

    def delete(self, table: str, share: int = 6) -> None:
        """About one row in `share`; of duplicates all."""
        self._warehouse.sql(f"delete from {table} where {self._some(table, share)}")

    def overwrite(self, table: str) -> None:
        """INSERT OVERWRITE with most of the old rows and some new ones."""
        rows = ", ".join(self._row(table) for _ in range(3))
        self._warehouse.sql(
            f"create or replace temporary view kept as "
            f"select * from {table} where not {self._some(table, 4)}",
            f"insert overwrite {table} select * from kept union all select * from values {rows}",
        )

    def merge(self, table: str) -> None:
        """One MERGE that deletes, updates and inserts."""
        names = list(COLUMNS[table])
        other = self._random.choice(names[1:])
        row = self._row(table)
        self._warehouse.sql(
            f"merge into {table} as t using (select explode(array(1, 2, 3)) as k, "
            f"array({', '.join(VALUES[names[0]][:3])}) as ks) as s "
            f"on t.{names[0]} = s.ks[s.k - 1] "
            f"when matched and s.k = 1 then delete "
            f"when matched then update set {other} = {self._value(table, other)} "
            f"when not matched then insert ({', '.join(names)}) values {row}"
        )

    def _row(self, table: str) -> str:
        return f"({', '.join(self._value(table, name) for name in COLUMNS[table])})"

    def _value(self, table: str, column: str) -> str:
        value = "null" if self._random.random() < NULLS else self._random.choice(VALUES[column])
        return f"cast({value} as {COLUMNS[table][column]})"

    def _some(self, table: str, share: int) -> str:
        salt = self._random.randrange(1_000_000)
        return f"pmod(xxhash64({salt}, {', '.join(COLUMNS[table])}), {share}) = 0"
