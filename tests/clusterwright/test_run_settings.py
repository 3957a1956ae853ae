"""`runs` in site.yaml at the command line: bad values with their place, the bounds of a run, and passwords that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.clusterwright.one_step import one_step_site
from tests.clusterwright.test_bad_input import BAD_INPUT, NOT_SATISFIED, UNREACHABLE, edit
from tests.conftest import Command

NAME = "035@pod-001"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ("{forks: 0}", ["runs.forks", "greater than or equal to 1"]),
        ("{forks: many}", ["runs.forks", "'many'"]),
        ("{frks: 3}", ["unknown key 'frks'", "did you mean forks"]),
        ("{steps: {'6': {forks: 3}}}", ["runs.steps.6"]),
        ("{steps: {'006': {time_limit_s: -1}}}", ["runs.steps.006.time_limit_s", "-1"]),
        ("{groups: {'all:!x': {forks: 3}}}", ["runs.groups.all:!x"]),
        ("{vault: [{id: prod}]}", ["runs.vault[0]", "one source"]),
        ("{vault: [{file: a}, {file: b}]}", ["runs", "vault id 'default'"]),
        ("{environment: [LD_PRELOAD]}", ["runs", "the variable LD_PRELOAD would change what runs"]),
        ("{environment: [ANSIBLE_SSH_EXECUTABLE]}", ["runs", "a setting of Ansible belongs in ansible.cfg"]),
    ],
)
def test_a_bad_setting_is_refused_with_its_place(site: Path, command: Command, runs: str, expected: list[str]) -> None:
    edit(site, "crews: {}", f"crews: {{}}\nruns: {runs}")

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    for words in ("site.yaml:", *expected):
        assert words in result.stderr


@pytest.fixture
def machine(tmp_path: Path, command: Command) -> Path:
    """This machine as a site of one step."""
    return one_step_site(tmp_path / "machine", command, NAME)


def test_the_bounds_of_a_run_are_shown_with_where_they_come_from(machine: Path, command: Command) -> None:
    edit(machine, "crews: {}", "crews: {}\nruns: {forks: 7, steps: {'035': {ssh_retries: 5}}}")

    shown = command("limits", NAME, "--json", "--site", machine)
    found = json.loads(shown.stdout)

    assert found["forks"] == {"value": 7, "origin": "site.yaml: runs.forks"}
    assert found["ssh_retries"] == {"value": 5, "origin": "site.yaml: runs.steps.035.ssh_retries"}
    assert found["task_timeout_s"] == {"value": 8 * 3600 + 60, "origin": "default: the playbook's burn_in_hours"}
    assert found["hang_after_s"] == {"value": 8 * 3600, "origin": "default: the playbook's burn_in_hours"}
    assert found["time_limit_s"]["value"] > 8 * 3600
    assert "site.yaml: runs.forks" in command("limits", NAME, "--site", machine).stdout


def test_a_step_that_nothing_runs_for_has_no_bounds(adopted: Path, command: Command) -> None:
    assert command("limits", "001@site", "--site", adopted).returncode == NOT_SATISFIED


def test_a_setting_needs_no_new_release(machine: Path, command: Command) -> None:
    """What was released is which hosts and which files; how many at once is not part of it."""
    command("release", NAME, "--yes", "--as", "owner", "--site", machine)
    before = command("why", NAME, "--json", "--site", machine).stdout
    edit(machine, "crews: {}", "crews: {}\nruns: {forks: 7}")

    assert command("why", NAME, "--json", "--site", machine).stdout == before


def test_a_release_that_has_lapsed_is_named_with_what_was_changed(machine: Path, command: Command) -> None:
    """The engine waits for another one, and without this nobody would know."""
    command("release", NAME, "--yes", "--as", "owner", "--site", machine)
    assert "lapsed" not in command("why", NAME, "--site", machine).stdout
    variables = machine / "inventory" / "group_vars" / "all.yml"
    variables.parent.mkdir()
    variables.write_text("burn_in_hours: 9\n")

    (need,) = json.loads(command("why", NAME, "--json", "--site", machine).stdout)["needs"]

    assert "the released hosts or playbook differ (the inventory, a variable beside it" in need
    assert f"clusterwright release {NAME}" in need
    waiting = json.loads(command("inbox", "--as", "owner", "--json", "--site", machine).stdout)
    assert (NAME, "release") in [(row["activity"], row["action"]) for row in waiting]
    reminders = command("reminders", "--person", "owner", "--site", machine).stdout
    assert f"clusterwright release {NAME}" in reminders


def test_up_and_doctor_say_which_vault_stays_closed_before_anything_starts(machine: Path, command: Command) -> None:
    secret = VaultSecret(b"right")
    closed = machine / "inventory" / "group_vars" / "all.yml"
    closed.parent.mkdir()
    closed.write_bytes(VaultLib([("default", secret)]).encrypt("bmc_password: canary-7a", secret=secret))
    word = machine / "word"
    word.write_text("right")

    def said(runs: str) -> tuple[int, str]:
        edit(machine, "crews: {}", f"crews: {{}}\nruns: {runs}")
        command("allow", "--yes", "--site", machine)
        ended = command("up", "--site", machine)
        doctor = command("doctor", "--json", "--site", machine).stdout
        edit(machine, f"crews: {{}}\nruns: {runs}", "crews: {}")
        assert next(one for one in json.loads(doctor) if one["name"] == "runs of playbooks")["state"] == "fault"
        return ended.returncode, ended.stderr

    none, missing = said("{}"), said("{vault: [{file: nowhere}]}")
    word.write_text("wrong")
    wrong = said("{vault: [{file: word}]}")

    assert (none[0], missing[0], wrong[0]) == (BAD_INPUT, UNREACHABLE, BAD_INPUT)
    assert "all.yml:1: it is vaulted, and site.yaml names no password for it" in none[1]
    assert "runs.vault[0]: the password of vault id default cannot be read" in missing[1]
    assert "none of the passwords of default opens it" in wrong[1]


def test_a_group_that_the_inventory_does_not_have_is_named(machine: Path, command: Command) -> None:
    edit(machine, "crews: {}", "crews: {}\nruns: {groups: {swiches: {forks: 2}}}")

    result = command("limits", NAME, "--site", machine)

    assert result.returncode == BAD_INPUT
    assert "site.yaml: runs.groups.swiches: the inventory has no group 'swiches' with hosts" in result.stderr
