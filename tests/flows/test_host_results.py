"""What a run says of each host, with Ansible itself: why it failed, and whether it is done. Every ending is a real one."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from flows.runs.results.per_host import HostResult, PlaybookResult
from flows.runs.run import RunSpec, run_playbook

LOCAL = "ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'"
CLOSED = "ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1"
HEAD = "- name: Try\n  hosts: {}\n  gather_facts: false\n"
ON_FIRST = "inventory_hostname == 'n1'"


def played(
    tmp_path: Path, book: str, hosts: dict[str, str], limit: tuple[str, ...] = ()
) -> tuple[PlaybookResult, dict[str, HostResult]]:
    path = tmp_path / "books" / "phase" / "000.yml"
    path.parent.mkdir(parents=True)
    path.write_text(book, encoding="utf-8")
    inventory = tmp_path / "hosts.ini"
    inventory.write_text("".join(f"{name} {variables}\n" for name, variables in hosts.items()), encoding="utf-8")
    spec = RunSpec(
        path, inventory, limit or tuple(hosts), {"api_token": "canary-4711-token"}, tmp_path / "run", tmp_path / "log"
    )
    result = run_playbook(spec, cancel=threading.Event())
    return result, {host.host: host for host in result.hosts}


def one(tmp_path: Path, task: str, variables: str = LOCAL) -> HostResult:
    _, hosts = played(tmp_path, f"{HEAD.format('all')}  tasks:\n    - name: Do it\n      {task}\n", {"n1": variables})
    return hosts["n1"]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (
            "ansible.builtin.shell: 'echo useless; echo E: Unable to locate package nvidia-thing >&2; exit 100'",
            "it ended with 100: E: Unable to locate package nvidia-thing",
        ),
        (
            "ansible.builtin.shell: 'test {{ item }} = a || { echo {{ item }} is missing >&2; false; }'\n      loop: [a, b, c]",
            "item b: it ended with 1: b is missing (and 1 more items)",
        ),
        ("ansible.builtin.debug: {msg: '{{ nothing.here }}'}", "'nothing' is undefined"),
        ("ansible.builtin.fail: {msg: the door is shut}", "the door is shut"),
        (
            "ansible.builtin.command: {argv: [python3, -c, 'import json; json.loads(str(1)[1:])']}",
            "it ended with 1: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
        # what a module is sent is written where the engine runs first, and nothing of the error says whose disk it was
        (
            "ansible.builtin.fail: {msg: '[Errno 28] No space left on device'}",
            "a disk of it is full: make room there, or where the engine runs",
        ),
        ("ansible.builtin.command: ls /none-such\n      no_log: true", "what it says is hidden: the task has no_log"),
    ],
)
def test_a_failed_task_says_why(tmp_path: Path, task: str, said: str) -> None:
    """`non-zero return code` and `One or more items failed` send people to the host to find out what the run knew."""
    host = one(tmp_path, task)

    assert (host.status, host.failed_task) == ("failed", "Do it")
    assert said in host.message


def test_a_secret_in_the_error_output_is_hidden_and_a_long_message_keeps_its_end(tmp_path: Path) -> None:
    """The bound comes after the secrets are taken out: a part of one could not be found any more."""
    task = 'ansible.builtin.shell: \'echo {{ "x" * 390 }} {{ api_token }} {{ "y" * 900 }} the end >&2; exit 1\''

    host = one(tmp_path, task)

    assert len(host.message) <= 500
    assert host.message.endswith("the end")
    assert "canary" not in host.message
    assert "canary" not in (tmp_path / "log").read_text()


def test_an_unreachable_host_says_what_to_do(tmp_path: Path) -> None:
    host = one(tmp_path, "ansible.builtin.ping:", CLOSED)

    assert host.is_absent
    assert host.message.startswith("nothing listens at its SSH port: sshd does not run there")
    assert "port 1: Connection refused" in host.message


FIRST_FAILS = f"    - name: Break\n      ansible.builtin.command: ls /none-such\n      when: {ON_FIRST}\n"


def test_what_was_rescued_is_done_and_what_only_went_through_always_is_not(tmp_path: Path) -> None:
    tasks = """  tasks:
    - name: Both
      block:
        - name: Break
          ansible.builtin.command: ls /none-such
      {}:
        - name: Clean up
          ansible.builtin.command: 'true'
