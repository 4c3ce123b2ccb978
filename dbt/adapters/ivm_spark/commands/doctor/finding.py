"""What the doctor found: how bad it is, and the statement that mends it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """error: the model is wrong, or its next run fails; warning: it costs more than it should, or
    soon will; info: good to know."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """code: what programs know it by; subject: the relation it is about; remedy: a statement or a
    command to copy, or what to write into a project's file."""

    severity: Severity
    code: str
    subject: str
    message: str
    remedy: str
