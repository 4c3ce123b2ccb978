"""Keeps readers on the old contents while a refresh changes a view's state and its text.

State and view are two objects, so they can't change in one commit. Before the refresh changes the
state, it sets the view to the state's present version. Afterwards it sets the view to the new text.
Each is one change of the catalog's entry by ALTER VIEW; CREATE OR REPLACE VIEW would drop the entry
and create it again.
"""

from __future__ import annotations

from contextlib import suppress

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.session.condition import is_taken, says_condition
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.state.held import held, released
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, unsettled


def hold(query: Query, view: str, state: str, version: int, shown: str) -> int | None:
    """Set a view to the rows that its state had when the rebuild was planned.

    The view stays as it is if its text might change its meaning, or if Spark says that nobody can
    read it anyhow. The rebuild then goes on.

    Args:
        query: sends a statement.
        view: the quoted name of the view.
        state: the quoted name of the state.
        version: the state's newest version when the rebuild was planned.
        shown: the mark that the view has.

    Return how many versions of the state it has made, None if somebody has changed the state's rows
    since, so that the refresh is to be planned again.

    Raises DbtDatabaseError if a view that can be read, or may be, is not held. Its readers would
    see the new state through the old text.
    """
    try:
        return _hold(query, view, state, version, shown)
    except DbtDatabaseError as error:
        if not says_condition(error) or is_taken(query, f"describe query select * from {view}"):
            raise
        return 0


def release(query: Query, view: str, state: str) -> None:
    """Let a view that is held at its state's newest version read the state as it is again.

    This is for a rebuild that failed: a held version can be read only as long as Delta keeps old
    versions.
    """
    with suppress(DbtDatabaseError):
        reader = SourceReader(query)
        relation = reader.relation(view)
        version = reader.commits(state, None)[0].version
        text = released(relation.text, [name for name, _ in relation.columns], state, version)
        if text is not None:
            query(f"alter view {view} as {text}")


def _hold(query: Query, view: str, state: str, planned: int, shown: str) -> int | None:
    reader = SourceReader(query)
    relation = reader.relation(view)
    columns = [name for name, _ in relation.columns]
    if held(relation.text, columns, state, planned) is None:
        return 0
    # Create a version of its own: Delta reads back none that is older than its files' retention.
    query(f"alter table {state} set tblproperties ('ivm_spark.held' = '{planned}')")
    commits = reader.commits(state, planned)
    since = (commit for commit in commits if commit.version > planned)
    if any(commit.effect is not Effect.NOTHING for commit in since):
        return None
    # Whatever else was committed since, OPTIMIZE for example, the newest version has the same rows.
    text = held(relation.text, columns, state, commits[0].version)
    # Set the mark first, so that the next run notices a run which ends between the two.
    query(f"alter view {view} set tblproperties ('{PROPERTY}' = '{unsettled(shown)}')")
    query(f"alter view {view} as {text}")
    return 1
