"""All suites by name."""

from __future__ import annotations

from benchmarks.suites.big_state import BIG_STATE
from benchmarks.suites.layers import LAYERS
from benchmarks.suites.long_run import LONG_RUN
from benchmarks.suites.many_models import MANY_MODELS
from benchmarks.suites.refreshes import REFRESHES

SUITES = {suite.name: suite for suite in (*REFRESHES, LAYERS, MANY_MODELS, LONG_RUN, BIG_STATE)}
