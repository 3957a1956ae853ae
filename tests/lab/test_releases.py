"""Hosts of Ubuntu 24.04 from a fresh disk: the playbooks bring them what they bring Debian, seen from outside."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import Played, find, play, played
from tests.lab.reaching import PeoplesKey, broken, service, ssh, until
from tests.lab.releases import RELEASES, UBUNTU_24_04

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

STEPS = ("143", "145", "146", "H40", "H38", "144", "147", "156", "H41", "H39", "157", "163", "166", "167", "174")
# of each host's roles most
SETTLED = ("143", "145", "H38", "H39", "174")
HOSTS = ("mgmt", "login", "node-01")
NOT_THERE = """
- hosts: mgmt
  gather_facts: false
  roles:
    - role: packages
      packages_wanted: [tree, datalad]
"""


class Site:
    """A lab on which the steps have run, and a person with a key."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.key = PeoplesKey.made(lab, folder)
        self.people = folder / "people.json"
        lists = {
            "directory_server_people": [{"name": "ada", "uid": 20001, "ssh_keys": [self.key.public]}],
            "slurm_policy_accounts": {"research": {"fairshare": 100, "users": ["ada"]}},
        }
        self.people.write_text(json.dumps(lists), encoding="utf-8")
        self.first = {step: self.play(step) for step in STEPS}

    def play(self, step: str, *options: str) -> Played:
        """Run a step's playbook with the person in its lists."""
        return played(self.lab, find(step), "-v", "-e", f"@{self.people}", *options)

    def as_ada(self, host: str, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on a host as the person, let in by her key."""
        return self.key.run("ada", host, command)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    archive = f"{RELEASES[UBUNTU_24_04].archive}/dists/noble/Release"
    try:
        urllib.request.urlopen(archive, timeout=20).close()
    except urllib.error.URLError as error:
        pytest.skip(f"the archive of {UBUNTU_24_04} does not answer: {error.reason}")
    for lab in made_alone("cwub", "10.98.0.0/22", "ubuntu"):
        yield Site(lab, tmp_path_factory.mktemp("site"))


def node(site: Site) -> str:
    """Return the compute host's state in Slurm, and why it takes no jobs."""
    return ssh(site.lab, "mgmt", "sinfo -h -N -p main -n node-01 -o '%T %E'")


def test_every_host_has_the_release_and_no_unit_failed(site: Site) -> None:
    for host in HOSTS:
        assert "noble" in ssh(site.lab, host, "cat /etc/os-release")
        assert ssh(site.lab, host, "systemctl --failed --no-legend") == ""


def test_clocks_follow_the_management_host(site: Site) -> None:
    management = str(site.lab.addresses.of(site.lab.topology.host("mgmt").number))

    for host in HOSTS[1:]:
        assert ssh(site.lab, host, "chronyc -c tracking").split(",")[1] == management


def test_a_line_of_every_host_is_found_in_the_store(site: Site) -> None:
    assert site.first["145"].proofs["logging.sources_present_ratio"][0] == 1
    for host in HOSTS:
        ssh(site.lab, host, f"logger -t outside zebra{host.replace('-', '')}")

    for host in HOSTS:
        search = f"logsearch --host {host} zebra{host.replace('-', '')}"
        assert host in until(partial(ssh, site.lab, "mgmt", search), bool, seconds=30)


def test_a_person_logs_in_where_people_may_and_a_job_writes_into_their_home(site: Site) -> None:
    assert [host for host in HOSTS if site.as_ada(host, "true").returncode == 0] == ["login"]

    ran = site.as_ada("login", "srun --mem=64 hostname")
    assert ran.stdout.strip() == "node-01", ran.stderr
    job = site.as_ada("login", "sbatch --parsable --mem=64 --wrap=hostname").stdout.strip()
    accounted = until(
        lambda: ssh(site.lab, "mgmt", f"sacct -nPX -j {job} -o User,Account,State"), lambda s: "COMP" in s, seconds=60
    )
    assert accounted == "ada|research|COMPLETED"
    assert site.as_ada("login", f"cat slurm-{job}.out").stdout.strip() == "node-01"


def test_every_host_is_scraped_and_nobody_without_a_password_is_answered(site: Site) -> None:
    question = urllib.parse.urlencode({"query": 'up{job="node"}'})
    found = until(
        lambda: json.loads(service(site.lab, 9090, f"/api/v1/query?{question}"))["data"]["result"],
        lambda result: {one["value"][1] for one in result} == {"1"},
        seconds=60,
    )

    assert {one["metric"]["instance"]: one["value"][1] for one in found} == dict.fromkeys(HOSTS, "1")
    assert site.first["174"].proofs["service.answers_without_login"][0] == 0


def test_afterwards_check_mode_finds_nothing_to_change(site: Site) -> None:
    again = {step: site.play(step, "--check").changed for step in SETTLED}

    assert {step: changed for step, changed in again.items() if any(changed.values())} == {}


def test_what_apparmor_would_confine_may_read_our_files(site: Site) -> None:
    """This kernel has no AppArmor, but its compiler says whether a profile with our lines is one."""
    for profile in ("usr.sbin.rsyslogd", "usr.sbin.slapd"):
        rules = ssh(
            site.lab, "mgmt", f"apparmor_parser --skip-kernel-load --skip-cache --debug /etc/apparmor.d/{profile}"
        )

        assert "/etc/clusterwright/**" in rules


def test_a_node_whose_service_stopped_takes_no_jobs_and_comes_back(site: Site) -> None:
    with broken(site.lab, "systemctl stop sssd", "systemctl start sssd", "node-01"):
        ssh(site.lab, "node-01", "slurm-node-check; true")
        assert node(site).startswith("drained node-check: sssd is inactive")

    ssh(site.lab, "node-01", "slurm-node-check")
    assert until(lambda: node(site), lambda said: said == "idle none", seconds=60) == "idle none"


def test_a_node_whose_logs_do_not_arrive_is_found(site: Site) -> None:
    """Ubuntu's rsyslog becomes an account of its own, which a group lets read the host's key."""
    without = "gpasswd -d syslog host-certificate && systemctl restart rsyslog"
    with broken(site.lab, without, "gpasswd -a syslog host-certificate && systemctl restart rsyslog", "node-01"):
        found = site.play("H38", "--tags", "proof").proofs

    assert found["node.services_missing"] == (1, "its line is not in the log store")
    assert site.play("H38", "--tags", "proof").proofs["node.services_missing"][0] == 0


def test_what_the_release_has_no_package_of_is_refused_before_anything_is_installed(site: Site, tmp_path: Path) -> None:
    playbook = tmp_path / "not_there.yml"
    playbook.write_text(NOT_THERE, encoding="utf-8")

    ran = play(site.lab, playbook)

    assert ran.rc == 2
    assert "mgmt runs Ubuntu 24.04: datalad" in ran.said
    assert "no packages found" in ssh(site.lab, "mgmt", "dpkg -l tree 2>&1; true")
