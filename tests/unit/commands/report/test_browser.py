"""The page as a browser shows it, light and dark, where there is a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from matplotlib.image import imread

from dbt.adapters.ivm_spark.commands.report.figures import lineage, reasons, refreshes
from dbt.adapters.ivm_spark.commands.report.page import page
from tests.unit.commands.doctor.models import NOW
from tests.unit.commands.report.history import MODELS

CHROMIUM = shutil.which("chromium")
SCHEMES = {"light": "1", "dark": "0"}


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_renders_in_a_browser(scheme: str, tmp_path: Path) -> None:
    html, picture = tmp_path / "report.html", tmp_path / "report.png"
    html.write_text(page("shop", NOW, MODELS, lineage, refreshes, reasons), "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    flags += ["--window-size=1100,1900", f"--user-data-dir={tmp_path / 'profile'}"]
    flags += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"]
    command = [str(CHROMIUM), *flags, f"--screenshot={picture}", html.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    grey = imread(picture)[:, :, :3].mean(axis=2)
    paper = grey[0, 0]
    assert (paper > 0.9) if scheme == "light" else (paper < 0.15)
    ink = abs(grey - paper) > 0.6
    # The text of the lineage's boxes and of the axes is drawn in the page's own ink.
    for top, bottom in ((200, 325), (940, 1190)):
        assert ink[top:bottom].mean() > 0.004, (top, bottom)
