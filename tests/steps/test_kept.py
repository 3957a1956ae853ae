"""What is kept from one command to the next: found for its own state only, and never in the way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from steps.catalog.kept import kept
from steps.design.public_holidays import public_holidays


def asked(folder: Path, *state: object) -> tuple[str, bool]:
    """Return what is kept for a state, and whether it was made just now."""
    made: list[bool] = []

    def make() -> str:
        made.append(True)
        return f"value of {state}"

    return kept("name", state, make, folder), bool(made)


def test_it_is_made_once_for_a_state_and_anew_for_another(tmp_path: Path) -> None:
    first, again = asked(tmp_path, "a file", 1), asked(tmp_path, "a file", 1)
    changed = asked(tmp_path, "a file", 2)

    assert (first, again) == (("value of ('a file', 1)", True), ("value of ('a file', 1)", False))
    assert changed == ("value of ('a file', 2)", True)
    assert len(list(tmp_path.iterdir())) == 1, "nothing is left of earlier states"


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:40], lambda b: b[:-9] + bytes(9), lambda _: b""])
def test_what_is_damaged_is_made_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    asked(tmp_path, "a file")
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))

    assert asked(tmp_path, "a file") == ("value of ('a file',)", True)
    assert asked(tmp_path, "a file") == ("value of ('a file',)", False)


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for _ in range(2):
        assert asked(tmp_path / "file", "a file") == ("value of ('a file',)", True)


def test_the_holidays_of_other_years_displace_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of holidays takes a tenth of a second to import, and plans of several years are on one machine."""
    for_one_year = public_holidays("US-TN", 2001, 2005)
    public_holidays("US-TN", 2002, 2006)

    monkeypatch.setitem(sys.modules, "holidays", None)

    assert public_holidays("US-TN", 2001, 2005) == for_one_year
