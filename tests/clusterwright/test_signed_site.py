"""A site whose people sign with keys, from `init` to a package, on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from ledger.account import machine_account
from tests.commands import called
from tests.needs import needs
from tests.pasted import as_a_shell_reads

pytestmark = needs("ssh-keygen")


class Site:
    """A folder with a signed site, and the command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "site"
        self.keys = folder / "keys"
        self.keys.mkdir()
        self("init", self.folder, "--preset", "superpod-1su", at=folder)
        path = self.folder / "site.yaml"
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
        held["assurance"] = "signed"
        held["people"] = [
            self._person("owner", "owner-pm"),
            self._person("lead", "electrical-lead"),
            self._person("tech", "electrical-engineer"),
        ]
        path.write_text(yaml.safe_dump(held), encoding="utf-8")

    def _person(self, name: str, role: str) -> dict[str, object]:
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.keys / name)],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        key = (self.keys / f"{name}.pub").read_text(encoding="utf-8").strip()
        return {"id": name, "name": name.title(), "roles": [role], "account": machine_account(), "ssh_key": key}

    def __call__(
        self, *words: object, at: Path | None = None, rc: int = 0, key: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        extra = {"CLUSTERWRIGHT_KEY": str(self.keys / key)} if key else {}
        done = called(words, cwd=at or self.folder, env={"HOME": str(self.keys), **extra})
        assert done.returncode == rc, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made("plan", "adopt", "--as", "owner", "--yes", key="owner")
    return made


@pytest.mark.slow
def test_a_signed_site_from_adoption_to_a_package(site: Site) -> None:
    site("reopen", "071@site", "--as", "owner", "--reason", "x", rc=1, key="owner")
    site("attest", "071@site", "--as", "tech", "--reason", "worked out on paper", key="tech")
    file = site.folder / "calculation.csv"
    file.write_text("what,kW\nrack,10.2\n", encoding="utf-8")
    site("attach", "071@site", "--as", "tech", "--file", file, "--kind", "power-calculation", key="tech")
    refused = site("sign", "071@site", "--as", "lead", key="tech", rc=1)
    assert "is invalid" in refused.stderr
    waiting = site("sign", "071@site", "--as", "lead", rc=3)
    assert "none of the keys in" in waiting.stderr
    signed = site("sign", "071@site", "--as", "lead", "--key", site.keys / "lead")
    assert "signed with your key" in signed.stderr

    assert "0 findings" in site("audit").stdout
    rows = json.loads(site("keys", "--json").stdout)
    assert {row["person"] for row in rows} == {"owner", "lead", "tech"}
    assert site("keys", "allowed-signers").stdout.count('namespaces="clusterwright"') == 3
    alone = site("export", "bundle", site.folder / "not signed").stderr
    assert "chain only until the owner signs it: ssh-keygen -Y sign -n clusterwright -f KEY" in alone
    signs = alone.partition("signs it: ")[2].replace("KEY", str(site.keys / "owner"), 1)
    verifies = alone.partition("verify it with ")[2].splitlines()[0]
    for line in (signs, verifies):  # as somebody copies them
        subprocess.run(["sh", "-c", line], check=True, capture_output=True)
    site("export", "bundle", site.folder / "package", "--key", site.keys / "owner")
    verified = subprocess.run([site.folder / "package" / "verify.sh"], capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout
    assert "2 signatures" in verified.stdout


@pytest.mark.slow
def test_the_owner_sees_whose_key_and_account_a_plan_changes(site: Site) -> None:
    """Otherwise they would sign for a key that somebody else wrote into site.yaml, and be told that nothing changes."""
    path = site.folder / "site.yaml"
    held = yaml.safe_load(path.read_text(encoding="utf-8"))
    held["people"][1] = site._person("new", "electrical-lead") | {"id": "lead", "name": "Lead", "account": "other"}
    path.write_text(yaml.safe_dump(held), encoding="utf-8")

    changes = json.loads(site("plan", "diff", "--json").stdout)

    keys = [" ".join((site.keys / f"{name}.pub").read_text(encoding="utf-8").split()[:2]) for name in ("lead", "new")]
    assert [list(change.values()) for change in changes] == [
        ["account", "lead", machine_account(), "other"],
        ["key", "lead", *keys],
    ]


@pytest.mark.slow
def test_a_statement_signed_elsewhere_is_recorded_once(site: Site) -> None:
    site("attest", "071@site", "--as", "tech", "--reason", "worked out on paper", key="tech")
    file = site.folder / "calculation.csv"
    file.write_text("what,kW\nrack,10.2\n", encoding="utf-8")
    site("attach", "071@site", "--as", "tech", "--file", file, "--kind", "power-calculation", key="tech")
    request = site.folder / "to sign.json"
    said = site("sign", "071@site", "--as", "lead", "--export", request).stderr
    first, then = (as_a_shell_reads(part) for part in said.split("`")[1::2])
    assert (first[:5], first[-1]) == (["ssh-keygen", "-Y", "sign", "-n", "clusterwright"], str(request))
    assert then[-1] == str(request)
    site("sign", "--import", request, rc=3)
    subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "clusterwright", "-f", site.keys / "lead", request],
        check=True,
        capture_output=True,
    )
    assert "approved by lead" in site("sign", "--import", request).stderr
    again = site("sign", "--import", request, rc=1)
    assert "is done" in again.stderr
    held = request.read_text(encoding="utf-8")
    request.write_text(held.replace('"comment":""', '"comment":"all good"'), encoding="utf-8")
    site("sign", "--import", request, rc=2)
    assert "0 findings" in site("audit").stdout


