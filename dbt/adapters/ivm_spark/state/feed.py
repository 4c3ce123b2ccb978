"""The changes of a view's rows between two versions of its state: what to read for them."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.ivm_spark.state.shown_row import ShownRow

FORMS = ("compressed", "transactional")
UPDATES = ("pairs", "rows")


@dataclass(frozen=True)
class Feed:
    """The input of the templates `ivm_changes_sql` and `ivm_publish_changes`.

    Attributes:
        state: quoted name of the state.
        row: what a row of the state shows, None if only the whole view can be compared.
        form: one of FORMS.
        updates: one of UPDATES.
        since: the version after which changes are read, None for the view's contents as inserts.
        last: the last version of the state whose changes the feed has.
        committed: when that version was committed, in milliseconds.
        refreshes: (version, number) of each refresh.
        location: the folder of the state, if its feed is read by location.
    """

    state: str
    row: ShownRow | None
    form: str
    updates: str
    since: int | None
    last: int
    committed: int
    refreshes: tuple[tuple[int, int], ...]
    location: str = ""

    @property
    def reads_feed(self) -> bool:
        """Return whether the state's feed is read, not its rows or the whole view."""
        return self.since is not None and self.row is not None

    @property
    def first(self) -> int:
        """Return the first version whose changes are read."""
        return self.last if self.since is None else min(self.since + 1, self.last)

    @property
    def empty(self) -> bool:
        """Return whether there is no refresh in between."""
        return self.since == self.last

    @property
    def paired(self) -> bool:
        """Return whether an old and a new row of one key are one change."""
        return self.updates == "pairs" and self.row is not None and bool(self.row.keys)
