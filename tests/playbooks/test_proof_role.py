"""The role that runs proofs, as a run of the engine plays it: each proof of a playbook hands over what it found."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from pathlib import Path

import pytest

from flows.runs.run import RunSpec, run_playbook
from tests.lab.playing import FOLDER

pytestmark = pytest.mark.slow

PLAY = """\
- name: Prove two things
  hosts: all
  gather_facts: false
  roles:
    - {role: proof, proof_script: first}
    - {role: proof, proof_script: second}
"""


def test_two_proofs_of_one_playbook_hand_over_both(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "roles" / "proof", tmp_path / "playbooks" / "roles" / "proof")
    for name in ("first", "second"):
        script = f"""print('{{"{name}.count": {{"value": 1, "note": ""}}}}')\n"""
        (tmp_path / "playbooks" / "roles" / "proof" / "files" / f"{name}.py").write_text(script, encoding="utf-8")
    playbook = tmp_path / "playbooks" / "phase" / "001_prove.yml"
    playbook.parent.mkdir()
    playbook.write_text(PLAY, encoding="utf-8")
    inventory = tmp_path / "hosts.ini"
    inventory.write_text(f"n1 ansible_connection=local ansible_python_interpreter={sys.executable}\n", encoding="utf-8")
    spec = RunSpec(playbook, inventory, ("n1",), {}, tmp_path / "run", tmp_path / "log")

    result = run_playbook(spec, cancel=threading.Event())

    assert result.status == "ok"
    assert {name: json.loads(raw["stdout"]) for name, raw in result.raw["n1"].items()} == {
        f"proof:{name}": {f"{name}.count": {"value": 1, "note": ""}} for name in ("first", "second")
    }
