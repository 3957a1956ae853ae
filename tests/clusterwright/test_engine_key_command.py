"""The engine's key as its owner meets it: made, enrolled, looked after, replaced; and what is refused without it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from clusterwright.health_check import ADVICE, FAULT, OK
from clusterwright.planning import plan_of
from clusterwright.previewing import preview
from ledger.machine_time import machine_time
from ledger.rules.version import RULES
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.trust import ssh
from ledger.trust.engine_key import KEY, make_key
from schedule.errors import NotSatisfiedError, UnreachableError
from tests.clusterwright.one_step import one_activity
from tests.clusterwright.test_accounts import KEY as A_KEY
from tests.clusterwright.test_accounts import OTHER, stated
from tests.clusterwright.test_signed_site import Site
from tests.commands import called
from tests.conftest import Command
from tests.ledger.conftest import earlier_rules
from tests.needs import needs

NAME = "035@pod-001"


def written(folder: Path, **keys: object) -> None:
    """Write keys of site.yaml."""
    path = folder / "site.yaml"
    held = yaml.safe_load(path.read_text(encoding="utf-8")) | keys
    path.write_text(yaml.safe_dump(held, sort_keys=False), encoding="utf-8")


def made_key(path: Path) -> str:
    """Make an SSH key and return its public key."""
    done = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(done, check=True, stdin=subprocess.DEVNULL)
    return path.with_suffix(".pub").read_text(encoding="utf-8").strip()


def checked(site: Site, name: str) -> Any:
    """Return a check of doctor, whatever else it found."""
    found = json.loads(called(("doctor", "--json"), cwd=site.folder).stdout)
    return next(check for check in found if check["name"] == name)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engine_key": "ssh-rsa AAAA"}, "not an Ed25519 public key"),
        ({"engine_key": f"{A_KEY[:-4]}"}, "not an Ed25519 public key"),
        ({"engine_key": f"{A_KEY} engine"}, "the engine has the SSH key of operator"),
    ],
)
def test_a_key_that_cannot_be_the_engines_is_refused_with_its_line(
    site: Path, command: Command, given: dict[str, str], says: str
) -> None:
    """With a person's key the engine could decide for them, and they for it."""
    stated(site, operator={"ssh_key": A_KEY})
    written(site, **given)

    refused = command("plan", "--site", site)

    lines = (site / "site.yaml").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.startswith("engine_key"))
    assert refused.returncode == 2
    assert f"site.yaml:{line}: engine_key" in refused.stderr
    assert says in refused.stderr


def test_the_plan_names_the_key_without_its_comment(site: Path) -> None:
    """The comment of a key often names a person or a machine, and the plan is kept for ever."""
    written(site, engine_key=f"{OTHER} build@machine-7")

    assert plan_of(site).engine_key == OTHER


def test_nobody_is_called_as_the_engine(site: Path, command: Command) -> None:
    """What a person decides would look like what software did."""
    path = site / "site.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("id: operator", "id: engine"), encoding="utf-8")

    refused = command("plan", "--site", site)

    assert refused.returncode == 2
    assert "the one under which software acts" in refused.stderr


@pytest.mark.slow
@needs("ssh-keygen")
def test_the_key_from_its_making_to_its_replacement(tmp_path: Path) -> None:
    """A person can use what the record has: each step says what comes next."""
    site = Site(tmp_path)
    assert checked(site, "engine's key")["state"] == ADVICE
    assert "the engine records nothing" in site("plan", "adopt", "--as", "owner", "--yes", key="owner").stderr
    made = json.loads(site("keys", "engine", "--json").stdout)
    assert made["is_new"]
    assert site("keys", "engine").stdout == f"engine_key: {made['engine_key']}\n"

    written(site.folder, engine_key=made["engine_key"])
    assert "engine" not in site("plan", "adopt", "--as", "owner", "--yes", key="owner").stderr
    assert checked(site, "engine's key")["state"] == OK
    assert "the plan in force names it" in site("keys", "engine").stderr
    assert "engine" in {row["person"] for row in json.loads(site("keys", "--json").stdout)}

    new = json.loads(site("keys", "engine", "--replace", "--json").stdout)
    assert (new["is_new"], new["is_enrolled"]) == (True, False)
    written(site.folder, engine_key=new["engine_key"])
    changes = json.loads(site("plan", "diff", "--json").stdout)
    (change,) = [change for change in changes if change["id"] == "engine_key"]
    assert [f"{change[side]} engine" for side in ("before", "after")] == [made["engine_key"], new["engine_key"]]
    site("plan", "adopt", "--as", "owner", "--yes", "--reason", "a new key", key="owner")
    assert json.loads(site("keys", "engine", "--json").stdout) == new | {
        "file": str(site.folder / KEY),
        "is_new": False,
        "is_enrolled": True,
    }

    (site.folder / KEY).unlink()
    assert "is missing" in site("up", rc=3).stderr
    site("keys", "engine")
    assert "not the engine's key that the plan in force names" in site("up", rc=1).stderr
    assert checked(site, "engine's key")["state"] == FAULT


