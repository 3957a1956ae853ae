"""The walk over one real machine that the documentation shows: every decision a person takes there can still be taken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dashboard import free_port

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_one_machine_is_walked_from_its_declaration_to_a_signed_go_live(tmp_path: Path) -> None:
    walk = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "localhost.py"), str(tmp_path / "machine"), str(free_port())],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )

    assert walk.returncode == 0, walk.stdout[-6000:] + walk.stderr[-2000:]
    assert "1 host, 72 done," in walk.stdout
    assert ", 160 not applicable, 0 open" in walk.stdout
    assert ", 0 findings" in walk.stdout
