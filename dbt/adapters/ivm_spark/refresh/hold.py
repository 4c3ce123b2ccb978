"""Keeps readers on the old contents while a rebuild gives a view another state and another text.

State and view are two objects, so they can't change in one commit. Before the state is replaced,
the view is set to the state's version of now; after it, to the new text. Each is one change of the
catalog's entry (ALTER VIEW; CREATE OR REPLACE VIEW drops the entry and creates it anew).
"""

from __future__ import annotations

from contextlib import suppress

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.state.held import held, released
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, unsettled


def hold(query: Query, view: str, state: str, version: int, shown: str) -> None:
    """Set a view to its state at the version that was planned with, where that can be done.

    It can't where another run has changed the state since, or where Spark says that nobody can read
    the view anyhow; the rebuild goes on then.

    Args:
        query: sends a statement.
        view: quoted name.
        state: quoted name.
        version: the state's newest when the rebuild was planned.
        shown: the mark that the view has.

    Raises DbtDatabaseError where a view that can be read, or may be, is not held: its readers would
    see the new state through the old text.
    """
    try:
        _hold(query, view, state, version + 1, shown)
    except DbtDatabaseError as error:
        if not says_condition(error) or _is_readable(query, view):
            raise


def release(query: Query, view: str, state: str) -> None:
    """Let a view that is held at its state's newest version read the state as it is, for a rebuild
    that failed: a held version can be read for as long only as Delta keeps old versions."""
    with suppress(DbtDatabaseError):
        reader = SourceReader(query)
        relation = reader.relation(view)
        version = reader.commits(state, None)[0].version
        text = released(relation.text, [name for name, _ in relation.columns], state, version)
        if text is not None:
            query(f"alter view {view} as {text}")


def _is_readable(query: Query, view: str) -> bool:
    try:
        query(f"describe query select * from {view}")
    except DbtDatabaseError as error:
        if says_condition(error):
            return False
        raise
    return True


def _hold(query: Query, view: str, state: str, version: int, shown: str) -> None:
    reader = SourceReader(query)
    relation = reader.relation(view)
    text = held(relation.text, [name for name, _ in relation.columns], state, version)
    if text is None:
        return
    # A version of its own: Delta gives back none that is older than its files' retention.
    query(f"alter table {state} set tblproperties ('ivm_spark.held' = '{version}')")
    if reader.commits(state, None)[0].version != version:
        return
    # First, so that a run which ends between the two is noticed by the next one.
    query(f"alter view {view} set tblproperties ('{PROPERTY}' = '{unsettled(shown)}')")
    query(f"alter view {view} as {text}")
