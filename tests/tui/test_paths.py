"""A path is completed while it is typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tui.acting.paths import PathSuggester


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("sc", "scans/"),
        ("scans/", "scans/one.csv"),
        ("scans/t", "scans/two.csv"),
        ("./sc", "./scans/"),
        ("nowhere/", None),
        ("x", None),
        (".h", ".hidden"),
    ],
)
def test_the_first_file_that_begins_so_is_suggested(tmp_path: Path, typed: str, suggested: str | None) -> None:
    (tmp_path / "scans").mkdir()
    for name in ("scans/one.csv", "scans/two.csv", ".hidden"):
        (tmp_path / name).write_text("", encoding="utf-8")

    assert asyncio.run(PathSuggester(tmp_path).get_suggestion(typed)) == suggested
    absolute = asyncio.run(PathSuggester(Path("/")).get_suggestion(f"{tmp_path}/{typed}"))
    assert absolute == (None if suggested is None else f"{tmp_path}/{typed}{suggested[len(typed) :]}")
