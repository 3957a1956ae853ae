"""The walk over one real machine that the documentation shows: every decision a person takes there can still be taken."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import commands
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
    assert "1 host, 72 done," in printed
    assert f", {len(shipped_catalog()) - 72} not applicable, 0 open" in printed
    assert ", 0 findings" in printed
