"""What a person does first, on real hosts: log in, write a job, submit it in the home, and read there what it printed.

Then the same with a module, with a container, and in a shell inside a job. The second node joins later than all of that.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.lab import lifecycle, supervisor
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.lifecycle import ssh_command
from tests.lab.playing import NAMES, PEOPLE, Played, find, play, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

PERSON, FRAMEWORK = "ada", "plain"
EARLY = ("mgmt", "login", "storage", "node-01")
READY = ("146", "H40", PEOPLE, "156", "H41", "H39", "152", "154", "161")
REACHED = """
import socket
for port in (24007, *range(49152, 49184)):
    with socket.socket() as tried:
        tried.settimeout(1)
        tried.bind(("", 900 + port %% 100))  # bricks answer root alone
        if tried.connect_ex(("%s", port)) == 0:
            print(port)
"""
MOUNT_ON_LOGIN = """
- hosts: logins
  gather_facts: false
  roles: [home_folders]
"""
NFS = """
- hosts: management
  gather_facts: false
  tasks:
    - ansible.builtin.apt: {name: nfs-kernel-server, install_recommends: false}
    - ansible.builtin.file: {path: /srv/homes, state: directory, mode: "0755"}
    - ansible.builtin.include_role: {name: home_folders, tasks_from: reach}
- hosts: logins
  gather_facts: false
  roles: [home_folders]
"""
NFS_CLIENTS = ("login", "node-01", "node-02")


class Site:
    """A lab with homes and a scheduler, whose second node has not joined, and a person with a key."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab, self.folder = lab, folder
        self.key = folder / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)], check=True)
        public = self.key.with_suffix(".pub").read_text(encoding="utf-8").strip()
        self.variables = folder / "variables.json"
        variables = {
            "directory_server_people": [{"name": PERSON, "uid": 20001, "ssh_keys": [public]}],
            "slurm_policy_accounts": {"research": {"fairshare": 100, "users": [PERSON]}},
            # 144 and H38, which bring chrony and rsyslog, are left out
            "node_check_services": ["munge", "slurmd", "sssd"],
            # an environment without a framework: nothing is downloaded
            "frameworks_environments": {FRAMEWORK: ["pip"]},
        }
        self.variables.write_text(json.dumps(variables), encoding="utf-8")
        self.early = folder / "early.yml"
        inventory = yaml.safe_load(lab.inventory.read_text(encoding="utf-8"))
        del inventory["all"]["children"]["compute"]["hosts"]["node-02"]
        self.early.write_text(yaml.safe_dump(inventory), encoding="utf-8")

    def play(self, step: str, *options: str, inventory: Path | None = None) -> Played:
        """Run a step's playbook, or plays, with the person in its lists."""
        return played(self.lab, self._playbook(step), "-v", "-e", f"@{self.variables}", *options, inventory=inventory)

    def fails(self, step: str, *options: str) -> str:
        """Run a step's playbook that must fail, and return what it says."""
        ran = play(self.lab, self._playbook(step), "-v", "-e", f"@{self.variables}", *options)
        assert ran.rc != 0
        return ran.said

    def _playbook(self, step: str) -> Path | str:
        if "\n" not in step:
            return find(step)
        file = self.folder / "plays.yml"
        file.write_text(step, encoding="utf-8")
        return file

    def person(self, command: str, *options: str, typed: str | None = None) -> str:
        """Return what a command on the log-in host prints for the person, who comes with the key."""
        words = [word for word in ssh_command(self.lab, "login")[:-1] if word not in ("-i", str(self.lab.key))]
        address = self.lab.addresses.of(self.lab.topology.host("login").number)
        done = subprocess.run(
            [*words, *options, "-i", str(self.key), f"{PERSON}@{address}", command],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}: {done.stderr or done.stdout}"
        return done.stdout.strip()

    def job(self, script: str, *options: str) -> str:
        """Write a script in the home, submit it there, and return what is in its output once it has ended."""
        self.person("cat >job.sh", typed=script)
        said = self.person(f"sbatch --mem=64 {' '.join(options)} job.sh")
        job = said.removeprefix("Submitted batch job ")
        until(lambda: self.person(f"squeue -h -j {job} -o %T || true"), lambda state: not state, seconds=120)
        state = ssh(self.lab, "mgmt", f"sacct -nPX -j {job} -o State,ExitCode,NodeList")
        assert state.startswith("COMPLETED|0:0"), f"{state}: {self.person(f'cat slurm-{job}.out || true')}"
        return self.person(f"cat slurm-{job}.out")


