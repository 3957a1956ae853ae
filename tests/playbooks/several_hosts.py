"""Tasks that real Ansible plays on this machine as several hosts, of which each says what it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.lab.playing import FOLDER

ROLES = FOLDER / "roles"

Said = Callable[[str, str], Any]
"""Returns what Ansible said in a task of a host, the last one whose name has these words; None where it said nothing."""


def play(folder: Path, hosts: dict[str, Any], content: dict[str, Any], *options: str) -> Said:
    """Play tasks, and return what was said, which `said.json` has whole. `hosts` has the variables of each host, `content` the play."""
    (folder / "play.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False} | content]), encoding="utf-8")
    (folder / "hosts.yml").write_text(json.dumps({"all": {"hosts": hosts}}), encoding="utf-8")
    words = ["-e", f"ansible_python_interpreter={sys.executable}", *options]
    settings = {"ANSIBLE_ROLES_PATH": str(ROLES), "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json"}
    words += ["-i", str(folder / "hosts.yml"), "-c", "local", str(folder / "play.yml")]
    command = [sys.executable, "-m", "ansible", "playbook", *words]
    played = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings}, check=False)
    (folder / "said.json").write_text(played.stdout, encoding="utf-8")
    tasks = json.loads(played.stdout)["plays"][0]["tasks"]

    def said(host: str, task: str) -> Any:
        found = [one["hosts"][host] for one in tasks if host in one["hosts"] and task in one["task"]["name"]]
        each = [result for one in reversed(found) for result in one.get("results", [one])]
        return next((one["msg"] for one in each if "msg" in one), None)

    return said
