"""The wheel works in an empty environment outside the checkout: catalog, plan and a playbook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONE_PLAYBOOK = """
import json, sys, threading
from importlib.resources import files
from pathlib import Path
from flows.runs.run import RunSpec, run_playbook
folder = Path(sys.argv[1])
result = run_playbook(
    RunSpec(
        playbook=Path(str(files("playbooks"))) / "networking" / "068_listening_ports.yml",
        inventory=folder / "inventory" / "hosts.yml", hosts=("localhost",), extra_vars={},
        work_dir=folder / "runs" / "run-0001", log=folder / "run.log",
    ),
    on_event=lambda event: None, on_pgid=lambda pgid: None, cancel=threading.Event(),
)
print(json.dumps({"status": result.status, "raw": sorted(result.raw["localhost"])}))
"""


def run(*words: object, cwd: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    result = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=280
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.long
def test_the_wheel_lints_plans_and_runs_a_playbook_outside_the_checkout(tmp_path: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    run(uv, "build", "--wheel", "--out-dir", tmp_path / "dist", ROOT, cwd=tmp_path)
    wheel = next((tmp_path / "dist").glob("*.whl"))
    run(uv, "venv", "--python", sys.executable, tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(uv, "pip", "install", "--python", python, "--require-hashes", "-r", ROOT / "requirements.lock", cwd=tmp_path)
    run(uv, "pip", "install", "--python", python, "--no-deps", wheel, cwd=tmp_path)
    cw = tmp_path / "venv" / "bin" / "cw"

    assert "0 findings" in run(cw, "catalog", "lint", cwd=tmp_path)
    run(cw, "init", "--preset", "localhost", tmp_path / "site", cwd=tmp_path)
    plan = json.loads(run(cw, "plan", "--json", "--site", tmp_path / "site", cwd=tmp_path))
    assert plan["critical_path"][-1] == "195@site"
    said = json.loads(run(python, "-c", ONE_PLAYBOOK, tmp_path / "site", cwd=tmp_path))
    assert said == {"status": "ok", "raw": ["baseline", "ss"]}
