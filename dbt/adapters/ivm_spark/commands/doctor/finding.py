"""A finding of the doctor: how severe it is, and the statement that repairs it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How severe a finding is.

    Attributes:
        ERROR: the model is wrong, or its next run fails.
        WARNING: the model costs more than it should, or soon will.
        INFO: good to know.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """A finding of the doctor.

    Attributes:
        severity: how severe it is.
        code: its name for programs.
        subject: the relation that it is about.
        message: what the doctor found.
        remedy: a statement or a command to copy, or what to write into a project's file.
    """

    severity: Severity
    code: str
    subject: str
    message: str
    remedy: str
