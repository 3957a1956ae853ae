"""The role that runs proofs, as a run of the engine plays it: each proof of a playbook hands over what it found."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from pathlib import Path

import pytest

from flows.runs.results.per_host import PlaybookResult
from flows.runs.run import RunSpec, run_playbook
from tests.lab.playing import FOLDER

pytestmark = pytest.mark.slow

PLAY = """\
- name: Prove two things
  hosts: all
  gather_facts: false
"""


STOPS = """\
import sys, time
from pathlib import Path
kept = Path(sys.argv[1])
kept.write_text("stopped")
try:
    time.sleep(60)
finally:
    kept.write_text("started")
"""


def test_a_proof_whose_time_is_over_puts_right_what_it_stopped(tmp_path: Path) -> None:
    """As 156 stops the first controller of Slurm, 146 a directory server and 188 a node."""
    result = played(tmp_path, {"stops": STOPS}, f"{{proof_timeout_s: 2, proof_arguments: [{tmp_path}/kept]}}")

    assert (tmp_path / "kept").read_text(encoding="utf-8") == "started"
    assert result.raw["n1"]["proof:stops"]["rc"] == 124


def test_two_proofs_of_one_playbook_hand_over_both(tmp_path: Path) -> None:
    names = ("first", "second")

    result = played(
        tmp_path, {name: f"""print('{{"{name}.count": {{"value": 1, "note": ""}}}}')\n""" for name in names}
    )

    assert result.status == "ok"
    assert {name: json.loads(raw["stdout"]) for name, raw in result.raw["n1"].items()} == {
        f"proof:{name}": {f"{name}.count": {"value": 1, "note": ""}} for name in names
    }


def played(folder: Path, scripts: dict[str, str], values: str = "{}") -> PlaybookResult:
    """Return what a run of a playbook with these proofs came to."""
    shutil.copytree(FOLDER / "roles" / "proof", folder / "playbooks" / "roles" / "proof")
    for name, script in scripts.items():
        (folder / "playbooks" / "roles" / "proof" / "files" / f"{name}.py").write_text(script, encoding="utf-8")
    playbook = folder / "playbooks" / "phase" / "001_prove.yml"
    playbook.parent.mkdir()
    roles = "".join(f"    - {{role: proof, proof_script: {name}}}\n" for name in scripts)
    playbook.write_text(f"{PLAY}  vars: {values}\n  roles:\n{roles}", encoding="utf-8")
    inventory = folder / "hosts.ini"
    inventory.write_text(f"n1 ansible_connection=local ansible_python_interpreter={sys.executable}\n", encoding="utf-8")
    return run_playbook(
        RunSpec(playbook, inventory, ("n1",), {}, folder / "run", folder / "log"), cancel=threading.Event()
    )
