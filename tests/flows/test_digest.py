"""The digest of a run: over every file that Ansible may read in it, and worked out once for each change of them."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.runs.bundle import digest
from flows.runs.bundle.digest import run_digest, same_playbook, why_lapsed
from flows.runs.bundle.digest_key import key_file
from flows.runs.inventory.hosts import inventory_hosts
from schedule.errors import InputError, UnreachableError

TICK_S = 0.05
"""Longer than one tick of a file system's clock."""

PLAYBOOK = "- name: Set up\n  hosts: all\n  roles: [outer]\n"
OUTER = "- name: Bring in\n  ansible.builtin.import_role: {name: inner}\n"


@pytest.fixture
def playbook(tmp_path: Path) -> Path:
    """A playbook whose role brings another in."""
    files = {
        "networking/030_set_up.yml": PLAYBOOK,
        "roles/outer/tasks/main.yml": OUTER,
        "roles/inner/tasks/main.yml": "[]\n",
        "roles/inner/files/limits.conf": "a 1\n",
        "roles/other/tasks/main.yml": "[]\n",
    }
    metas = {f"roles/{role}/meta/main.yml": "dependencies: []\n" for role in ("outer", "inner", "other")}
    for name, content in (files | metas).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    inventory = tmp_path / "site" / "hosts.ini"
    inventory.parent.mkdir()
    inventory.write_text("n1 rack=1 bmc_password=hunter2\n", encoding="utf-8")
    return tmp_path / "networking" / "030_set_up.yml"


def digest_now(playbook: Path) -> str:
    return run_digest(playbook, playbook.parent.parent / "site" / "hosts.ini")


