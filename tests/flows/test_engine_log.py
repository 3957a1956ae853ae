"""The engine's log: what it said is kept with its warnings, and read again entry by entry."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import pytest

from flows.engine.log_file import entries, file_handler, kept, log_file
from schedule.errors import UnreachableError


def read(site: Path) -> list[tuple[str, str]]:
    with log_file(site).open(encoding="utf-8") as lines:
        return [(entry.level, entry.text) for entry in entries(lines)]


def test_what_was_said_is_shown_and_kept_with_the_error_that_ended_it(tmp_path: Path) -> None:
    shown: list[str] = []
    with suppress(UnreachableError), kept(tmp_path, shown.append) as say:
        say("running")
        raise UnreachableError("the server ended", hint="start it again")

    assert shown == ["running"], "the caller shows the error"
    assert read(tmp_path) == [("INFO", "running"), ("ERROR", "the server ended\n  start it again")]


def test_a_traceback_is_one_entry_and_lines_of_an_earlier_release_are_kept(tmp_path: Path) -> None:
    handler = file_handler(tmp_path)
    log_file(tmp_path).write_text("2026-11-20 09:00:00,000 WARNING of an earlier release\n", encoding="utf-8")
    with pytest.raises(ValueError, match="invalid literal") as broke:
        int("no number")
    told = (broke.type, broke.value, broke.tb)
    handler.emit(logging.LogRecord("ours", logging.ERROR, __file__, 1, "broken", (), told))
    handler.emit(logging.LogRecord("ours", logging.WARNING, __file__, 1, "after it", (), None))
    handler.close()

    earlier, broken, after = read(tmp_path)

    assert earlier[1].endswith("WARNING of an earlier release")
    assert broken[1].startswith("broken\nTraceback")
    assert broken[1].endswith("ValueError: invalid literal for int() with base 10: 'no number'")
    assert after == ("WARNING", "after it")
