"""What of an inventory decides which code runs is allowed once, by its digest. Who edits it otherwise is the engine."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from flows.runs.allowing.asked import InventoryCode, asked_by_inventory, code_in
from flows.runs.allowing.kept import keep_allowed
from flows.runs.bundle import copy
from flows.runs.run import RunSpec, run_playbook

LOCAL = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
PLAYBOOK = """\
- hosts: all
  gather_facts: false
  tasks:
    - name: Ask the host
      ansible.builtin.ping:
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a site's folder with an inventory of two local hosts, and a playbook that only reads beside it."""
    (tmp_path / "playbooks" / "networking").mkdir(parents=True)
    (tmp_path / "playbooks" / "networking" / "040.yml").write_text(PLAYBOOK, encoding="utf-8")
    return made_in(tmp_path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> InventoryCode:
    """Return what of such an inventory decides which code runs. To look takes a process of half a second."""
    return code_in(made_in(tmp_path_factory.mktemp("plain")) / "inventory")


def made_in(place: Path) -> Path:
    made = place / "site"
    (made / "inventory" / "group_vars").mkdir(parents=True)
    hosts(made, "n1", "n2")
    return made


def hosts(folder: Path, *names: str, more: str = "") -> None:
    lines = [
        f"{name} ansible_host=10.0.0.{number} bmc_address=10.1.0.{number} serial_number=S-{number} {LOCAL}"
        for number, name in enumerate(names, 1)
    ]
    (folder / "inventory" / "hosts.ini").write_text("\n".join([*lines, more, ""]), encoding="utf-8")


def allow(folder: Path) -> None:
    keep_allowed(folder, [one.digest for one in asked_by_inventory(code_in(folder / "inventory"))])


def run(folder: Path, name: str) -> tuple[str, str]:
    """Run the playbook that reads. Return how it ended, and its message."""
    done = run_playbook(
        RunSpec(
            playbook=folder.parent / "playbooks" / "networking" / "040.yml",
            inventory=folder / "inventory",
            hosts=("n1",),
            extra_vars={},
            work_dir=folder.parent / name,
            log=folder.parent / f"{name}.log",
            allowed_in=folder,
        ),
        cancel=threading.Event(),
    )
    return done.status, done.message


def test_a_changed_interpreter_does_not_run_at_the_next_reading_step(folder: Path, tmp_path: Path) -> None:
    key, stolen = tmp_path / "engine_key", tmp_path / "stolen"
    key.write_text("the engine's key")
    evil = tmp_path / "python"
    evil.write_text(f'#!/bin/sh\ncat {key} > {stolen}\nexec {sys.executable} "$@"\n')
    evil.chmod(0o755)
    allow(folder)
    assert run(folder, "first") == ("ok", "")

    hosts(folder, "n1", "n2", more=f"[all:vars]\nansible_python_interpreter={evil}")
    (folder / "inventory" / "hosts.ini").write_text(
        (folder / "inventory" / "hosts.ini").read_text().replace(f"ansible_python_interpreter={sys.executable}", "")
    )
    status, message = run(folder, "second")

    assert status == "cancelled"
    assert f"ansible_python_interpreter = {evil}" in message
    assert f"clusterwright allow --site {folder}" in message
    assert not stolen.exists()
    allow(folder)
    assert run(folder, "third")[0] == "ok"
    assert stolen.exists(), "the attack works where it is allowed"


def test_a_file_that_is_changed_while_it_is_looked_at_is_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts is the run's own copy."""
    allow(folder)
    assert run(folder, "first")[0] == "ok"
    snapshot = copy.snapshot

    def changed_first(*given: Path) -> copy.Tree:
        hosts(folder, "n1", "n2", more="[all:vars]\nansible_become=true")
        return snapshot(*given)

    monkeypatch.setattr("flows.runs.process.place.snapshot", changed_first)

    assert run(folder, "second")[0] == "cancelled"


def test_hosts_and_addresses_change_freely(folder: Path) -> None:
    before = code_in(folder / "inventory")

    hosts(
        folder,
        "n0",
        "n1",
        "n2",
        "n3",
        more="[compute]\nn1\nn3\n[compute:vars]\nntp=10.0.0.9\nrails=8\nmac=aa:bb:cc:dd:ee:ff\n",
    )

    assert code_in(folder / "inventory") == before


OF_A_HOST = [
    "ansible_connection=ssh",
    "ansible_user=root",
    "ansible_become=true",
    "ansible_become_exe=/tmp/sudo",
    "ansible_ssh_executable=/tmp/ssh",
    "ansible_ssh_common_args='-o ProxyCommand=/tmp/x'",
    "ansible_shell_executable=/tmp/sh",
    "ansible_host=-oProxyCommand=/tmp/x",
    "ansible_host=root@10.0.0.1",
    "ansible_port=ssh",
    "serial_number=\"{{ lookup('pipe', 'id') }}\"",
    "nccl_command=/tmp/x",
    "ansible_something_new=1",
]
OF_A_GROUP = {
    "ansible_python_interpreter": "/tmp/x",
    "bmc_address": "\"{{ lookup('env', 'HOME') }}\"",
    "package_mirror": "http://10.0.0.9/",
    "validate": "false",
}


def test_all_else_that_a_host_has_counts_as_code(folder: Path) -> None:
    lines = [f"n{number} {text}\n" for number, text in enumerate(OF_A_HOST)]
    (folder / "inventory" / "hosts.ini").write_text("".join(lines), encoding="utf-8")

    assert names_said(folder) == sorted(f"a host: {text.partition('=')[0]}" for text in OF_A_HOST)


def test_all_else_that_a_group_has_counts_as_code(folder: Path) -> None:
    lines = [f"{name}: {value}\n" for name, value in OF_A_GROUP.items()]
    (folder / "inventory" / "hosts.ini").write_text("n1\n", encoding="utf-8")
    (folder / "inventory" / "group_vars" / "all.yml").write_text("".join(lines), encoding="utf-8")

    assert names_said(folder) == sorted(f"group all: {name}" for name in OF_A_GROUP)


def names_said(folder: Path) -> list[str]:
    """Return each statement that counts as code, without its value."""
    return sorted(one.partition(" = ")[0] for one in code_in(folder / "inventory").said.values())


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("hosts.ini", "-oProxyCommand=/tmp/x"),
        ("group_vars/all.yml", "$ANSIBLE_VAULT;1.1;AES256\n6162\n"),
        ("host_vars/n1.yml", "words: {deep: [1, 'x']}\n"),
        ("zz.yml", '{"plugin": "constructed", "groups": {"g": "true"}}'),
        ("group_vars/all/a.json", '{"ansible_connection": "ssh"}'),
    ],
)
def test_other_files_and_names_count_as_code(folder: Path, plain: InventoryCode, file: str, text: str) -> None:
    path = folder / "inventory" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + f"{text}\n", encoding="utf-8")

    after = code_in(folder / "inventory")

    assert after.digest != plain.digest
    assert after.said.keys() - plain.said.keys()


