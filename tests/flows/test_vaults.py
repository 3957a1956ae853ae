"""Passwords of vaults: where they come from, what is said of those that are missing or wrong, and who can see them in a run."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from flows.runs.callbacks.known_secrets import CLOSED, CallbackModule
from flows.runs.inventory.hosts import inventory_nodes
from flows.runs.run import RunSpec, run_playbook
from flows.runs.secrets.access import Access, ask_terminal, stated_access
from flows.runs.secrets.vaults import require_open, vaulted_in
from schedule.errors import ClusterwrightError, InputError, UnreachableError
from steps.design.run_settings import RunSettings

PASSWORDS = {"default": "of-the-first-vault-51", "prod": "of-production-77c1"}
LOCAL = f"ansible_connection=local ansible_python_interpreter={sys.executable}"

PLAYBOOK = """\
- name: Use what is vaulted
  hosts: all
  gather_facts: false
  tasks:
    - name: See whether it can be seen
      ansible.builtin.shell: >-
        word=$(printf 'of-%%s' the-first-vault-51; printf '\\\\|of-%%s' production-77c1);
        grep -als "$word" /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -arls -D skip "$word" "%(work)s"; ls "%(work)s"
      register: seen
    - name: Say what was seen
      ansible.builtin.debug: {msg: "seen {{ seen.stdout_lines | select('search', '/') | list }} pipes {{ 'vault-' in seen.stdout }}"}
    - name: Use them
      ansible.builtin.assert:
        that: [whole == 'w-1', in_group == 'g-2', in_host == 'h-3']
    - name: Say the password
      ansible.builtin.debug: {msg: "{{ ['of-the-first', 'vault-51'] | join('-') }}"}
    - name: Say what a lookup reads
      ansible.builtin.debug: {msg: "{{ (lookup('env', 'CHAMBER_TOKEN') | length) ~ ' ' ~ lookup('env', 'OTHER_TOKEN') ~ '.' }}"}
"""


def encrypted(text: str, vault_id: str) -> str:
    secret = VaultSecret(PASSWORDS[vault_id].encode())
    label = None if vault_id == "default" else vault_id
    return str(VaultLib([(vault_id, secret)]).encrypt(text, secret=secret, vault_id=label), "ascii")


def value(text: str, vault_id: str) -> str:
    return "!vault |\n" + "".join(f"    {line}\n" for line in encrypted(text, vault_id).splitlines())


@pytest.fixture
def inventory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One host, with a file that is vaulted, a value of its group, and one of its own that another password opens."""
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "inventory" / "hosts.ini"
    for name, text in {
        "hosts.ini": f"n1 {LOCAL}\n",
        "group_vars/all/vault.yml": encrypted("whole: w-1\n", "default"),
        "group_vars/all/plain.yml": "in_group: " + value("g-2", "default"),
        "host_vars/n1.yml": "bmc_address: 10.0.0.1\nin_host: " + value("h-3", "prod"),
    }.items():
        (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / name).write_text(text)
    return path


def spec_of(tmp_path: Path, inventory: Path, access: Access) -> RunSpec:
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK % {"work": tmp_path / "a run"})
    return RunSpec(playbook, inventory, ("n1",), {}, tmp_path / "a run", tmp_path / "log", access=access)


