"""A path is completed while it is typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tui.acting.command import Field
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
        ("~nobody-is-called-so/x", None),
    ],
)
def test_the_first_file_that_begins_so_is_suggested(tmp_path: Path, typed: str, suggested: str | None) -> None:
    (tmp_path / "scans").mkdir()
    for name in ("scans/one.csv", "scans/two.csv", ".hidden"):
        (tmp_path / name).write_text("", encoding="utf-8")

    assert asyncio.run(PathSuggester(tmp_path).get_suggestion(typed)) == suggested
    absolute = asyncio.run(PathSuggester(Path("/")).get_suggestion(f"{tmp_path}/{typed}"))
    assert absolute == (None if suggested is None else f"{tmp_path}/{typed}{suggested[len(typed) :]}")


def test_a_home_is_found_as_a_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell reads what a form runs: it was suggested, and then not found. A name that is nobody's ended the screens."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "one.csv").write_text("", encoding="utf-8")
    file = Field("file", "--file", "", is_file=True)

    assert asyncio.run(PathSuggester(Path("/")).get_suggestion("~/on")) == "~/one.csv"
    assert file.words("~/one.csv") == [f"--file={tmp_path}/one.csv"]
    assert file.words("~nobody-is-called-so") == ["--file=~nobody-is-called-so"]