"""
    _, rescued = played(tmp_path / "1", HEAD.format("all") + tasks.format("rescue"), {"n1": LOCAL})
    _, failed = played(tmp_path / "2", HEAD.format("all") + tasks.format("always"), {"n1": LOCAL})

    assert (rescued["n1"].status, rescued["n1"].failed_task, rescued["n1"].message) == ("changed", "", "")
    assert (failed["n1"].status, failed["n1"].failed_task) == ("failed", "Break")


@pytest.mark.parametrize("how", ["any_errors_fatal: true", "run_once: true"])
def test_hosts_that_were_stopped_for_another_one_are_not_done(tmp_path: Path, how: str) -> None:
    """They went well until then, so they counted as done, and a retry would have left them half done for ever."""
    book = f"{HEAD.format('all')}  tasks:\n{FIRST_FAILS}      {how}\n    - name: Go on\n      ansible.builtin.command: 'true'\n"

    _, hosts = played(tmp_path, book, {"n1": LOCAL, "n2": LOCAL})

    assert hosts["n1"].status == "failed"
    assert (hosts["n2"].status, hosts["n2"].message) == ("skipped", "not finished: the run ended with 'Break' on n1")


def test_a_host_whose_last_play_did_not_begin_is_not_done(tmp_path: Path) -> None:
    """Ansible ends a playbook where every host of a play has failed."""
    ping = "  tasks:\n    - name: Ping\n      ansible.builtin.ping:\n"
    book = f"{HEAD.format('all')}{ping}{HEAD.format('n1')}  tasks:\n{FIRST_FAILS}{HEAD.format('n2')}{ping}"

    _, hosts = played(tmp_path, book, {"n1": LOCAL, "n2": LOCAL, "n3": LOCAL})

    assert {name: host.status for name, host in hosts.items()} == {"n1": "failed", "n2": "skipped", "n3": "ok"}
    assert hosts["n2"].message == "not finished: the run ended with 'Break' on n1"


def test_a_playbook_that_cannot_be_read_says_why_for_every_host(tmp_path: Path) -> None:
    result, hosts = played(
        tmp_path, f"{HEAD.format('all')}  tasks:\n    - no.such.module:\n", {"n1": LOCAL, "n2": LOCAL}
    )

    assert result.status == "failed"
    assert "couldn't resolve module/action 'no.such.module'" in result.message
    assert {host.status for host in hosts.values()} == {"skipped"}
    assert all(host.message.startswith("not begun: couldn't resolve") for host in hosts.values())


def test_a_host_that_is_changed_for_another_is_named(tmp_path: Path) -> None:
    """A release names the hosts that are played. The record says which others were changed for them, and not those that were only read."""
    tasks = "".join(
        f"    - name: Do it\n      ansible.builtin.command: 'true'\n      changed_when: {changed}\n      delegate_to: {where}\n{more}"
        for changed, where, more in [
            ("true", "server", ""),
            ("true", "\"{{ 'vault' }}\"", "      no_log: true\n"),
            ("false", "reader", ""),
            ("true", "localhost", ""),
            ("true", "n2", ""),
        ]
    )
    hosts = dict.fromkeys(("n1", "n2", "server", "vault", "reader"), LOCAL)

    result, _ = played(tmp_path, f"{HEAD.format('n1:n2')}  tasks:\n{tasks}", hosts, limit=("n1", "n2"))

    assert result.elsewhere == {"server", "vault"}
