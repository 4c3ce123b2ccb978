"""What a person and a program are told."""

from __future__ import annotations

import json
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.reasons import Reason, ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.as_text import as_text
from dbt.adapters.ivm_spark.commands.doctor.doctor import as_json
from dbt.adapters.ivm_spark.commands.doctor.facts import KeyFacts
from tests.unit.commands.doctor.models import HEALTHY, ORDERS

TEXT = """\
shop.revenue
  state    3 files, 12.4 kB; refresh 14, 4 h ago
  next     incremental (group_aggregate)
  sources  shop.orders: feed since version 0 (2027-01-06 08:00 UTC), read to version 12 of 14, \
2 unread changes, the oldest 3 h ago, kept 7 d, key (id) not checked
  ok

shop.top
  next     full: CDF_UNAVAILABLE
  sources  shop.orders: no change feed, kept 7 d

  WARNING  FEED_OFF
           shop.orders has no change data feed, so each refresh after a change to it is full.
         > ALTER TABLE `shop`.`orders` SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');

  INFO     NOT_BUILT
           It has not been built yet.
         > dbt run --select top

2 models, 0 errors, 1 warning, 1 info"""

KEYED = replace(HEALTHY, sources=(replace(ORDERS, keys=(KeyFacts(("id",), "a constraint"),)),))
TOP = replace(
    HEALTHY,
    model="top",
    view="`shop`.`top`",
    kind="full",
    reason=Reason(ReasonCode.CDF_UNAVAILABLE),
    state=None,
    sources=(replace(ORDERS, feed_since=None, recorded=None, unread=0, unread_since=None),),
)


def test_the_text_lists_models_and_findings() -> None:
    assert as_text([KEYED, TOP]) == TEXT
    assert as_text([]) == "This project has no ivm models."


def test_a_source_of_files_has_no_versions() -> None:
    files = replace(ORDERS, feed_since=None, recorded=0, unread_since=None, files=True)
    (line,) = (t for t in as_text([replace(TOP, sources=(files,))]).splitlines() if "sources" in t)
    assert line == "  sources  shop.orders: files, no versions"
    changed = replace(TOP, sources=(replace(files, replaced=True),))
    assert "shop.orders: files, changed since the last refresh" in as_text([changed])


def test_an_iceberg_table_has_snapshots() -> None:
    source = replace(ORDERS, feed_since=None, recorded=7, version=9, snapshots=True)
    (line,) = (t for t in as_text([replace(TOP, sources=(source,))]).splitlines() if "sources" in t)
    assert line == "  sources  shop.orders: snapshots, read to 7 of 9"


def test_json() -> None:
    one, other = json.loads(as_json([KEYED, TOP]))["models"]
    assert one["findings"] == []
    assert one["sources"][0]["feed_since"] == [0, 1799222400000]
    assert other["reason"]["code"] == "CDF_UNAVAILABLE"
    assert [(f["severity"], f["code"]) for f in other["findings"]] == [
        ("warning", "FEED_OFF"),
        ("info", "NOT_BUILT"),
    ]
