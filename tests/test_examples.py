"""What the documentation shows can still be done: one real machine walked to go-live, and a day in the screens, key by key."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests import commands
from tests.needs import needs
from tests.ports import free_port
from tests.shipped import shipped_catalog

ROOT = Path(__file__).parents[1]


def typed(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as the walk does, without a new process: the walk has hundreds."""
    return commands.called(words)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_one_machine_is_walked_from_its_declaration_to_a_signed_go_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "argv", ["localhost.py", str(tmp_path / "machine"), str(free_port())])
    monkeypatch.setattr(importlib.import_module("walk"), "typed", typed)

    importlib.import_module("localhost").main()

    printed = capfd.readouterr().out
    found = re.search(r"1 host, (\d+) done, \d+ waived, 0 attested, (\d+) not applicable, 0 open", printed)
    assert found
    done, left_out = map(int, found.groups())
    assert done + left_out == len(shipped_catalog())
    assert 4 <= done <= 10
    assert ", 0 findings" in printed
    assert printed.count("$ clusterwright sign") == 3  # one of them is refused: go-live while work is open


@needs("tmux")
@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_day_in_the_screens_can_be_lived_again(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "screens_day.py"), str(tmp_path), str(free_port())]

    lived = subprocess.run(command, capture_output=True, text=True, check=False)

    assert lived.returncode == 0, lived.stdout[-4000:] + lived.stderr
    assert "7 keys from the first screen" in (tmp_path / "screens-day.md").read_text(encoding="utf-8")


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script of a manager's first three weeks."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    return importlib.import_module("manager")


def test_a_view_that_says_something_else_is_named(manager: ModuleType) -> None:
    found = {"status": {"go-live": "2027-01-02"}, "show": {"go-live": "2027-01-03"}, "list": {"go-live": "2027-01-02"}}

    assert manager.differences(found) == ["go-live: show says 2027-01-03, status says 2027-01-02"]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_view_says_the_same_in_a_managers_first_three_weeks_and_the_tutorial_has_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], manager: ModuleType
) -> None:
    monkeypatch.setattr(importlib.import_module("walk"), "typed", typed)
    monkeypatch.setattr(sys, "argv", ["manager.py", str(tmp_path / "site"), "superpod-4su"])

    manager.main()

    printed = capfd.readouterr().out
    assert "4 pods are at 60 %" in printed
    seen = (tmp_path / "site" / "manager.md").read_text(encoding="utf-8")
    assert all(f"| {title} |" in seen for title in manager.STEPS)
    told = commands_of((ROOT / "docs" / "tutorials" / "manager.md").read_text(encoding="utf-8"))
    assert len(told) > 20
    assert [line for line in told if line not in commands_of(printed) and line[1] != "init"] == []


def commands_of(text: str) -> list[list[str]]:
    """Return the command lines of a text, without its days and folders."""
    text = re.sub(r"\d{4}-\d\d-\d\d", "DAY", text)
    lines = re.findall(r"^(?:\$ )?(clusterwright .*)$", text, flags=re.MULTILINE)
    return [[re.sub(r"^/.*/", "", word) for word in shlex.split(line)] for line in lines if "`" not in line]
