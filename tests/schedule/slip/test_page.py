"""The page of the method has an example, and the figures beside it are its results."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "slip.md"


def test_the_example_of_the_page_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]

    exec(compile(code, PAGE.name, "exec"), {"__name__": "page"})

    lines = capsys.readouterr().out.splitlines()
    words = "is delivered late, or promised for later"
    assert lines[0] == f"8 [('delivery', '{words}', 6), ('order', 'was ordered late', 2)]"
    assert lines[1:3] == ["{'supplier': 8640, 'buyer': 2880}", "[(('room',), 2)]"]
    assert lines[3].startswith("[('delivery', 'the data date', 0), ('install', 'a link', 0)")
    assert lines[4:] == ["install 5 100000.0 20000.0", "test 3 60000.0 20000.0", "delivery 2 40000.0 20000.0"]
