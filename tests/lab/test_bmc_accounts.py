"""Controllers with passwords of their own, seen from outside. The controllers are simulated; hosts, network and TLS are real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import Played, play
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

PASSWORDS = "networking/H16_bmc_passwords.yml"
FACTORY = "networking/H16_factory_passwords.yml"


class Site:
    """A lab, and the passwords that its controllers are to have."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.nodes = [host.name for host in lab.topology.hosts if host.bmc]
        self.former = lab.password_file.read_text(encoding="utf-8")
        hosts = {
            name: {"bmc_password": f"own-password-of-{name}", "bmc_former_password": self.former} for name in self.nodes
        }
        self._own = folder / "own.yml"
        self._own.write_text(yaml.safe_dump({"all": {"hosts": hosts}}), encoding="utf-8")

    def play(self, playbook: str, *options: str, with_own: bool = True) -> Played:
        """Run a playbook as an operator does whose vault has the controllers' own passwords."""
        own = ("-i", str(self._own)) if with_own else ()
        return play(self.lab, playbook, *own, *options)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a lab whose controllers share a password."""
    for lab in made_alone("cwpass", "10.98.0.0/22"):
        yield Site(lab, tmp_path_factory.mktemp("own"))


def test_a_password_that_all_share_is_not_set(site: Site) -> None:
    said = site.play(PASSWORDS, with_own=False)

    assert said.rc != 0
    assert "bmc_password is the same for" in " ".join(said.said.split())


def test_each_gets_its_own_and_the_former_one_lets_nobody_in_any_more(site: Site) -> None:
    checked, made, again = site.play(PASSWORDS, "--check"), site.play(PASSWORDS), site.play(PASSWORDS)

    assert (checked.rc, made.rc, again.rc) == (0, 0, 0), made.said[-3000:]
    changed = {name: int(name in site.nodes) for name in made.changed}
    assert (checked.changed, made.changed) == (changed, changed)
    assert set(again.changed.values()) == {0}
    ssh(site.lab, "mgmt", "systemctl restart lab-bmc; sleep 2")
    listing = ("-e", f"bmc_list_path={site.lab.folder / 'list.csv'}")
    listed = site.play("server_assembly/017_bmc_addresses.yml", *listing)
    assert "2 of 2 servers are in" in " ".join(listed.said.split())
    former = site.play("server_assembly/017_bmc_addresses.yml", *listing, with_own=False)
    assert "0 of 2 servers are in" in " ".join(former.said.split())


def test_factory_accounts_are_counted_and_a_controller_that_does_not_answer_makes_it_unknown(site: Site) -> None:
    well = site.play(FACTORY)
    opened = site.play(
        FACTORY, "-e", "{bmc_accounts_factory: [{username: admin, password: own-password-of-node-01, source: a test}]}"
    )
    ssh(site.lab, "mgmt", "systemctl stop lab-bmc")
    silent = site.play(FACTORY)
    ssh(site.lab, "mgmt", "systemctl start lab-bmc")

    assert f"secrets.factory_passwords_left: 0; {len(site.nodes)} controllers" in " ".join(well.said.split())
    assert "secrets.factory_passwords_left: 1;" in " ".join(opened.said.split())
    assert "Let somebody in: node-01" in " ".join(opened.said.split())
    assert "secrets.factory_passwords_left: not measured" in " ".join(silent.said.split())