@pytest.mark.slow
@needs("ssh-keygen")
def test_the_owner_raises_the_rules_of_an_earlier_release(tmp_path: Path) -> None:
    """Whoever upgrades has to learn that their record is judged by the earlier rules, and how that changes."""
    site = Site(tmp_path)
    with earlier_rules(1):
        site("plan", "adopt", "--as", "owner", "--yes", key="owner")
    rules = ("authority", "rules")

    assert "version 1 of the rules is in force since event 1" in site(*rules).stdout
    assert "authority rules --raise" in checked(site, "rules")["remedy"]
    assert "authority rules --raise" in site("audit").stdout
    assert "for raising the rules" in site(*rules, "--reason", "why not", rc=2).stderr
    assert "needs a reason" in site(*rules, "--raise", "--as", "owner", rc=2, key="owner").stderr
    refused = site(*rules, "--raise", "--reason", "mine", "--as", "lead", rc=1, key="lead")
    assert "the owner" in refused.stderr

    raised = site(*rules, "--raise", "--reason", "newer", "--as", "owner", key="owner")

    assert f"version {RULES} of the rules is in force from event 3 on" in raised.stderr
    assert "no valid key of the engine" in raised.stderr
    found = json.loads(site("audit", "--json").stdout)
    assert found["rules"] == [{"rules": 1, "first": 1, "last": 2}, {"rules": RULES, "first": 3, "last": 3}]
    assert (found["unwitnessed"], found["refused"], found["findings"]) == (0, [], [])
    assert [checked(site, name)["state"] for name in ("rules", "engine's key")] == [OK, FAULT]
    assert "is no later one" in site(*rules, "--raise", "--reason", "x", "--as", "owner", rc=1, key="owner").stderr


@pytest.mark.slow
@needs("ssh-keygen")
def test_a_preview_needs_the_key_of_the_engine(tmp_path: Path, command: Command) -> None:
    """What it showed is the engine's to record. Nothing is looked at that could not be kept for the release."""
    key = tmp_path / "owner"
    folder = tmp_path / "machine"
    plan = one_activity(folder, command, NAME, preview=True)
    public = made_key(key)
    people = tuple(p.model_copy(update={"ssh_key": public} if p.id == "owner" else {}) for p in plan.people)
    signed = plan.model_copy(update={"people": people})
    with create_ledger(
        folder,
        site_name=plan.site,
        time_zone=plan.time_zone,
        rehearsal=False,
        owner="owner",
        owner_key=public,
        clock=machine_time,
    ) as ledger:
        ledger.signer = lambda _, text: ssh.sign(text, key, ssh.NAMESPACE)
        adopt_plan(ledger, "owner", signed, reason="one step")
        with pytest.raises(NotSatisfiedError, match="no valid key of the engine"):
            preview(folder, NAME)
        adopt_plan(ledger, "owner", signed.model_copy(update={"engine_key": make_key(folder)}), reason="with its key")
    (folder / KEY).unlink()

    with pytest.raises(UnreachableError, match="a preview is recorded with the engine's key") as refused:
        preview(folder, NAME)

    assert "as the account of the engine" in refused.value.hint
