"""The secrets of a run stay in the run: canaries in inventory and environment, and every file it leaves."""

from __future__ import annotations

import contextlib
import stat
import sys
import threading
from pathlib import Path

import psutil
import pytest

from flows.runs.run import RunEvent, RunSpec, run_playbook

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


EXTRA = "canary-of-the-extra-vars-9e02"

READING = """
- name: Use what the run was told
  hosts: all
  gather_facts: false
  tasks:
    - name: Be there long enough to be seen
      ansible.builtin.pause:
        seconds: 1
    - name: Have it
      ansible.builtin.assert:
        that: secret_figure == 'canary-of-the-extra-vars-9e02'
        quiet: true
"""


def command_lines(pid: int) -> list[str]:
    """Return the command lines of a process and of everything that it started, which every user of the machine can read."""
    found = []
    for process in (whole := psutil.Process(pid), *whole.children(recursive=True)):
        try:
            found.append(Path(f"/proc/{process.pid}/cmdline").read_text(encoding="utf-8"))
        except (OSError, psutil.Error):
            continue
    return found


def test_extra_variables_are_on_no_command_line(tmp_path: Path) -> None:
    """`ps` shows command lines to everybody; the file is the owner's, and goes with the run."""
    (tmp_path / "hosts.ini").write_text(
        f"localhost ansible_connection=local ansible_python_interpreter={sys.executable}\n", encoding="utf-8"
    )
    (tmp_path / "book.yml").write_text(READING, encoding="utf-8")
    work = tmp_path / "left" / "r1"
    group: list[int] = []
    seen: list[str] = []
    modes: list[int] = []

    def on_event(event: RunEvent) -> None:
        if event.sentence.startswith("TASK"):
            seen.extend(command_lines(group[0]))
            for path in work.rglob("*"):
                with contextlib.suppress(FileNotFoundError, IsADirectoryError):  # Ansible goes on beside us
                    if EXTRA in path.read_text(encoding="utf-8"):
                        modes.append(stat.S_IMODE(path.stat().st_mode))

    result = run_playbook(
        RunSpec(
            playbook=tmp_path / "book.yml",
            inventory=tmp_path / "hosts.ini",
            hosts=("localhost",),
            extra_vars={"secret_figure": EXTRA},
            work_dir=work,
            log=tmp_path / "log",
        ),
        on_event=on_event,
        on_pgid=group.append,
        cancel=threading.Event(),
    )

    assert result.status == "ok"
    assert any("ansible-playbook" in line for line in seen)
    assert [line for line in seen if EXTRA in line] == []
    assert set(modes) == {0o400, 0o600}, "the copy of the playbook, and the variables"
    assert not work.exists()


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
