"""What a run that was cut off leaves on its hosts: files that Ansible was sending there, which may hold secrets in clear text.

A short run removes them: those that were there when it began, and whose process on this machine has ended. So it takes nothing away
from another run that delegates a task to the same host.
"""

from __future__ import annotations

import json
from pathlib import Path

import psutil

from flows.runs.limits.limits import Limit, Limits
from flows.runs.process.leftovers import remote_temp
from ledger.machine_time import machine_time

SECONDS = 45
"""How long it may take for all hosts together. A person waits for the end of what they have stopped."""
FORKS = 50
CONNECT_S = 10

_ORIGIN = "fixed"
LIMITS = Limits(
    forks=Limit(FORKS, _ORIGIN),
    ssh_retries=Limit(0, _ORIGIN),
    connect_timeout_s=Limit(CONNECT_S, _ORIGIN),
    task_timeout_s=Limit(SECONDS, _ORIGIN),
    hang_after_s=Limit(0, _ORIGIN),
    time_limit_s=Limit(SECONDS, _ORIGIN),
)

_SCRIPT = """\
for one in {folder}/ansible-tmp-*; do
name=${{one##*/ansible-tmp-}}; worker=${{name%-*}}; worker=${{worker##*-}}; made=${{name%%[.-]*}};
case " {alive} " in *" $worker "*) continue;; esac;
if [ "$made" -le {now} ] 2>/dev/null; then rm -rf "$one"; fi;
done"""
"""The name of each folder is `ansible-tmp-SECONDS.FRACTION-NUMBER-RANDOM`: when it was made, and by which process of this machine."""


def write_sweep(folder: Path) -> Path:
    """Write the playbook that removes it, and return its path. Nothing is removed where the host is this machine."""
    script = _SCRIPT.format(
        folder=remote_temp(), alive=" ".join(map(str, _at_work())), now=int(machine_time().timestamp())
    )
    play = {
        "name": "Remove what was being sent",
        "hosts": "all",
        "gather_facts": False,
        "tasks": [
            {
                "name": "Remove it",
                "ansible.builtin.raw": script.replace("\n", " "),
                "when": "ansible_connection | default('ssh') != 'local'",
                "changed_when": False,
            }
        ],
    }
    path = folder / "sweep.yml"
    path.write_text(json.dumps([play]), encoding="utf-8")
    return path


def _at_work() -> list[int]:
    """Return the processes of this machine that are playbooks at work."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(word.endswith("ansible-playbook") for word in process.info["cmdline"] or ())
    ]
