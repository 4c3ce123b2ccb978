"""Finds, replaces or starts the Spark that stays for a warehouse."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.gateway import attached
from dbt.adapters.ivm_spark.session.keeper import order
from dbt.adapters.ivm_spark.session.place import Note, Place
from dbt.adapters.ivm_spark.session.start_files import waiting_for

_ANSWER = 20.0
"""Seconds in which a Spark that stays must answer its new client."""
_LOOK = 0.1
"""Seconds between two looks for a Spark that starts."""
_SHOWN = 3
"""Names of settings that a message lists."""
logger = AdapterLogger("IvmSpark")
_entered: list[Place] = []
"""Holds this process's place among the clients until it ends."""


def resident_session(
    settings: Mapping[str, str], place: Place, keep: float, archive: bool
) -> SparkSession:
    """Return the session of the Spark that stays for a warehouse; start one if none runs.

    One that has other settings or packages is replaced, unless other processes use it. So is one
    that does not answer.

    Args:
        settings: the settings to start it with.
        place: the place of the warehouse.
        keep: the seconds for which it stays after its last client.
        archive: whether to use an archive of Spark's classes.

    Raises:
        DbtRuntimeError: one with other settings is in use; the message says which.
        RuntimeError: Spark does not start.
    """
    if not place.enter() and (stuck := place.note) is not None:
        _replacing(stuck, place)
        place.enter()
    _entered.append(place)
    place.keep = keep
    with place.starting():
        place.settle()
        note = place.note
        if note is not None and (unlike := note.unlike(settings)):
            with place.alone() as alone:
                if not alone:
                    raise DbtRuntimeError(
                        f"Another dbt process uses the Spark that stays for {note.warehouse}, and "
                        f"it was started with another {_listed(unlike)}. Wait until the other "
                        "process has ended, or use the same settings."
                    )
                logger.info(f"Starting Spark again: it ran with another {_listed(unlike)}.")
                place.end(note)
            note = None
        session = None if note is None else attached(note, _ANSWER)
        if note is not None and session is None:
            _replacing(note, place)
        if session is None:
            session = attached(_started(settings, place, archive), _ANSWER)
    if session is None:
        raise DbtRuntimeError(f"Spark was started and does not answer. Details: {place.log}")
    return session


def _replacing(note: Note, place: Place) -> None:
    logger.warning(f"The Spark that stays for {note.warehouse} does not answer: replaced.")
    place.end(note, kill=True)


def _started(settings: Mapping[str, str], place: Place, archive: bool) -> Note:
    """Start a process that keeps a Spark, and return its note."""
    logger.info(waiting_for(settings))
    command = [sys.executable, "-m", "dbt.adapters.ivm_spark.session.keeper", str(place.folder)]
    with place.log.open("ab") as output:
        keeper = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True
        )
    assert keeper.stdin is not None
    with keeper.stdin as given:
        given.write(order(settings, archive))
    while (note := place.note) is None:
        # A process that was killed may have started another keeper, which has the locks then.
        if keeper.poll() is not None and not place.is_locked("alive"):
            raise RuntimeError(place.failure or "its process ended")
        time.sleep(_LOOK)
    return note


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
