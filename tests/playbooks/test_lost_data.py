"""What comes back of data that is lost on purpose. `tests/lab/test_drills.py` does it with restic; here a copy stands in for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.playbooks.scripts import script


class Place:
    """A folder that is lost, a copy of it, and a restic that restores from that copy."""

    def __init__(self, tmp_path: Path, made: str) -> None:
        self.lost, self.copy, self.settings = (tmp_path / name for name in ("project", "copy", "backup.env"))
        (self.lost / "notes").mkdir(parents=True)
        (self.lost / "notes" / "one").write_text("one", encoding="utf-8")
        (self.lost / "a [b] *").write_text("two", encoding="utf-8")
        (self.lost / "link").symlink_to("notes/one")
        shutil.copytree(self.lost, self.copy, symlinks=True)
        self.settings.write_text("RESTIC_REPOSITORY=/nowhere\n", encoding="utf-8")
        self.asked = tmp_path / "asked"
        restic = tmp_path / "bin" / "restic"
        restic.parent.mkdir()
        restic.write_text(
            f"""#!/bin/sh
echo "$@" >>{self.asked}
case "$2" in
  snapshots) echo "[{{\\"id\\": \\"1f2e3d4c5b\\", \\"time\\": \\"$(date -d '{made}' --iso-8601=seconds)\\"}}]";;
  restore) cp -a {self.copy} {self.lost};;
esac
""",
            encoding="utf-8",
        )
        restic.chmod(0o755)

    def drill(self) -> dict[str, Any]:
        """Lose the folder and restore it. It must be as it was after that, whatever came back."""
        before = sorted((path, path.lstat().st_ino) for path in self.lost.rglob("*"))
        seen: dict[str, Any] = module().lost_and_restored(self.settings, 24.0, [self.lost])
        assert sorted((path, path.lstat().st_ino) for path in self.lost.rglob("*")) == before
        return seen


def module() -> ModuleType:
    return script("proof", "lost_data")


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return such a place, whose copy was made now or when the test says."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    return Place(tmp_path, getattr(request, "param", "1 hour"))


def test_all_that_comes_back_is_compared(place: Place) -> None:
    seen = place.drill()

    assert {name: seen[name] for name in ("copy", "age_h", "newer", "files")} == {
        "copy": "1f2e3d4c",
        "age_h": 0,
        "newer": 0,
        "files": 2,
    }
    assert "failed" not in seen


def lead_elsewhere(link: Path) -> None:
    link.unlink()
    link.symlink_to("elsewhere")


SPOILT: dict[str, tuple[Callable[[Path], Any], str]] = {
    "lacks a file": (lambda copy: (copy / "notes" / "one").unlink(), "project/notes/one is not there"),
    "has other bytes": (lambda copy: (copy / "notes" / "one").write_text("eno"), "project/notes/one has other bytes"),
    "has other rights": (
        lambda copy: (copy / "a [b] *").chmod(0o777),
        "project/a [b] * has another owner, other rights",
    ),
    "has another link": (lambda copy: lead_elsewhere(copy / "link"), "project/link leads elsewhere"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_does_not_come_back_as_it_was_is_named(place: Place, how: str) -> None:
    spoil, why = SPOILT[how]
    spoil(place.copy)

    assert why in place.drill()["failed"]


def test_a_drill_that_was_interrupted_is_put_right_first(place: Place) -> None:
    place.lost.rename(module().aside(place.lost))
    place.lost.mkdir()

    seen = module().lost_and_restored(place.settings, 24.0, [place.lost])

    assert seen["files"] == 2
    assert (place.lost / "notes" / "one").read_text(encoding="utf-8") == "one"
    assert not module().aside(place.lost).exists()


@pytest.mark.parametrize(
    ("place", "why"),
    [("2 days ago", "48.0 h old where 24 h were agreed"), ("1 hour ago", "nothing of")],
    indirect=["place"],
)
def test_nothing_is_lost_for_a_copy_that_is_too_old_or_has_nothing_of_it(place: Place, why: str) -> None:
    assert why in place.drill()["failed"]
    assert "restore" not in place.asked.read_text(encoding="utf-8")
