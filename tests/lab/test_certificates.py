"""Certificates of the site's own authority, seen from outside: who is let in, who is not, and what renews.

Needs no more than the slice: with `LAB_NAME` of one that is up, the tests run on that.
"""

from __future__ import annotations

import socket
import ssl
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lab.lab import Lab
from tests.lab.playing import find, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

LOGS, LDAPS = 10514, 636
CERTIFICATE = "/etc/clusterwright/host.pem"


class Site:
    """A lab with logs and people, and what an outsider has: the authority's certificate, which is public."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.management = str(lab.addresses.of(lab.topology.host("mgmt").number))
        self.authority = folder / "authority.pem"
        self.authority.write_text(ssh(lab, "mgmt", "cat /etc/clusterwright/authority.pem") + "\n")

    def serial(self, host: str) -> str:
        """Return the serial number of a host's certificate."""
        return ssh(self.lab, host, f"openssl x509 -in {CERTIFICATE} -noout -serial")

    def days_left(self, host: str) -> int:
        """Return the whole days that a host's certificate has left."""
        said = ssh(self.lab, host, f"openssl x509 -in {CERTIFICATE} -noout -enddate").partition("=")[2]
        return int((ssl.cert_time_to_seconds(said) - float(ssh(self.lab, host, "date +%s"))) // 86400)

    def shorten(self, host: str, days: int) -> None:
        """Let a host have a certificate of ninety days with no more than these left."""
        request = f"/var/lib/site_authority/requests/{host}"
        ssh(
            self.lab,
            "mgmt",
            f'sed -i \'s/"days": 90/"days": {days}/\' {request}.json && systemctl start site-authority.service &&'
            f'sed -i \'s/"days": {days}/"days": 90/\' {request}.json && cp {request}.json {request}.signed',
        )
        ssh(self.lab, host, "systemctl start host-certificate.service")
        assert self.days_left(host) in {days - 1, days}

    def renew(self, host: str) -> None:
        """Do what the timers do."""
        ssh(self.lab, "mgmt", "systemctl start site-authority.service")
        ssh(self.lab, host, "systemctl start host-certificate.service")

    def shown(self, port: int) -> str:
        """Return the serial number that the management host shows on a port, checked as a client of the site does."""
        trust = ssl.create_default_context(cafile=str(self.authority))
        with (
            socket.create_connection((self.management, port), 10) as plain,
            trust.wrap_socket(plain, server_hostname="mgmt") as secret,
        ):
            return f"serial={secret.getpeercert()['serialNumber']}"  # type: ignore[index]  # checked, so there is one

    def found(self, word: str) -> str:
        """Return the lines of the log store that have a word."""
        return ssh(self.lab, "mgmt", f"logsearch {word}")


@pytest.fixture(scope="module")
def site(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return a lab whose logs and people are set up."""
    for step in ("143", "145", "146", "H38"):
        played(lab, find(step))
    return Site(lab, tmp_path_factory.mktemp("site"))


def test_a_line_sent_without_a_certificate_never_reaches_the_store(site: Site) -> None:
    forged, known = f"forged{uuid.uuid4().hex}", f"known{uuid.uuid4().hex}"
    line = f"<13>1 2026-01-01T00:00:00Z mgmt sshd - - - {forged}"
    with socket.create_connection((site.management, LOGS), 10) as plain:
        plain.sendall(f"{len(line)} {line}".encode())
    trust = ssl.create_default_context(cafile=str(site.authority))
    with (
        suppress(OSError),  # the store may end the connection before the line is out
        socket.create_connection((site.management, LOGS), 10) as plain,
        trust.wrap_socket(plain, server_hostname="mgmt") as secret,
    ):
        secret.sendall(f"{len(line)} {line}".encode())
        secret.recv(1)
    ssh(site.lab, "node-01", f"logger {known}")

    assert "node-01" in until(lambda: site.found(known), bool, seconds=60)
    assert site.found(forged) == ""


def test_a_line_is_kept_under_the_name_of_the_host_that_sent_it(site: Site) -> None:
    """Root of a node, who may show its certificate, says that a line is the management host's."""
    forged = f"forged{uuid.uuid4().hex}"
    line = f"<13>1 2026-01-01T00:00:00Z mgmt sshd - - - {forged}"
    pair = "-cert /etc/clusterwright/host.pem -key /etc/clusterwright/host.key -quiet"
    send = f"(printf '%s %s' {len(line)} '{line}'; sleep 2) | timeout 10 openssl s_client {pair} -connect {site.management}:{LOGS}"
    ssh(site.lab, "node-01", f"{send} >/dev/null 2>&1 || true")

    found = until(lambda: site.found(forged), bool, seconds=60)

    assert found.split("\t")[1] == "node-01"


def test_the_authority_and_the_hosts_keys_are_read_by_those_alone_who_need_them(site: Site) -> None:
    for host, path, mode in (
        ("mgmt", "/etc/clusterwright/secrets/authority.key", "600 root root"),
        ("mgmt", "/etc/clusterwright/host.key", "640 root host-certificate"),
        ("node-01", "/etc/clusterwright/host.key", "640 root host-certificate"),
    ):
        assert ssh(site.lab, host, f"stat -c '%a %U %G' {path}") == mode
    assert ssh(site.lab, "mgmt", "getent group host-certificate").endswith(":openldap")


def test_a_certificate_that_ends_soon_is_renewed_by_the_timers_and_shown_by_the_directory(site: Site) -> None:
    before = site.shown(LDAPS)
    assert site.serial("mgmt") == before
    site.shorten("mgmt", 29)

    site.renew("mgmt")

    assert site.days_left("mgmt") in {89, 90}
    assert until(lambda: site.shown(LDAPS), site.serial("mgmt").__eq__, seconds=30) != before
    assert ssh(site.lab, "node-01", "systemctl is-enabled host-certificate.timer") == "enabled"
    assert ssh(site.lab, "mgmt", "systemctl is-active site-authority.timer") == "active"


def test_a_certificate_of_another_authority_is_refused_and_the_old_one_stays(site: Site) -> None:
    before = site.serial("node-01")
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=node-01 -keyout /dev/null"
    ssh(site.lab, "mgmt", f"{made} -out /var/lib/site_authority/issued/node-01.pem 2>/dev/null")

    ssh(site.lab, "node-01", "! systemctl start host-certificate.service 2>/dev/null")

    assert site.serial("node-01") == before
    site.renew("node-01")
    assert site.serial("node-01") != before


def test_the_end_of_each_certificate_is_exported_for_the_alert(site: Site) -> None:
    """`CertificateEndsSoon` reads this series; its own tests are beside the rule."""
    site.shorten("node-01", 10)

    lines = ssh(site.lab, "node-01", "cat /var/lib/prometheus/node-exporter/certificates.prom").splitlines()
    ends = {line.split('"')[1]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}
    now = float(ssh(site.lab, "node-01", "date +%s"))

    assert set(ends) == {CERTIFICATE, "/etc/clusterwright/authority.pem"}
    assert 9 < (ends[CERTIFICATE] - now) / 86400 < 11
    site.renew("node-01")
    assert site.days_left("node-01") in {89, 90}
