"""A look in check mode, with Ansible itself: the differences, nothing changed, no secret, and a host that cannot be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.runs.bundle.digest import run_digest
from flows.runs.drift.preview import look
from flows.runs.run import RunSpec
from schedule.errors import UnreachableError

LOCAL = "ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'"
PLAYBOOK = """\
- name: Write two files
  hosts: all
  gather_facts: false
  tasks:
    - name: Write a setting
      ansible.builtin.copy: {content: "mtu 9000\\n", dest: "{{ folder }}/{{ inventory_hostname }}", mode: "0644"}
    - name: Write a password
      ansible.builtin.copy: {content: "hunter2-of-the-preview", dest: "{{ folder }}/secret", mode: "0600"}
      no_log: true
"""


@pytest.fixture
def spec(tmp_path: Path) -> RunSpec:
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK, encoding="utf-8")
    inventory = tmp_path / "hosts.ini"
    inventory.write_text(f"n1 {LOCAL}\nn2 {LOCAL}\n", encoding="utf-8")
    (tmp_path / "n2").write_text("mtu 1500\n", encoding="utf-8")
    return RunSpec(playbook, inventory, ("n1", "n2"), {"folder": str(tmp_path)}, tmp_path / "run", tmp_path / "log")


def test_it_shows_what_would_change_and_changes_nothing(spec: RunSpec, tmp_path: Path) -> None:
    seen = look(spec)

    assert seen.digest == run_digest(spec.playbook, spec.inventory), "what was looked at is what will run"
    assert seen.summary == "would change 2 of 2 hosts"
    assert b"-mtu 1500\n+mtu 9000" in seen.text
    assert b"hunter2" not in seen.text
    assert not (tmp_path / "n1").exists()
    assert (tmp_path / "n2").read_text(encoding="utf-8") == "mtu 1500\n"


def test_a_password_that_differs_counts_and_is_not_shown(spec: RunSpec, tmp_path: Path) -> None:
    """Nothing else differs. Ansible shows nothing of such a task, whether it has a loop or not."""
    for host in spec.hosts:
        (tmp_path / host).write_text("mtu 9000\n", encoding="utf-8")
        (tmp_path / host).chmod(0o644)
    spec.playbook.write_text(f"{PLAYBOOK}      loop: [1, 2]\n", encoding="utf-8")

    assert look(spec).summary == "would change 2 of 2 hosts"

    (tmp_path / "secret").write_text("hunter2-of-the-preview", encoding="utf-8")
    (tmp_path / "secret").chmod(0o600)

    assert look(spec).summary == "would change 0 of 2 hosts"


def test_a_host_that_cannot_be_looked_at_is_named(spec: RunSpec) -> None:
    spec.inventory.write_text(f"n1 {LOCAL}\nn2 ansible_host=127.0.0.1 ansible_port=1\n", encoding="utf-8")

    with pytest.raises(UnreachableError, match="n2: "):
        look(spec)