def wiped(lab: Lab, *hosts: str) -> None:
    """Boot hosts with fresh disks, and wait for them."""
    for host in hosts:
        supervisor.switch(lab, "provision", host)
    for host in hosts:
        lifecycle.wait_for_ssh(lab, host)


def reached(lab: Lab, host: str) -> list[str]:
    """Return the ports of the server of homes that a host reaches: the daemon's, and one of those that its brick may take."""
    script = REACHED % lab.addresses.of(lab.topology.host("storage").number)
    return ssh(lab, host, f"python3 -c '{script}'").split()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    for lab in made_alone("cwhome", "10.81.0.0/22", "users"):
        wiped(lab, *EARLY, "node-02")
        site = Site(lab, tmp_path_factory.mktemp("site"))
        site.play(NAMES)
        for step in READY:
            site.play(step, inventory=site.early)
        yield site


@pytest.fixture(scope="module")
def later(site: Site) -> Site:
    """Return the site once its second node has joined."""
    for step in (PEOPLE, "H41", "H39"):
        site.play(step, "--limit", "node-02")
    return site


def test_the_output_of_a_first_job_is_in_the_home(site: Site) -> None:
    assert site.person("id -un; pwd").split() == [PERSON, f"/home/{PERSON}"]

    said = site.job("#!/bin/bash\nhostname; pwd; id -un\n")

    assert said.split() == ["node-01", f"/home/{PERSON}", PERSON]


def test_a_home_is_its_owners_alone(site: Site) -> None:
    for host in ("login", "node-01", "mgmt"):
        assert ssh(site.lab, host, f"stat -c '%U %G %a' /home/{PERSON}") == f"{PERSON} cluster-users 700"
        assert "denied" in ssh(site.lab, host, f"runuser -u cwproof -- ls /home/{PERSON} 2>&1 || true")


def test_a_module_is_loaded_in_a_login_shell_and_in_a_job(site: Site) -> None:
    python = f"/opt/frameworks/{FRAMEWORK}/bin/python3"
    assert f"frameworks/{FRAMEWORK}" in site.person("bash -lc 'module avail 2>&1'")

    assert site.person("bash -lc 'module load frameworks && command -v python3'") == python
    assert site.job("#!/bin/bash -l\nmodule load frameworks\ncommand -v python3\n") == python


def test_a_job_runs_a_container_from_an_image_in_the_home(site: Site) -> None:
    files = "/bin/echo $(ldd /bin/echo | grep -o '/[^ ]*')"
    site.person(f"tar -chf image.tar {files} 2>/dev/null")
    script = "#!/bin/bash\npodman import -q image.tar localhost/mine >/dev/null\npodman run --rm localhost/mine /bin/echo in a container\n"

    assert site.job(script).splitlines()[-1] == "in a container", (
        "podman warns before it that people have one user number"
    )


def test_a_shell_opens_inside_a_job_on_the_terminal_of_the_log_in_host(site: Site) -> None:
    said = site.person("srun --mem=64 --pty bash -i", "-tt", typed="echo on $(hostname) at $(tty) in $PWD; exit\n")

    assert "on node-01 at /dev/pts/" in said
    assert f"in /home/{PERSON}" in said


def test_what_the_steps_read_is_what_a_person_finds(site: Site) -> None:
    said = site.play("154", inventory=site.early).said + site.play("161", inventory=site.early).said

    assert '\\"framework.modules_missing\\": {\\"value\\": 0' in said
    for metric in ("output_in_home", "container_runs", "shell_in_job"):
        assert f'\\"user.{metric}\\": {{\\"value\\": true' in said


def test_a_node_that_has_not_joined_reaches_no_home_and_is_found(site: Site) -> None:
    assert len(reached(site.lab, "node-01")) == 2
    assert reached(site.lab, "node-02") == []
    site.play(PEOPLE, "--limit", "node-02")

    said = site.play("H41", "--limit", "node-02", "--tags", "proof").said

    assert '\\"home.faults\\": {\\"value\\": 1, \\"note\\": \\"/home/cwproof is not there' in said


def test_homes_are_not_mounted_over_those_of_local_accounts(site: Site) -> None:
    ssh(site.lab, "node-02", "mkdir -p /home/installer")

    said = site.fails("H41", "--limit", "node-02")

    assert "/home has installer, which the homes of the directory's people would hide" in said
    ssh(site.lab, "node-02", "rmdir /home/installer")


