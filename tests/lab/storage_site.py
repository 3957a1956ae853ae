"""A lab whose storage servers have a drive each, playbooks that run on it, and what they said."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lab import lifecycle, supervisor
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import Played, play, played, proofs_in
from tests.lab.reaching import ssh

SERVERS = ("storage-1", "storage-2", "storage-3")
HOSTS = ("mgmt", "node-01", "node-02", *SERVERS)
DRIVE = "/dev/vdb"
DRIVE_BYTES = 2 << 30


class Site:
    """A lab whose hosts have drives, the playbooks of storage, and what they said."""

    def __init__(
        self, lab: Lab, folder: Path, steps: dict[str, str], variables: dict[str, Any], drives: Sequence[str]
    ) -> None:
        self.lab, self.steps = lab, steps
        self.variables = folder / "variables.json"
        self.variables.write_text(json.dumps({"storage_drives": [DRIVE], **variables}), encoding="utf-8")
        self.loops = [_drive(lab, host, folder / host) for host in drives]
        self.said: dict[str, str] = {}

    def play(self, step: str, *options: str) -> Played:
        """Run a step's playbook."""
        ran = played(self.lab, self.steps[step], "-v", "-e", f"@{self.variables}", *options)
        self.said[step] = ran.said
        return ran

    def fails(self, step: str, *options: str) -> str:
        """Run a step's playbook that must fail, and return what it says."""
        ran = play(self.lab, self.steps[step], "-v", "-e", f"@{self.variables}", *options)
        assert ran.rc != 0
        return ran.said

    def measured(self, step: str) -> dict[str, Any]:
        """Return the value of each metric that the proofs of a step's last run printed."""
        return {name: value for name, (value, _) in proofs_in(self.said[step]).items()}

    def note(self, step: str, metric: str) -> str:
        """Return what the proof of a step's last run says about a metric."""
        return proofs_in(self.said[step])[metric][1]


def storage_site(
    name: str,
    network: str,
    folder: Path,
    steps: dict[str, str],
    variables: dict[str, Any],
    drives: Sequence[str] = SERVERS,
) -> Iterator[Site]:
    """Yield a site of bare hosts, some of which have a drive, on a lab that no other test has."""
    if not Path("/dev/loop-control").exists():
        pytest.skip("the kernel has no loop devices, which are the servers' drives")
    for lab in made_alone(name, network, "storage"):
        for host in HOSTS:
            supervisor.switch(lab, "provision", host)
        for host in HOSTS:
            lifecycle.wait_for_ssh(lab, host)
        site = Site(lab, folder, steps, variables, drives)
        try:
            yield site
        finally:
            for host in drives:
                supervisor.switch(lab, "off", host)
            for loop in site.loops:
                subprocess.run(["losetup", "--detach", loop], check=False)


def _drive(lab: Lab, host: str, file: Path) -> str:
    """Return the loop device that is a host's drive, also after it has started again."""
    with file.open("wb") as image:
        image.truncate(DRIVE_BYTES)
    loop = subprocess.run(
        ["losetup", "--find", "--show", file], capture_output=True, text=True, check=True
    ).stdout.strip()
    rule = f"b {DRIVE} 0660 root disk - 7:{loop.removeprefix('/dev/loop')}"
    ssh(lab, host, f"echo '{rule}' >/etc/tmpfiles.d/drive.conf; systemd-tmpfiles --create /etc/tmpfiles.d/drive.conf")
    return loop
