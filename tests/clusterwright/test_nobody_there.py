"""Planning, adoption and work say which sign-offs nobody can give."""

from __future__ import annotations

import json
from getpass import getuser
from pathlib import Path

import pytest

from tests.conftest import Command

ALONE = """id,name,roles,account
ana,Ana,owner-pm architect network-lead network-engineer,{account}
bo,Bo,cabling-technician,
"""
REMEDY = "add a person, or the role to a person, in site.yaml or people.csv; then `clusterwright plan adopt`"


@pytest.fixture
def site_of_two(tmp_path: Path, command: Command) -> tuple[Path, str]:
    """A new site whose people lack most roles, and what `init` said of them."""
    people = tmp_path / "people.csv"
    people.write_text(ALONE.format(account=getuser()), encoding="utf-8")
    site = tmp_path / "site"
    done = command("init", site, "--preset", "superpod-1su", "--start", "2026-11-23", "--people", people)
    return site, done.stderr


def test_everything_that_plans_says_which_sign_offs_nobody_can_give(
    site_of_two: tuple[Path, str], command: Command
) -> None:
    """It came out months later, when the work waited for a signature."""
    site, of_init = site_of_two
    of_plan = command("plan", "--site", site).stdout
    of_adoption = command("plan", "adopt", "--dry-run", "--as", "ana", "--site", site).stderr

    for said in (of_init, of_plan, of_adoption):
        assert "! role mechanical-lead: nobody has it; 4 sign-offs wait for that (098@hall-1 first)" in said
        assert REMEDY in said


def test_json_has_every_reason_with_its_activities(site_of_two: tuple[Path, str], command: Command) -> None:
    site, _ = site_of_two
    found = json.loads(command("plan", "--dates", "--json", "--site", site).stdout)["unsignable"]

    reasons = {(one["why"], *one["roles"]): one for one in found}
    assert len(reasons["nobody", "mechanical-lead"]["activities"]) == 4
    assert reasons["only who does it", "network-lead"]["have"] == ["ana"]
    assert {one["quorum"] for one in found if one["why"] == "too few"} == {2}


def test_doctor_looks_at_the_people_in_force(site_of_two: tuple[Path, str], command: Command) -> None:
    """site.yaml only proposes: until the plan is adopted again, the record's people are the ones who can sign."""
    site, _ = site_of_two
    command("plan", "adopt", "--as", "ana", "--yes", "--site", site)
    shown = (site / "people.csv").read_text(encoding="utf-8")
    (site / "people.csv").write_text(shown + "cy,Cy,mechanical-lead,\n", encoding="utf-8")

    assert "role mechanical-lead: nobody has it" in _sign_offs(command, site)["found"]

    command("plan", "adopt", "--as", "ana", "--yes", "--reason", "Cy came", "--site", site)
    assert "role mechanical-lead: nobody has it" not in _sign_offs(command, site)["found"]


def test_a_site_that_has_everybody_is_told_only_that_they_have_one_account(adopted: Path, command: Command) -> None:
    assert json.loads(command("plan", "--dates", "--json", "--site", adopted).stdout)["unsignable"] == []
    assert "one account" in _sign_offs(command, adopted)["found"]


def _sign_offs(command: Command, site: Path) -> dict[str, str]:
    checks = json.loads(command("doctor", "--json", "--site", site).stdout)
    return next(check for check in checks if check["name"] == "sign-offs")


def test_who_could_approve_work_hears_before_it_that_they_cannot_afterwards(adopted: Path, command: Command) -> None:
    """A person who finished a hold point shut herself out of signing it, and heard it at the signature."""
    said = command("start", "036@site", "--as", "owner", "--site", adopted).stderr
    again = command("progress", "036@site", "--percent", "10", "--as", "owner", "--site", adopted).stderr
    crew = command("start", "071@site", "--as", "operator", "--site", adopted).stderr

    assert said.splitlines()[0] == (
        "once this is recorded, owner cannot approve 036@site: who works on it does not; these can: reviewer"
    )
    assert "036@site: started" in said
    assert "cannot approve" not in again, "it is said once"
    assert "cannot approve" not in crew, "the operator could not approve it anyway"


def test_where_nobody_else_can_approve_it_says_what_to_do(site_of_two: tuple[Path, str], command: Command) -> None:
    site, _ = site_of_two
    command("plan", "adopt", "--as", "ana", "--yes", "--site", site)

    said = command("start", "036@site", "--as", "ana", "--site", site).stderr

    assert "and nobody else can. Let somebody else record it, or give another person the role" in said
    assert "036@site: started" in said, "work is recorded as it happened"


def test_who_attests_work_hears_before_it_that_they_cannot_approve_it(adopted: Path, command: Command) -> None:
    """What is attested is always approved by somebody else, whatever the policy says of other work."""
    said = command("attest", "071@site", "--reason", "on paper", "--as", "owner", "--site", adopted).stderr

    first, *others = said.splitlines()
    assert first.startswith(
        "once this is recorded, owner cannot approve 071@site: who works on it does not; these can: "
    )
    assert any("071@site: attested" in line for line in others)
