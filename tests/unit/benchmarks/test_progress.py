from __future__ import annotations

import io

from rich.console import Console

from benchmarks.progress import Steps


def test_each_step_is_a_line_where_the_output_is_a_file() -> None:
    out = io.StringIO()
    with Steps(Console(file=out, width=40)) as steps:
        steps.expect(2)
        steps.expect(1)
        steps.now("building")
        steps.done("[INCREMENTAL] " + "x" * 60)
        steps.done("second")
    lines = out.getvalue().splitlines()
    assert [line.split("s ", 1)[1] for line in lines] == [
        "1/3 [INCREMENTAL] " + "x" * 60,
        "2/3 second",
    ]
