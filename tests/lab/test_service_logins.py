"""Services of monitoring, seen from outside: who shows neither a certificate nor a password gets no answer; who has one does.

All who ask here may reach the port: `test_service_access` is about those who may not.
"""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.error
from pathlib import Path

import pytest

from tests.lab.lab import Lab
from tests.lab.playing import find, played
from tests.lab.reaching import service, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

PROMETHEUS, ALERTMANAGER, CHANNEL, NODE_EXPORTER, MLFLOW = 9090, 9093, 9595, 9100, 5000
PROXIED = {PROMETHEUS: "/api/v1/targets", ALERTMANAGER: "/api/v2/alerts", CHANNEL: "/"}
FOLDER = "/etc/clusterwright"
ASK = """
import ssl, sys, urllib.error, urllib.request
address, authority, certificate, key = sys.argv[1:]
trust = ssl.create_default_context(cafile=authority)
if certificate:
    trust.load_cert_chain(certificate, key)
try:
    print(urllib.request.urlopen(address, context=trust, timeout=10).status)
except urllib.error.HTTPError as error:
    print(error.code)
except OSError as error:
    print("refused", error)
"""


class Site:
    """A lab with monitoring, its certificates, and those of an authority that the site does not know."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.management = str(lab.addresses.of(lab.topology.host("mgmt").number))
        strange = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=storage"
        ssh(lab, "storage", f"{strange} -keyout /root/strange.key -out /root/strange.pem 2>/dev/null")

    def asked(self, address: str, certificate: str = "", key: str = "") -> str:
        """Return the status with which root of the storage host is answered, or `refused` and why."""
        words = " ".join(f"'{word}'" for word in (f"https://{address}", f"{FOLDER}/authority.pem", certificate, key))
        return ssh(self.lab, "storage", f"python3 -c '{ASK}' {words}")

    def shown(self, host: str, port: int) -> str:
        """Return the serial number of the certificate that a host shows on a port."""
        name = f"{self.lab.addresses.of(self.lab.topology.host(host).number)}:{port}"
        pair = f"-cert {FOLDER}/host.pem -key {FOLDER}/host.key -CAfile {FOLDER}/authority.pem -verify_return_error"
        return ssh(
            self.lab,
            "storage",
            f"openssl s_client {pair} -connect {name} </dev/null 2>&1 | openssl x509 -noout -serial",
        )


@pytest.fixture(scope="module")
def site(lab: Lab) -> Site:
    """Return a lab with monitoring."""
    for step in ("166", "167", "174"):
        played(lab, find(step))
    return Site(lab)


def answer_to_a_stranger(site: Site, port: int, path: str, *, encrypted: bool) -> int:
    """Return the status with which somebody on the operators' network is answered."""
    anybody = ssl._create_unverified_context()
    connection: http.client.HTTPConnection = http.client.HTTPConnection(site.management, port, timeout=10)
    if encrypted:
        connection = http.client.HTTPSConnection(site.management, port, timeout=10, context=anybody)
    connection.request("GET", path)
    return connection.getresponse().status


@pytest.mark.parametrize("port", PROXIED)
def test_a_stranger_gets_no_answer(site: Site, port: int) -> None:
    assert answer_to_a_stranger(site, port, PROXIED[port], encrypted=True) == 401
    assert answer_to_a_stranger(site, port, PROXIED[port], encrypted=False) == 400


@pytest.mark.parametrize("port", PROXIED)
def test_an_operator_with_a_password_and_a_host_with_a_certificate_get_theirs(site: Site, port: int) -> None:
    assert service(site.lab, port, PROXIED[port])
    with pytest.raises(urllib.error.HTTPError, match="401"):
        service(site.lab, port, PROXIED[port], account="operator:guessed")
    address = f"{site.management}:{port}{PROXIED[port]}"
    if port != CHANNEL:  # which the storage host calls as well, but not to read
        assert site.asked(address) == "401"
    assert site.asked(address, f"{FOLDER}/host.pem", f"{FOLDER}/host.key") == "200"
    assert site.asked(address, "/root/strange.pem", "/root/strange.key") == "400"


def test_an_exporter_answers_scrapers_with_a_certificate_and_nobody_else(site: Site) -> None:
    address = f"{site.lab.addresses.of(site.lab.topology.host('node-01').number)}:{NODE_EXPORTER}/metrics"

    assert site.asked(address, f"{FOLDER}/host.pem", f"{FOLDER}/host.key") == "200"
    assert site.asked(address).startswith("refused")
    assert site.asked(address, "/root/strange.pem", "/root/strange.key").startswith("refused")