@pytest.mark.slow
def test_a_revoked_key_and_a_plan_without_the_owners_key_are_refused(site: Site) -> None:
    said = site("keys", "revoke", "lead", "--reason", "laptop lost", "--at", "2099-01-01", "--as", "owner", key="owner")
    assert "a revocation counts at once" in said.stderr
    assert "revoked" in site("keys").stdout
    site("plan", "adopt", "--as", "owner", "--yes", "--reason", "again", key="lead", rc=1)


@pytest.mark.slow
def test_only_the_key_says_who_acts(site: Site) -> None:
    """All three have one account. Who does the work in another's name could approve it in their own."""
    words = ("comment", "071@site", "asked for two offers", "--as", "lead")

    without = site(*words, rc=3)
    with_another = site(*words, rc=1, key="tech")
    assert "none of the keys in" in without.stderr
    assert "is not a key of lead" in with_another.stderr
    assert not json.loads(site("show", "071@site", "--json").stdout)["comments"]

    site(*words, key="lead")
    site("comment", "071@site", "the key alone names its person", key="tech")
    comments = json.loads(site("show", "071@site", "--json").stdout)["comments"]
    assert [said["person"] for said in comments] == ["lead", "tech"]
    assert "only a key says who acts" in site("comment", "071@site", "who?", rc=2).stderr


@pytest.mark.slow
def test_a_signed_site_needs_no_account(tmp_path: Path) -> None:
    """Root, or an account of somebody else, is no obstacle for whoever has the key, and no help for others."""
    made = Site(tmp_path)
    path = made.folder / "site.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(f"account: {machine_account()}", "account: elsewhere"))

    made("plan", "adopt", "--as", "owner", "--yes", key="tech", rc=1)
    assert not list(made.folder.glob("ledger.db*")), (
        "a plan that nobody could adopt leaves no ledger with an owner behind"
    )
    made("plan", "adopt", "--as", "owner", "--yes", key="owner")

    assert "noted" in made("comment", "071@site", "seen", "--as", "tech", key="tech").stderr


@pytest.mark.slow
def test_a_rehearsal_is_played_without_the_keys_of_people(tmp_path: Path) -> None:
    made = Site(tmp_path)
    made("plan", "adopt", "--rehearsal", "--as", "owner", "--yes", key="owner")

    assert "noted" in made("comment", "071@site", "what if", "--as", "tech").stderr
