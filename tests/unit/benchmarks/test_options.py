from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import main, options_of
from benchmarks.suites.every import SUITES


def test_given_options_override_suite_defaults() -> None:
    given = {"folder": "here", "scale": 2.0, "fractions": [0.5], "rounds": None, "check": False}
    options = options_of(given, SUITES["quick"].defaults)
    assert (options.scale, options.fractions, options.rounds) == (2.0, (0.5,), 1)
    assert options.check is False
    assert options.folder == Path("here").absolute()
    assert options.data.name == "tpch_2"


@pytest.mark.parametrize("suite", SUITES)
def test_suite_defaults_are_known_options(suite: str) -> None:
    options_of({"folder": "x"}, SUITES[suite].defaults)


def test_an_unknown_model_is_refused_with_the_names_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--models", "q23"])
    assert "'q22'" in capsys.readouterr().err
