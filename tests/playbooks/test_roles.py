"""Every role is described, used by a playbook, and so tried: on a lab with all the others, in a test that is named, or in check mode."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.runs.plays import patterns_of, roles_of
from tests.lab.playing import BY_ITSELF, FOLDER, every_playbook, other_designs, playbooks

ROLES = sorted(path for path in (FOLDER / "roles").iterdir() if path.is_dir())
ANOTHERS = re.compile(r"\.\./(\w+)/files/")
INCLUDES = ("ansible.builtin.include_role", "ansible.builtin.import_role")
PROOF = re.compile(r"_role:\n\s+name: proof\n")
LOOKED = re.compile(r"\b(?:unread_settings_handler|restart): (.+?)}?\n")
RESTARTS_OF_ONE_RUN = {"burn_in"}
"""Roles whose service ends with the step. A recorder that was stopped must not begin again because of a file that is newer."""
LAB_TESTS = sorted((FOLDER.parent / "tests" / "lab").glob("test_*.py"))


def described(role: Path) -> dict[str, Any]:
    """Return the options that a role takes, by name."""
    specs = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))
    options: dict[str, Any] = specs["argument_specs"]["main"].get("options", {})
    return options


def test_every_role_is_used_by_a_playbook() -> None:
    used = {role for playbook in every_playbook() for role in roles_of(FOLDER / playbook)}

    assert used == {role.name for role in ROLES}


def test_every_playbook_is_run_by_the_lab_or_has_a_test_that_names_it_or_is_for_a_design_without_a_lab() -> None:
    """`test_kubernetes` runs those of a design without a lab in check mode."""
    assert set(BY_ITSELF) <= set(every_playbook())
    assert {*playbooks(), *BY_ITSELF, *other_designs()} == set(every_playbook())
    assert not set(playbooks()) & set(other_designs())
    tests = "\n".join(path.read_text(encoding="utf-8") for path in LAB_TESTS)

    unnamed = [playbook for playbook in BY_ITSELF if playbook not in tests]

    assert unnamed == []
    assert all(reason.strip() for reason in BY_ITSELF.values())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_says_what_it_does_and_what_it_takes(role: Path) -> None:
    readme = (role / "README.md").read_text(encoding="utf-8")
    meta = yaml.safe_load((role / "meta" / "main.yml").read_text(encoding="utf-8"))
    options = described(role)
    defaults = role / "defaults" / "main.yml"
    set_here = yaml.safe_load(defaults.read_text(encoding="utf-8")) or {} if defaults.exists() else {}

    assert readme.startswith(f"# {role.name}\n")
    assert meta["galaxy_info"]["description"]
    assert {name for name in options if f"`{name}`" not in readme} == set()
    assert set(set_here) <= set(options)
    assert {name for name, option in options.items() if "default" in option} <= set(set_here)
    assert all(option["description"] for option in options.values())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_service_whose_restart_was_lost_is_restarted_by_the_next_run(role: Path) -> None:
    """The run before ended in the middle, and the next one finds nothing changed."""
    handlers = role / "handlers" / "main.yml"
    known = yaml.safe_load(handlers.read_text(encoding="utf-8")) if handlers.exists() else []
    restarts = [one for one in known if one.get("ansible.builtin.systemd_service", {}).get("state") == "restarted"]
    files = [*role.glob("tasks/*.yml"), *role.glob("vars/*.yml")]
    looked = {name for file in files for name in LOOKED.findall(file.read_text(encoding="utf-8"))}

    lost = [one["name"] for one in restarts if not {one["name"], one.get("listen")} & looked]

    assert lost == [] or role.name in RESTARTS_OF_ONE_RUN


@pytest.mark.parametrize("playbook", every_playbook())
def test_no_play_names_equipment_that_happens_to_be_in_the_inventory(playbook: str) -> None:
    """Switches and simulators have no servers' steps: `all` would play them too."""
    assert "all" not in patterns_of(FOLDER / playbook)


@pytest.mark.parametrize("playbook", every_playbook())
def test_a_role_takes_files_of_roles_alone_that_the_playbook_has(playbook: str) -> None:
    """A run has a copy of the roles that its playbook names, and of no others."""
    has = roles_of(FOLDER / playbook)
    files = [file for role in has for file in (FOLDER / "roles" / role).glob("*/*.yml")]
    taken = {name for file in files for name in ANOTHERS.findall(file.read_text(encoding="utf-8"))}

    assert taken <= set(has)


@pytest.mark.parametrize("playbook", every_playbook())
def test_all_proofs_of_a_playbook_are_of_the_same_hosts(playbook: str) -> None:
    """A host that handed over one proof of a run has not measured what only another host's proof reads, and the step is not met."""
    plays = yaml.safe_load((FOLDER / playbook).read_text(encoding="utf-8"))

    assert len({play["hosts"] for play in plays if _proves(play)}) <= 1


def _proves(play: dict[str, Any]) -> bool:
    """Return whether a play runs a proof, itself or by a part of a role that does."""
    brought = [role if isinstance(role, str) else role["role"] for role in play.get("roles", [])]
    included = [task[word] for task in play.get("tasks", []) for word in INCLUDES if word in task]
    files = [FOLDER / "roles" / one["name"] / "tasks" / f"{one.get('tasks_from', 'main')}.yml" for one in included]
    files += [FOLDER / "roles" / role / "tasks" / "main.yml" for role in brought]
    return any(file.parts[-3] == "proof" or PROOF.search(file.read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize("playbook", every_playbook())
def test_who_changes_hosts_in_turn_begins_with_one(playbook: str) -> None:
    """What fails there, as firmware that a server does not start with, reaches no other host."""
    for play in yaml.safe_load((FOLDER / playbook).read_text(encoding="utf-8")):
        if "serial" in play:
            assert play["serial"][0] == 1
            assert play["max_fail_percentage"] < 100