def test_a_plain_person_of_a_node_has_no_certificate_to_show(site: Site) -> None:
    assert ssh(site.lab, "node-01", f"runuser -u nobody -- cat {FOLDER}/host.key 2>&1 || true").endswith("denied")


def test_services_listen_on_the_management_address_or_on_their_own_host_alone(site: Site) -> None:
    for host in ("mgmt", "storage", "node-01"):
        address = str(site.lab.addresses.of(site.lab.topology.host(host).number))
        heard = [line.split()[3] for line in ssh(site.lab, host, "ss -Htln").splitlines()]
        ports = {str(port) for port in (*PROXIED, NODE_EXPORTER, 9094)}
        assert {where.rpartition(":")[0] for where in heard if where.rpartition(":")[2] in ports} <= {
            address,
            "127.0.0.1",
        }


def test_everything_is_scraped_and_the_pair_of_alertmanagers_hear_each_other(site: Site) -> None:
    def up() -> list[str]:
        found = json.loads(service(site.lab, PROMETHEUS, "/api/v1/query?query=up"))["data"]["result"]
        jobs = ("prometheus", "alertmanager", "node")
        return sorted(f"{one['metric']['job']} {one['value'][1]}" for one in found if one["metric"]["job"] in jobs)

    wanted = sorted(["prometheus 1"] * 2 + ["alertmanager 1"] * 2 + ["node 1"] * 6)
    assert until(up, wanted.__eq__, seconds=90) == wanted
    status = json.loads(service(site.lab, ALERTMANAGER, "/api/v2/status"))
    assert len(status["cluster"]["peers"]) == 2


def test_a_renewed_certificate_is_shown_by_every_service(site: Site) -> None:
    before = {port: site.shown("mgmt", port) for port in (*PROXIED, NODE_EXPORTER)}
    signed = "/var/lib/site_authority/requests/mgmt.signed"

    ssh(
        site.lab,
        "mgmt",
        f"rm {signed} && systemctl start site-authority.service && systemctl start host-certificate.service",
    )

    renewed = ssh(site.lab, "mgmt", f"openssl x509 -in {FOLDER}/host.pem -noout -serial")
    assert set(before.values()) != {renewed}
    for port in before:
        assert until(lambda p=port: site.shown("mgmt", p), renewed.__eq__, seconds=30) == renewed  # type: ignore[misc]


def test_the_proof_finds_a_service_that_answers_anybody(site: Site) -> None:
    """The proof of step 174 has found none."""
    script = (Path(__file__).parents[2] / "playbooks/roles/proof/files/service_logins.py").read_text(encoding="utf-8")
    open_service = "python3 -m http.server 9699 --bind 127.0.0.1 >/dev/null 2>&1 & trap 'kill $!' EXIT; sleep 2;"
    ssh(site.lab, "mgmt", f"cat >/root/service_logins.py <<'END'\n{script}\nEND")

    found = json.loads(
        ssh(site.lab, "mgmt", f"{open_service} python3 /root/service_logins.py 127.0.0.1:9699/ {site.management}:9090/")
    )

    assert found["service.answers_without_login"] == {"value": 1, "note": "127.0.0.1:9699/ answers 200 in clear text"}


@pytest.fixture(scope="module")
def tracked(site: Site) -> Site:
    """Return a lab whose training runs are filed."""
    for step in ("176", "183"):
        played(site.lab, find(step))
    return site


def test_a_run_is_filed_by_an_account_and_a_stranger_sees_none(tracked: Site) -> None:
    path = "/api/2.0/mlflow/experiments/get-by-name?experiment_name=clusterwright"
    login = f"{FOLDER}/secrets/tracking.env"
    account = ":".join(line.partition("=")[2] for line in ssh(tracked.lab, "node-01", f"cat {login}").splitlines())

    assert answer_to_a_stranger(tracked, MLFLOW, path, encrypted=True) == 401
    assert answer_to_a_stranger(tracked, MLFLOW, path, encrypted=False) == 400
    with pytest.raises(urllib.error.HTTPError, match="401"):  # what every MLflow has at first
        service(tracked.lab, MLFLOW, path, account="admin:password1234")

    experiment = json.loads(service(tracked.lab, MLFLOW, path, account=account))["experiment"]["experiment_id"]
    found = service(tracked.lab, MLFLOW, "/api/2.0/mlflow/runs/search", {"experiment_ids": [experiment]}, account)
    assert {"smoke-183", "smoke-183-again"} <= {run["info"]["run_name"] for run in json.loads(found)["runs"]}
    for host in ("mgmt", "node-01"):
        assert ssh(tracked.lab, host, f"stat -c '%a %U' {login}") == "600 root"
