"""What a run is told in confidence stays in the run: canaries in inventory and environment, and every file it leaves."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from flows.ansible.run import RunSpec, run_playbook

INVENTORY = "canary-of-the-inventory-4c1f"
ENVIRONMENT = "canary-of-the-environment-77ab"

BOOK = """
- name: Use a secret
  hosts: all
  gather_facts: false
  tasks:
    - name: Hand it to a command
      ansible.builtin.command: "true {{ bmc_password }}"
      changed_when: false
    - name: Fail with it in hand
      ansible.builtin.command: "false {{ bmc_password }}"
      ignore_errors: true
"""


@pytest.mark.slow
def test_no_file_sentence_or_result_holds_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BMC_TOKEN", ENVIRONMENT)
    secret = tmp_path / "user"
    secret.mkdir()
    (secret / "hosts.ini").write_text(
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable} bmc_password={INVENTORY}\n",
        encoding="utf-8",
    )
    (secret / "book.yml").write_text(BOOK, encoding="utf-8")
    left = tmp_path / "left"
    (left / "runs").mkdir(parents=True)
    said: list[str] = []
    result = run_playbook(
        RunSpec(
            playbook=secret / "book.yml",
            inventory=secret / "hosts.ini",
            hosts=("localhost",),
            extra_vars={},
            work_dir=left / "runs" / "r1",
            log=left / "log",
        ),
        on_event=lambda event: said.append(f"{event.sentence} {event.data}"),
        on_pgid=lambda _: None,
        cancel=threading.Event(),
    )

    assert result.status == "ok"
    everything = [path for path in left.rglob("*") if path.is_file()]
    assert everything
    for canary in (INVENTORY, ENVIRONMENT):
        assert [path.name for path in everything if canary.encode() in path.read_bytes()] == []
        assert [line for line in said if canary in line] == []
        assert canary not in repr(result)
