"""What a person saw last: sittings, what is kept of them, and a file that says nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tui.last_look import FILE, Look, looked

MONDAY = datetime(2026, 11, 23, 8, tzinfo=UTC)


def at(hours: float, seq: int = 1) -> Look:
    """Return a look so many hours after Monday morning."""
    return Look(MONDAY + timedelta(hours=hours), seq, MONDAY + timedelta(days=100), {"001@site": 60})


def test_what_moved_is_what_moved_since_the_last_sitting(tmp_path: Path) -> None:
    """An hour later is the same sitting; the next morning is another one, which stays so all day."""
    assert looked(tmp_path, "pm", at(0)) is None
    assert looked(tmp_path, "pm", at(1, seq=5)) is None
    assert looked(tmp_path, "pm", at(24, seq=9)) == at(1, seq=5)
    assert looked(tmp_path, "pm", at(25, seq=12)) == at(1, seq=5)


def test_each_person_has_looks_of_their_own(tmp_path: Path) -> None:
    """That one has seen it tells nobody else anything."""
    looked(tmp_path, "pm", at(0))

    assert looked(tmp_path, "lead", at(24)) is None
    assert looked(tmp_path, "pm", at(24)) == at(0)


def test_looks_are_for_the_account_of_the_site_alone(tmp_path: Path) -> None:
    """Like all that a site keeps."""
    looked(tmp_path, "pm", at(0))

    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert [file.name for file in (tmp_path / FILE).parent.iterdir()] == [FILE.name]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"pm": 3}', '{"pm": {"last": {"at": "x"}}}', '{"pm": {"last": {"slip": 1}}}']
)
def test_a_file_that_says_nothing_is_no_look(tmp_path: Path, text: str) -> None:
    """The next look replaces it."""
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(text, encoding="utf-8")

    assert looked(tmp_path, "pm", at(0)) is None
    assert looked(tmp_path, "pm", at(24)) == at(0)


def test_a_folder_that_cannot_be_written_keeps_none(tmp_path: Path) -> None:
    """Nothing depends on it."""
    (tmp_path / FILE).parent.write_text("a file", encoding="utf-8")

    assert looked(tmp_path, "pm", at(0)) is None