@pytest.fixture
def times_hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The playbooks that were hashed, once for each time. Files count as settled as soon as they are written."""
    hashed: list[Path] = []
    part = digest.playbook_part

    def counted(playbook: Path) -> digest.Part:
        hashed.append(playbook)
        return part(playbook)

    monkeypatch.setattr(digest, "playbook_part", counted)
    monkeypatch.setattr(digest, "SETTLED_S", 0)
    return hashed


def changed_role(folder: Path) -> None:
    (folder / "roles/inner/files/limits.conf").write_text("a 2\n", encoding="utf-8")


def added_file(folder: Path) -> None:
    (folder / "roles/inner/files/more.conf").touch()


def added_folder(folder: Path) -> None:
    (folder / "roles/inner/templates").mkdir()
    (folder / "roles/inner/templates/hosts").touch()


def removed_file(folder: Path) -> None:
    (folder / "roles/inner/files/limits.conf").unlink()


def changed_playbook(folder: Path) -> None:
    (folder / "networking/030_set_up.yml").write_text(PLAYBOOK.replace("all", "one"), encoding="utf-8")


def brought_in_another(folder: Path) -> None:
    (folder / "roles/outer/tasks/main.yml").write_text(OUTER.replace("inner", "other"), encoding="utf-8")


def changed_with_its_old_time(folder: Path) -> None:
    path = folder / "roles/inner/files/limits.conf"
    before = path.stat()
    path.write_text("a 3\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        changed_role,
        added_file,
        added_folder,
        removed_file,
        changed_playbook,
        brought_in_another,
        changed_with_its_old_time,
    ],
)
def test_it_is_hashed_once_a_change_and_seen_anew_after_it(
    playbook: Path, times_hashed: list[Path], change: Callable[[Path], None]
) -> None:
    first = digest_now(playbook)
    assert {digest_now(playbook) for _ in range(9)} == {first}
    assert len(times_hashed) == 1

    time.sleep(TICK_S)
    change(playbook.parent.parent)

    second = digest_now(playbook)
    assert second != first
    assert digest_now(playbook) == second
    assert len(times_hashed) == 2


def test_a_change_elsewhere_is_not_a_change_of_this_playbook(playbook: Path, times_hashed: list[Path]) -> None:
    first = digest_now(playbook)

    (playbook.parent.parent / "roles/other/tasks/main.yml").write_text("# another\n[]\n", encoding="utf-8")

    assert digest_now(playbook) == first
    assert len(times_hashed) == 1


def test_changes_within_one_tick_of_the_file_systems_clock_are_seen(
    playbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writes of the same size may leave the same time: a digest is kept only once its files are settled."""
    stamp = digest._stamp

    def by_a_clock_of_whole_seconds(path: Path) -> digest.Stamp | None:
        found = stamp(path)
        return found and (*found[:2], found[2] // 10**9 * 10**9)

    monkeypatch.setattr(digest, "_stamp", by_a_clock_of_whole_seconds)
    found = set()
    for number in range(9):
        (playbook.parent.parent / "roles/inner/files/limits.conf").write_text(f"a {number}\n", encoding="utf-8")
        found.add(digest_now(playbook))

    assert len(found) == 9


def test_a_playbook_that_is_gone_is_not_remembered(playbook: Path, times_hashed: list[Path]) -> None:
    digest_now(playbook)
    time.sleep(TICK_S)
    playbook.unlink()

    with pytest.raises(UnreachableError, match="does not exist"):
        digest_now(playbook)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


BESIDE_THE_PLAYBOOK = [
    "networking/group_vars/all.yml",
    "networking/host_vars/n1.yml",
    "networking/library/look.py",
    "networking/module_utils/shared.py",
    "networking/filter_plugins/words.py",
    "networking/action_plugins/copy.py",
    "networking/collections/ansible_collections/a/b/plugins/modules/c.py",
    "networking/templates/hosts.j2",
    "networking/tasks/more.yml",
    "roles/inner/library/look.py",
    "roles/inner/templates/hosts.j2",
    "roles/inner/tasks/more.yml",
    "roles/inner/vars/main.yml",
]
BESIDE_THE_INVENTORY = ["site/group_vars/all.yml", "site/group_vars/all/secret.yml", "site/host_vars/n1.yml"]


@pytest.mark.parametrize("name", [*BESIDE_THE_PLAYBOOK, *BESIDE_THE_INVENTORY])
def test_whatever_ansible_would_read_makes_a_release_lapse_when_it_comes_and_when_it_changes(
    playbook: Path, name: str
) -> None:
    """Nobody has released what a new file of variables, or a module of the same name, makes of a playbook."""
    found = [digest_now(playbook)]
    for text in ("a: 1\n", "a: 2\n"):
        write(playbook.parent.parent / name, text)
        found.append(digest_now(playbook))

    assert len(set(found)) == 3
    is_ours = name in BESIDE_THE_PLAYBOOK
    assert ("the playbook" if is_ours else "a variable") in why_lapsed(found[0], found[1])
    assert same_playbook(found[0], found[2]) is not is_ours


@pytest.mark.parametrize("line", ["n1 rack=2 bmc_password=hunter2\n", "n1 rack=1 bmc_password=hunter3\n"])
def test_a_variable_of_the_inventory_makes_a_release_lapse_also_a_secret_one(playbook: Path, line: str) -> None:
    """A template may be hidden in a password: Ansible would run it."""
    before = digest_now(playbook)
    write(playbook.parent.parent / "site" / "hosts.ini", line)

    assert "a variable" in why_lapsed(before, digest_now(playbook))


def test_a_secret_cannot_be_guessed_from_the_digest(playbook: Path, tmp_path: Path) -> None:
    """Whoever reads the record knows the rest of the inventory, perhaps, and tries out passwords: the key is not in the record."""
    before, key = digest_now(playbook), key_file(tmp_path / "site" / "hosts.ini")
    assert key.stat().st_mode & 0o077 == 0

    key.unlink()

    assert digest_now(playbook) != before
    assert same_playbook(before, digest_now(playbook))


def test_the_inventory_and_its_key_have_the_same_digest_on_another_machine(playbook: Path, tmp_path: Path) -> None:
    """A person releases on one machine what an engine runs on another."""
    here = digest_now(playbook)
    shutil.copytree(tmp_path / "site", tmp_path / "elsewhere" / "inventory")

    assert run_digest(playbook, tmp_path / "elsewhere" / "inventory" / "hosts.ini") == here


@pytest.mark.parametrize(
    ("name", "text"),
    [("hosts.sh", "#!/bin/sh\necho '{}'\n"), ("cloud.yml", "plugin: amazon.aws.aws_ec2\nregions: [eu-north-1]\n")],
)
def test_an_inventory_that_asks_elsewhere_is_refused_with_the_command_that_keeps_its_answer(
    playbook: Path, tmp_path: Path, name: str, text: str
) -> None:
    """Nobody can release what a program will answer."""
    write(tmp_path / "site" / name, text)

    for read in (lambda path: run_digest(playbook, path), inventory_hosts):
        with pytest.raises(InputError, match="nobody can release") as refused:
            read(tmp_path / "site" / name)
        assert "--export" in refused.value.hint


def test_a_pipe_among_the_files_is_named_and_not_waited_for(playbook: Path) -> None:
    """Reading it would never end."""
    pipe = playbook.parent.parent / "roles" / "inner" / "files" / "pipe"
    os.mkfifo(pipe)

    with pytest.raises(InputError, match="no plain file") as refused:
        digest_now(playbook)
    assert str(pipe) in str(refused.value)


def test_a_role_that_is_named_by_a_template_makes_all_roles_count(playbook: Path) -> None:
    """It may be any of them."""
    playbook.write_text(PLAYBOOK.replace("[outer]", "['{{ which }}']"), encoding="utf-8")
    before = digest_now(playbook)

    write(playbook.parent.parent / "roles" / "other" / "tasks" / "main.yml", "# another\n[]\n")

    assert digest_now(playbook) != before


def test_a_file_of_another_role_that_is_named_by_its_path_counts(playbook: Path) -> None:
    named = PLAYBOOK + "  vars: {words: \"{{ lookup('file', playbook_dir ~ '/../roles/other/files/a') }}\"}\n"
    playbook.write_text(named, encoding="utf-8")
    before = digest_now(playbook)

    write(playbook.parent.parent / "roles" / "other" / "files" / "a", "a")

    assert digest_now(playbook) != before


def test_a_playbook_with_a_fault_is_named_with_its_line(playbook: Path) -> None:
    playbook.write_text("- hosts: all\n  tasks: [\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"030_set_up\.yml:3"):
        digest_now(playbook)


def test_a_release_of_an_earlier_version_lapses_and_says_why() -> None:
    """Its digest was over the playbook and its roles alone."""
    assert "earlier version" in why_lapsed("0" * 64, f"{'0' * 64}.{'1' * 64}")


def test_the_digest_is_of_the_versions_of_ansible_and_the_collections_too(
    playbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version brings other modules of the same names."""
    write(playbook.parent.parent / "requirements.yml", "collections:\n  - name: community.general\n")
    before = digest_now(playbook)
    digest._hashed.clear()

    monkeypatch.setattr("flows.runs.bundle.galaxy._version", lambda _: "99.0.0")

    assert not same_playbook(before, digest_now(playbook))


def test_two_folders_with_keys_of_their_own_say_that_their_digests_do_not_agree(playbook: Path, tmp_path: Path) -> None:
    """Two folders of one shared site: a person releases in one, and the engine runs in the other."""
    inventories = [tmp_path / folder / "hosts.ini" for folder in ("person", "engine")]
    for inventory in inventories:
        inventory.parent.mkdir()
        inventory.write_text("n1\n")
    persons, engines = (run_digest(playbook, inventory) for inventory in inventories)
    assert why_lapsed(persons, engines).startswith("the inventory's key is another")

    for folder in ("shared-1", "shared-2"):
        shutil.copytree(tmp_path / "engine", tmp_path / folder)
    one, other = (run_digest(playbook, tmp_path / folder / "hosts.ini") for folder in ("shared-1", "shared-2"))
    assert one == other == engines
