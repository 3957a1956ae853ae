"""A playbook's digest: over every file that a run of it plays, and worked out once for each change of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.ansible import digest
from flows.ansible.digest import playbook_digest
from steps.errors import UnreachableError

TICK_S = 0.05
"""Longer than one tick of a file system's clock."""

PLAYBOOK = "- name: Set up\n  hosts: all\n  roles: [outer]\n"
OUTER = "- name: Bring in\n  ansible.builtin.import_role: {name: inner}\n"


@pytest.fixture
def playbook(tmp_path: Path) -> Path:
    """A playbook whose role brings another in."""
    files = {
        "networking/030_set_up.yml": PLAYBOOK,
        "roles/outer/tasks/main.yml": OUTER,
        "roles/inner/tasks/main.yml": "[]\n",
        "roles/inner/files/limits.conf": "a 1\n",
        "roles/other/tasks/main.yml": "[]\n",
    }
    metas = {f"roles/{role}/meta/main.yml": "dependencies: []\n" for role in ("outer", "inner", "other")}
    for name, content in (files | metas).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "networking" / "030_set_up.yml"


@pytest.fixture
def times_hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The playbooks that were hashed, once for each time. Files count as settled as soon as they are written."""
    hashed: list[Path] = []
    content = digest._content

    def counted(playbook: Path) -> object:
        hashed.append(playbook)
        return content(playbook)

    monkeypatch.setattr(digest, "_content", counted)
    monkeypatch.setattr(digest, "SETTLED_S", 0)
    return hashed


def changed_role(folder: Path) -> None:
    (folder / "roles/inner/files/limits.conf").write_text("a 2\n", encoding="utf-8")


def added_file(folder: Path) -> None:
    (folder / "roles/inner/files/more.conf").touch()


def added_folder(folder: Path) -> None:
    (folder / "roles/inner/templates").mkdir()
    (folder / "roles/inner/templates/hosts").touch()


def removed_file(folder: Path) -> None:
    (folder / "roles/inner/files/limits.conf").unlink()


def changed_playbook(folder: Path) -> None:
    (folder / "networking/030_set_up.yml").write_text(PLAYBOOK.replace("all", "one"), encoding="utf-8")


def brought_in_another(folder: Path) -> None:
    (folder / "roles/outer/tasks/main.yml").write_text(OUTER.replace("inner", "other"), encoding="utf-8")


def changed_with_its_old_time(folder: Path) -> None:
    path = folder / "roles/inner/files/limits.conf"
    before = path.stat()
    path.write_text("a 3\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        changed_role,
        added_file,
        added_folder,
        removed_file,
        changed_playbook,
        brought_in_another,
        changed_with_its_old_time,
    ],
)
def test_it_is_hashed_once_a_change_and_seen_anew_after_it(
    playbook: Path, times_hashed: list[Path], change: Callable[[Path], None]
) -> None:
    first = playbook_digest(playbook)
    assert {playbook_digest(playbook) for _ in range(9)} == {first}
    assert len(times_hashed) == 1

    time.sleep(TICK_S)
    change(playbook.parent.parent)

    second = playbook_digest(playbook)
    assert second != first
    assert playbook_digest(playbook) == second
    assert len(times_hashed) == 2


def test_a_change_elsewhere_is_not_a_change_of_this_playbook(playbook: Path, times_hashed: list[Path]) -> None:
    first = playbook_digest(playbook)

    (playbook.parent.parent / "roles/other/tasks/main.yml").write_text("# another\n[]\n", encoding="utf-8")

    assert playbook_digest(playbook) == first
    assert len(times_hashed) == 1


def test_changes_within_one_tick_of_the_file_systems_clock_are_seen(
    playbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writes of the same size may leave the same time: a digest is kept only once its files are settled."""
    stamp = digest._stamp

    def by_a_clock_of_whole_seconds(path: Path) -> digest.Stamp | None:
        found = stamp(path)
        return found and (*found[:2], found[2] // 10**9 * 10**9)

    monkeypatch.setattr(digest, "_stamp", by_a_clock_of_whole_seconds)
    found = set()
    for number in range(9):
        (playbook.parent.parent / "roles/inner/files/limits.conf").write_text(f"a {number}\n", encoding="utf-8")
        found.add(playbook_digest(playbook))

    assert len(found) == 9


def test_a_playbook_that_is_gone_is_not_remembered(playbook: Path, times_hashed: list[Path]) -> None:
    playbook_digest(playbook)
    playbook.unlink()

    with pytest.raises(UnreachableError, match="does not exist"):
        playbook_digest(playbook)
    assert len(times_hashed) == 1
