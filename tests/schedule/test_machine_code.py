"""Machine code is kept for one state of the sources: none of it outlives a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedule.machine_code import place_for, state_of


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Two files of source, one of which calls the other."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "calls.py").write_text("from called import one\n", encoding="utf-8")
    (folder / "called.py").write_text("one = 1\n", encoding="utf-8")
    return folder


def test_a_changed_or_renamed_file_is_another_state(sources: Path) -> None:
    states = [state_of(sources)]
    (sources / "called.py").write_text("one = 2  # and more\n", encoding="utf-8")
    states.append(state_of(sources))
    (sources / "called.py").rename(sources / "named_anew.py")
    states.append(state_of(sources))

    assert len(set(states)) == 3
    assert state_of(sources) == states[-1]


def test_what_was_kept_of_earlier_sources_is_removed_and_nothing_else(sources: Path, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    (place / "other").mkdir(parents=True)
    first = place_for(sources, [place])
    assert first is not None
    (first / "code.nbi").touch()
    (sources / "called.py").rename(sources / "named_anew.py")

    second = place_for(sources, [place])

    assert second is not None
    assert {one.name for one in place.iterdir()} == {second.name, "other"}
    assert place_for(sources, [place]) == second


def test_where_the_first_place_cannot_be_written_the_next_one_is_taken(sources: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.touch()  # a file: no folder can be made in it

    assert place_for(sources, [closed / "cache", tmp_path / "home"]) is not None
    assert place_for(sources, [closed / "cache"]) is None