@pytest.mark.slow
def test_a_run_opens_vaults_of_several_ids_and_nothing_of_it_has_a_password(
    tmp_path: Path, inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_TOKEN", "not-on-the-list")
    spec = spec_of(tmp_path, inventory, Access(PASSWORDS, {"CHAMBER_TOKEN": "chamber-4c1f"}))

    result = run_playbook(spec, cancel=threading.Event())

    said = spec.log.read_text()
    assert (result.status, result.message) == ("ok", ""), said
    assert not any(word in said for word in (*PASSWORDS.values(), "chamber-4c1f"))
    assert not spec.work_dir.exists()
    assert not any(word in repr(spec) for word in PASSWORDS.values())


@pytest.mark.slow
@pytest.mark.parametrize("passwords", [{}, dict.fromkeys(PASSWORDS, "that-of-last-week")])
def test_without_their_password_a_run_does_not_open_them_and_says_so(
    tmp_path: Path, inventory: Path, passwords: dict[str, str]
) -> None:
    """An engine goes on with the passwords that it read when it started."""
    result = run_playbook(spec_of(tmp_path, inventory, Access(passwords)), cancel=threading.Event())

    assert result.status == "failed"
    assert [host.message for host in result.hosts] == [f"not begun: {CLOSED}, so that nothing more is run"]


@pytest.mark.slow
def test_a_value_that_stays_closed_lets_no_other_secret_into_the_log(tmp_path: Path, inventory: Path) -> None:
    closed = "".join(f"  {line}\n" for line in value("never-opened", "prod").splitlines())
    stated = f"credentials:\n  inside: {closed.lstrip()}  beside: canary-one-1\nother_password: \"canary-{{{{ 'two' }}}}-2\"\n"
    (inventory.parent / "host_vars" / "n1.yml").write_text(stated)
    playbook = tmp_path / "playbooks" / "phase" / "play.yml"
    playbook.parent.mkdir(parents=True)
    said = "{{ [other_password, credentials.beside] | join(' and ') }}"
    tasks = f'[{{name: Say, ansible.builtin.fail: {{msg: "{said}"}}}}]'
    playbook.write_text(f"[{{name: Say, hosts: all, gather_facts: false, tasks: {tasks}}}]")
    access = Access({"default": PASSWORDS["default"]})
    spec = RunSpec(playbook, inventory, ("n1",), {}, tmp_path / "a run", tmp_path / "log", access=access)

    (failed,) = run_playbook(spec, cancel=threading.Event()).hosts

    assert failed.message == "[secret] and [secret]", spec.log.read_text()
    assert "canary" not in spec.log.read_text()


def test_a_run_of_which_nobody_can_tell_the_secrets_ends() -> None:
    """Ansible only warns of a plugin that fails, and goes on."""
    with pytest.raises(SystemExit, match="nobody knows which values are secrets"):
        CallbackModule().v2_runner_on_ok(None)


def test_a_plan_of_hosts_needs_no_password(inventory: Path) -> None:
    assert [(node.name, node.bmc_address) for node in inventory_nodes(inventory)] == [("n1", "10.0.0.1")]


def test_what_is_vaulted_is_found_with_its_line(inventory: Path) -> None:
    found = {(Path(one.file).name, one.line, one.vault_id, one.is_whole) for one in vaulted_in(inventory)}

    assert found == {
        ("vault.yml", 1, "default", True),
        ("plain.yml", 2, "default", False),
        ("n1.yml", 3, "prod", False),
    }


def test_the_right_passwords_open_all(inventory: Path) -> None:
    require_open(inventory, Access(PASSWORDS), tuple(PASSWORDS))


@pytest.mark.parametrize(
    ("passwords", "words"),
    [
        ({}, "it is vaulted, and site.yaml names no password for it"),
        ({"default": "another"}, "none of the passwords of default opens it (vault id default)"),
        (PASSWORDS | {"prod": "another"}, "opens it (vault id prod)"),
    ],
)
def test_a_missing_or_wrong_password_is_said_before_anything_runs(
    inventory: Path, passwords: dict[str, str], words: str
) -> None:
    with pytest.raises(InputError) as refused:
        require_open(inventory, Access(passwords), tuple(passwords))

    assert words in refused.value.what
    assert str(refused.value.place).startswith(str(inventory.parent))
    assert "runs.vault" in refused.value.hint


def test_a_value_of_a_vault_that_nobody_named_may_stay_closed(inventory: Path) -> None:
    require_open(inventory, Access({"default": PASSWORDS["default"]}), ("default",))


def settings(**source: object) -> RunSettings:
    return RunSettings.model_validate({"vault": [{"id": "prod", **source}]})


def test_a_password_comes_from_a_file_a_program_or_a_person(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("from a file\n")

    assert stated_access(tmp_path, settings(file="word")).passwords == {"prod": "from a file"}
    assert stated_access(tmp_path, settings(command=["printf", "from a program"])).passwords == {
        "prod": "from a program"
    }
    assert stated_access(tmp_path, settings(prompt=True), lambda asked: f"to {asked}").passwords == {
        "prod": "to Vault password (prod): "
    }
    assert stated_access(tmp_path, settings(prompt=True)).passwords == {}


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ({"file": "nowhere"}, UnreachableError, "nowhere: No such file or directory"),
        ({"file": "."}, UnreachableError, "Is a directory"),
        ({"file": "empty"}, InputError, "the password of vault id prod is empty"),
        ({"command": ["no-such-program"]}, UnreachableError, "no-such-program: No such file or directory"),
        ({"command": ["false"]}, UnreachableError, "false ended with 1"),
    ],
)
def test_a_source_that_gives_none_is_named(
    tmp_path: Path, source: dict[str, object], kind: type[ClusterwrightError], words: str
) -> None:
    (tmp_path / "empty").touch()

    with pytest.raises(kind) as refused:
        stated_access(tmp_path, settings(**source))

    assert words in refused.value.what
    assert str(refused.value.place) == f"{tmp_path}/site.yaml: runs.vault[0]"


def test_a_person_is_asked_on_a_terminal_only() -> None:
    with pytest.raises(UnreachableError, match=r"Vault password \(prod\) is asked for on a terminal"):
        ask_terminal("Vault password (prod): ")


def test_only_the_variables_on_the_list_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAMBER_TOKEN", "x")

    assert stated_access(tmp_path, RunSettings(environment=("CHAMBER_TOKEN",))).environment == {"CHAMBER_TOKEN": "x"}
    with pytest.raises(InputError, match="the environment has none"):
        stated_access(tmp_path, RunSettings(environment=("NOT_THERE",)))
