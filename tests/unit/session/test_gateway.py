"""Reaching a Spark of another process."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.session.gateway import attached
from dbt.adapters.ivm_spark.session.place import Note


class Unchanged(dict[str, str]):
    """An environment that others read at the same time."""

    def _refuse(self, *_: object) -> None:
        raise AssertionError("the environment is dbt's too")

    __setitem__ = __delitem__ = __ior__ = update = pop = _refuse  # type: ignore[assignment]


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a process that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_the_environment_stays_as_it_is(
    silent: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = Note(silent, "secret", 1, 1, 0.0, str(tmp_path), "1g")
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", Unchanged(os.environ))
        assert attached(note, within=0.2) is None