def test_a_node_that_joins_later_has_the_same_homes(later: Site) -> None:
    assert len(reached(later.lab, "node-02")) == 2
    assert reached(later.lab, "leaf-1") == []

    assert later.job("#!/bin/bash\nhostname; ls job.sh\n", "--nodelist=node-02").split() == ["node-02", "job.sh"]


def test_a_second_run_changes_nothing(later: Site) -> None:
    assert {step: later.play(step).changes for step in ("H40", "H41", "154")} == {"H40": 0, "H41": 0, "154": 0}


def test_homes_come_back_when_the_server_or_a_node_has_started_again(later: Site) -> None:
    later.person("echo kept >kept")

    for host in ("storage", "node-02"):
        supervisor.switch(later.lab, "off", host)
        supervisor.switch(later.lab, "on", host)
        lifecycle.wait_for_ssh(later.lab, host)

    found = until(lambda: ssh(later.lab, "login", f"cat /home/{PERSON}/kept || true"), bool, seconds=60)
    assert found == "kept"
    assert until(lambda: ssh(later.lab, "node-02", f"cat /home/{PERSON}/kept || true"), bool, seconds=60) == "kept"
    idle = "sinfo -h -N -n node-02 -o %T"
    until(lambda: ssh(later.lab, "mgmt", idle), lambda said: said.split()[:1] == ["idle"], seconds=120)
    assert later.job("#!/bin/bash\ncat kept\n", "--nodelist=node-02") == "kept"


def test_a_person_who_is_new_has_a_home_without_having_logged_in(later: Site) -> None:
    variables = json.loads(later.variables.read_text(encoding="utf-8"))
    variables["directory_server_people"].append({"name": "new", "uid": 20002, "ssh_keys": []})
    later.variables.write_text(json.dumps(variables), encoding="utf-8")
    server = "- hosts: management[0]\n  gather_facts: false\n  roles: [directory_server]\n"
    later.play(server)

    home = "stat -c '%U %a' /home/new 2>/dev/null || true"
    assert until(lambda: ssh(later.lab, "login", home), lambda said: said == "new 700", seconds=90) == "new 700"


def test_the_sites_own_file_system_carries_homes_where_it_is_mounted(later: Site) -> None:
    """The homes' volume stands in for it: a folder of the login host's own disk is refused."""
    mounted = ("-e", "home_folders_kind=mounted", "-e", "home_folders_path=/people")

    said = later.fails(MOUNT_ON_LOGIN, *mounted, "-e", "home_folders_source=/srv")
    assert "/srv is not on a file system that is mounted on login" in said
    later.play(MOUNT_ON_LOGIN, *mounted, "-e", "home_folders_source=/home")

    assert ssh(later.lab, "login", f"stat -c '%U %a' /people/{PERSON}") == f"{PERSON} 700"
    ssh(later.lab, "login", "systemctl disable -q --now home-folders.timer people.automount people.mount")


def test_nfs_is_set_up_as_far_as_a_kernel_without_it_lets_us_see(later: Site) -> None:
    """The real `exportfs` reads the list, and systemd the units; nothing is served or mounted."""
    nfs = ("-e", "home_folders_kind=nfs", "-e", "home_folders_path=/people", "-e", "home_folders_server=mgmt")
    later.play(NFS, *nfs)

    exported = ssh(later.lab, "mgmt", "cat /var/lib/nfs/etab").splitlines()
    addresses = {str(later.lab.addresses.of(later.lab.topology.host(name).number)) for name in NFS_CLIENTS}
    assert {line.split()[1].partition("(")[0] for line in exported} == addresses
    assert all("root_squash" in line and "no_root_squash" not in line for line in exported)
    assert "dport 2049" in ssh(later.lab, "mgmt", "nft list table inet clusterwright_home_folders")
    assert ssh(later.lab, "login", "systemctl is-active people.automount") == "active"
    address = later.lab.addresses.of(later.lab.topology.host("mgmt").number)
    shown = ssh(later.lab, "login", "systemctl show -P What -P Type -P Options people.mount").splitlines()
    assert set(shown) == {f"{address}:/srv/homes", "nfs4", "rw,hard,nosuid,nodev,_netdev"}
    ssh(later.lab, "login", "systemctl disable -q --now people.automount")
