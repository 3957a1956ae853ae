"""Who acts is what the kernel says, and two people cannot have one key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from ledger.account import machine_account
from tests.conftest import Command
from tests.other_user import NOBODY_HAS, as_account, needs_root

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILrnRfTxXwmPwpQnXdqWaZEQmB5dyJW1zyfXZ0HKbAPw"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBgVbrdvXxwvr4bFYT6L4R0jL8qCkgXUmBUm5OGu3Yzz"


def stated(site: Path, **of: dict[str, str]) -> None:
    """Write more about people in site.yaml, one line for each."""
    path = site / "site.yaml"
    held = yaml.safe_load(path.read_text(encoding="utf-8"))
    held["people"] = [person | of.get(person["id"], {}) for person in held["people"]]
    path.write_text(yaml.safe_dump(held, sort_keys=False), encoding="utf-8")


@pytest.mark.parametrize("variable", ["LOGNAME", "USER", "LNAME", "USERNAME", "SUDO_USER"])
def test_the_environment_does_not_say_who_acts(site: Path, command: Command, variable: str) -> None:
    """Everybody can set it, and would be whoever they like."""
    stated(site, owner={"account": "victim"}, reviewer={"account": "victim"}, operator={"account": "victim"})

    refused = command("plan", "adopt", "--as", "owner", "--yes", "--site", site, env={variable: "victim"})

    assert refused.returncode == 1, refused.stderr
    assert f"the account {machine_account()!r} may not adopt" in refused.stderr
    assert not (site / "ledger.db").exists()


@needs_root
def test_an_account_without_a_name_has_its_number() -> None:
    """As in a container that runs under any number. An empty name, or a traceback, would help nobody."""
    assert as_account(NOBODY_HAS, machine_account) == f"uid-{NOBODY_HAS}"


def test_a_new_site_states_the_account_that_the_kernel_names(tmp_path: Path, command: Command) -> None:
    command("init", tmp_path / "site", env={"LOGNAME": "victim"})

    held = yaml.safe_load((tmp_path / "site/site.yaml").read_text(encoding="utf-8"))
    assert {person["account"] for person in held["people"]} == {machine_account()}


def test_one_key_for_two_people_is_refused_with_its_line(site: Path, command: Command) -> None:
    """Whoever has it would approve their own work under the other name. A comment does not make it another key."""
    stated(site, operator={"ssh_key": f"{KEY} operator@laptop"}, reviewer={"ssh_key": f"  {KEY}  reviewer@desk "})

    refused = command("plan", "--site", site)

    lines = (site / "site.yaml").read_text(encoding="utf-8").splitlines()
    line = max(number for number, text in enumerate(lines, 1) if "ssh_key" in text)
    assert refused.returncode == 2
    assert f"site.yaml:{line}: people[2].ssh_key: reviewer has the SSH key of operator" in refused.stderr


def test_each_person_may_have_a_key_of_their_own(site: Path, command: Command) -> None:
    stated(site, operator={"ssh_key": KEY}, reviewer={"ssh_key": OTHER})

    assert command("plan", "--site", site).returncode == 0


def test_plan_and_doctor_show_an_account_that_two_people_have(site: Path, command: Command) -> None:
    """Only their word tells them apart, and one person can be both."""
    stated(site, owner={"account": "ann"}, reviewer={"account": "ben"}, operator={"account": "ann"})

    plan = command("plan", "--site", site).stdout
    listed = json.loads(command("plan", "--dates", "--json", "--site", site).stdout)
    doctor = {check["name"]: check for check in json.loads(command("doctor", "--json", "--site", site).stdout)}

    assert "! the account ann is stated for operator, owner" in plan
    assert listed["shared_accounts"] == {"ann": ["operator", "owner"]}
    assert doctor["accounts"]["state"] == "advice"
    assert "operator, owner" in doctor["accounts"]["found"]
    assert "own account" in doctor["accounts"]["remedy"]


def test_accounts_of_one_person_each_are_no_finding(site: Path, command: Command) -> None:
    stated(site, owner={"account": "ann"}, reviewer={"account": "ben"}, operator={"account": "kim"})

    doctor = {check["name"]: check for check in json.loads(command("doctor", "--json", "--site", site).stdout)}

    assert doctor["accounts"]["state"] == "ok"
    assert "stated for" not in command("plan", "--site", site).stdout