def test_a_template_that_was_plain_words_is_new(folder: Path) -> None:
    path = folder / "inventory" / "group_vars" / "all.yml"
    path.write_text("words: !unsafe \"{{ lookup('pipe', 'id') }}\"\n", encoding="utf-8")
    before = code_in(folder / "inventory")

    path.write_text("words: \"{{ lookup('pipe', 'id') }}\"\n", encoding="utf-8")

    assert code_in(folder / "inventory").digest != before.digest


def test_what_is_taken_away_is_a_change_too(folder: Path) -> None:
    """Without the account that was allowed, a run is of another one."""
    path = folder / "inventory" / "group_vars" / "all.yml"
    path.write_text("ansible_become_user: nobody\n", encoding="utf-8")
    before = code_in(folder / "inventory")

    path.unlink()

    assert code_in(folder / "inventory").digest != before.digest


def test_a_secret_is_not_shown(folder: Path) -> None:
    (folder / "inventory" / "group_vars" / "all.yml").write_text(
        "ansible_become_password: hunter2-abc\nbmc_password: hunter2-abc\n"
    )

    words = " ".join(code_in(folder / "inventory").said.values())

    assert "ansible_become_password" in words
    assert "hunter2" not in words


def test_a_copy_says_what_the_inventory_says(folder: Path, tmp_path: Path) -> None:
    before = code_in(folder / "inventory")
    made = copy.snapshot(tmp_path / "playbooks" / "networking" / "040.yml", folder / "inventory", tmp_path / "work")

    assert code_in(made.inventory) == before
    copy.remove(tmp_path / "work")
