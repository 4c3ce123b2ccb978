"""Whether a source is still the table that was recorded.

CREATE OR REPLACE gives a table a new id and lets its log go on; DROP and CREATE begin a log anew.
What tells them apart is the time at which the recorded version was committed. Only where that
can't be seen does the id decide, which costs a statement of its own.
"""

from __future__ import annotations

from dbt.adapters.ivm_spark.record.watermark import SourceMark
from dbt.adapters.ivm_spark.source.window import Head


def needs_id(head: Head, mark: SourceMark) -> bool:
    """Whether `head.table_id` has to be known for `is_another`."""
    return head.version < mark.version or head.committed(mark.version) is None


def is_another(head: Head, mark: SourceMark) -> bool:
    """Whether a source is another table than the recorded one."""
    if needs_id(head, mark):
        return head.table_id != mark.table_id
    return head.committed(mark.version) != mark.committed
