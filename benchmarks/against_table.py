"""Two ivm models against the same queries as `table` models: seconds, statements, Spark jobs.

    python benchmarks/against_table.py [million order lines, default 2]

Each round changes 0.1 % of the lines (inserts, updates, deletes), then refreshes the four models in
turn, in one process and one Spark. The first round warms up and is not counted; medians are shown.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from dbt.cli.main import dbtRunner

from dbt.adapters.ivm_spark.session.activity import watch

ROUNDS = 4
ONE_TABLE = (
    "select product_id, count(*) as n, sum(amount) as amount from {lines} group by product_id"
)
JOIN = (
    "select o.customer_id, count(*) as n, sum(l.amount) as amount "
    "from {lines} l join {orders} o on o.order_id = l.order_id group by o.customer_id"
)
MACROS = """
{% macro make(lines) %}
  {% do run_query("create schema if not exists shop") %}
  {% do run_query("create or replace table shop.orders using delta as select id as order_id,
     id % 50000 as customer_id from range(" ~ (lines // 4) ~ ")") %}
  {% do run_query("create or replace table shop.lines using delta as select id as line_id,
     id % " ~ (lines // 4) ~ " as order_id, id * 7919 % 20000 as product_id,
     cast(id % 9973 as decimal(12,2)) / 100 as amount from range(" ~ lines ~ ")") %}
{% endmacro %}
{% macro change(lines, round) %}
  {% set some = lines // 3000 %}
  {% do run_query("insert into shop.lines select " ~ lines ~ " * 10 + id + " ~ round * some ~ ",
     id * 31 % " ~ (lines // 4) ~ ", id % 20000, 12.34 from range(" ~ some ~ ")") %}
  {% do run_query("update shop.lines set amount = amount + 1 where line_id between "
     ~ round * some ~ " and " ~ (round + 1) * some) %}
  {% do run_query("delete from shop.lines where line_id between " ~ (lines // 2 + round * some)
     ~ " and " ~ (lines // 2 + (round + 1) * some)) %}
{% endmacro %}
"""


def main() -> None:
    lines = int(float(sys.argv[1] if len(sys.argv) > 1 else 2) * 1_000_000)
    os.chdir(tempfile.mkdtemp())
    _project()
    dbt = dbtRunner()
    _invoke(dbt, "run-operation", "make", "--args", json.dumps({"lines": lines}))
    _invoke(dbt, "run")
    rows: dict[str, list[tuple[float, int, int, str]]] = {}
    for number in range(ROUNDS + 1):
        arguments = json.dumps({"lines": lines, "round": number})
        _invoke(dbt, "run-operation", "change", "--args", arguments)
        for model in ("one_table_ivm", "one_table_table", "join_ivm", "join_table"):
            with watch() as activity:
                result = _invoke(dbt, "run", "--select", model)
            node = result.result.results[0]
            if number:
                said = node.adapter_response.get("_message", "")
                rows.setdefault(model, []).append(
                    (node.execution_time, len(activity.statements), activity.jobs, said)
                )
    for model, runs in rows.items():
        seconds = statistics.median(r[0] for r in runs)
        counts = f"{runs[-1][1]:3} statements {runs[-1][2]:3} jobs"
        print(f"{model:16} {seconds:6.2f} s  {counts}  {runs[-1][3]}")
    for kind in ("one_table", "join"):
        pairs = zip(rows[f"{kind}_table"], rows[f"{kind}_ivm"], strict=True)
        print(
            f"{kind}: {statistics.median(t[0] / i[0] for t, i in pairs):.2f} times as fast as table"
        )


def _project() -> None:
    models = {"one_table": ONE_TABLE, "join": JOIN}
    names = {"lines": "shop.lines", "orders": "shop.orders"}
    files = {
        "dbt_project.yml": "name: bench\nversion: 1.0.0\nprofile: bench\n",
        "profiles.yml": "bench: {target: dev, outputs: {dev: {type: ivm_spark, schema: bench}}}\n",
        "macros/shop.sql": MACROS,
    }
    for name, sql in models.items():
        for kind in ("ivm", "table"):
            config = f"{{{{ config(materialized='{kind}', refresh_policy='incremental') }}}}\n"
            files[f"models/{name}_{kind}.sql"] = config + sql.format(**names)
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _invoke(dbt: dbtRunner, *arguments: str):  # type: ignore[no-untyped-def]
    started = time.perf_counter()
    result = dbt.invoke(["--quiet", *arguments])
    if not result.success:
        raise SystemExit(
            f"{' '.join(arguments)} failed after {time.perf_counter() - started:.0f} s"
        )
    return result


if __name__ == "__main__":
    main()
