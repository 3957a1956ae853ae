"""Controllers with certificates of the site's authority, seen from outside. The controllers are simulated; hosts, TLS and timers are real."""

from __future__ import annotations

import ssl
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import Played, play
from tests.lab.reaching import Bmc, ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

CERTIFY = "server_assembly/H32_bmc_certificates.yml"
NODES = ("node-01", "node-02")
RENEW = "systemctl start bmc-certificates.service"
TERMS = "/etc/clusterwright/secrets/bmcs.json"


class Site:
    """A lab, and the file with the authorities of controllers that its operator has."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.known = folder / "known.pem"
        self.known.write_text((lab.folder / "ca.pem").read_text(encoding="utf-8"), encoding="utf-8")

    def play(self, playbook: str = CERTIFY, *options: str) -> Played:
        """Run a playbook as an operator does."""
        return play(self.lab, playbook, "-e", f"bmc_ca_path={self.known}", *options)

    def serial(self, node: str, authority: Path | None = None) -> str:
        """Return the serial number of what a controller serves to a client who knows an authority, and answers Redfish under."""
        bmc = Bmc(self.lab, node)
        bmc.trust = ssl.create_default_context(cafile=str(authority or self.authority()))
        assert bmc.get("/Systems/1")["PowerState"] == "On"
        host = bmc.base.removeprefix("https://")
        show = f"openssl s_client -connect {host}:443 </dev/null 2>/dev/null | openssl x509 -noout -serial"
        return ssh(self.lab, "mgmt", show)

    def authority(self) -> Path:
        """Return a file with the site's authority alone."""
        path = self.known.with_name("authority.pem")
        path.write_text(ssh(self.lab, "mgmt", "cat /etc/clusterwright/authority.pem") + "\n", encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Yield a lab whose controllers have certificates of another authority, as from a factory."""
    for lab in made_alone("cwcert", "10.99.0.0/22"):
        yield Site(lab, tmp_path_factory.mktemp("known"))


def test_nothing_is_changed_until_the_other_roles_would_know_the_new_certificates(site: Site) -> None:
    first = site.play()

    assert first.rc != 0
    assert "lacks the site's authority" in " ".join(first.said.split())
    for node in NODES:
        site.serial(node, site.lab.folder / "ca.pem")


def test_controllers_serve_certificates_of_the_site_and_another_run_changes_nothing(site: Site) -> None:
    with site.known.open("a", encoding="utf-8") as known:
        known.write(site.authority().read_text(encoding="utf-8"))

    before = [site.serial(node, site.lab.folder / "ca.pem") for node in NODES]

    checked = site.play(CERTIFY, "--check")
    assert checked.rc == 0, checked.said[-3000:]
    assert [site.serial(node, site.lab.folder / "ca.pem") for node in NODES] == before

    made, again = site.play(), site.play()

    assert (made.rc, again.rc) == (0, 0), made.said[-3000:] + again.said[-3000:]
    assert again.changed == {"mgmt": 0}
    assert len({site.serial(node) for node in NODES}) == 2
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        site.serial("node-01", site.lab.folder / "ca.pem")
    listed = site.play("server_assembly/017_bmc_addresses.yml", "-e", f"bmc_list_path={site.known.with_suffix('.csv')}")
    assert "2 of 2 servers are in" in " ".join(listed.said.split())
    assert ssh(site.lab, "mgmt", f"stat -c '%a %U' {TERMS}") == "600 root"
    assert ssh(site.lab, "mgmt", "systemctl is-active bmc-certificates.timer") == "active"


def test_what_ends_soon_is_renewed_by_the_timer_and_one_that_does_not_answer_keeps_its_own(site: Site) -> None:
    """A third of 400 days is more than the 90 that are left. A controller restarts with what it has taken."""
    before = {node: site.serial(node) for node in NODES}
    ssh(site.lab, "mgmt", f'sed -i \'s/"days": 90/"days": 400/\' {TERMS}')
    broken = Bmc(site.lab, "node-01")
    broken.trust = ssl.create_default_context(cafile=str(site.authority()))
    broken.ask("/lab/faults/unreachable", "PUT")

    ssh(site.lab, "mgmt", f"! {RENEW}")
    broken.ask("/lab/faults/unreachable", "DELETE")
    ssh(site.lab, "mgmt", "systemctl restart lab-bmc; sleep 2")

    assert site.serial("node-01") == before["node-01"]
    assert site.serial("node-02") != before["node-02"]
    assert "node-01-bmc" in ssh(site.lab, "mgmt", "journalctl -u bmc-certificates -o cat -n 5")
    ssh(site.lab, "mgmt", RENEW)
    assert site.serial("node-01") != before["node-01"]
    series = ssh(site.lab, "mgmt", "cat /var/lib/prometheus/node-exporter/bmc_certificates.prom")
    assert series.count("certificate_not_after_seconds{") == 2
