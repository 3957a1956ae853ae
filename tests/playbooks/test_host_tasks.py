"""What roles do on a host by commands of theirs, tried here with files and programs in place of the host's."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.needs import needs
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import play
from tests.playbooks.slurm import commands
from tests.ports import free_port

ROLES = FOLDER / "roles"


def written(path: str) -> Any:
    """Return what a file of a role says."""
    return yaml.safe_load((ROLES / path).read_text(encoding="utf-8"))


def test_a_service_that_does_not_start_again_keeps_no_other_from_the_new_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is taken once: what is not restarted then serves the former one until that has ended."""
    certificate = script("host_certificate", "host_certificate")
    units = [f"{name}.service" for name in ("rsyslog", "slapd", "tls-proxy")]
    (tmp_path / "certificate.d").mkdir()
    for unit in units:
        (tmp_path / "certificate.d" / unit).touch()
    fails = 'echo "$*" >>"$NOTES"; case "$*" in "try-restart slapd.service") echo no >&2; exit 1;; esac'
    commands(tmp_path / "commands", {"systemctl": fails})
    monkeypatch.setenv("PATH", f"{tmp_path}/commands:{os.environ['PATH']}")
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    monkeypatch.setattr(certificate, "FOLDER", tmp_path)

    with pytest.raises(ValueError, match=r"slapd\.service.*no"):
        certificate.restart()

    asked = (tmp_path / "notes").read_text(encoding="utf-8").splitlines()
    assert [line for line in asked if line.startswith("try-restart")] == [f"try-restart {unit}" for unit in units]


def test_a_certificate_that_was_taken_and_not_used_is_used_after_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look before ended in the middle: services would serve the former one beyond its end."""
    certificate = script("host_certificate", "host_certificate")
    for name, file in {
        "FOLDER": "",
        "CERTIFICATE": "host.pem",
        "UNUSED": "host.pem.unused",
        "SERIES": "a.prom",
    }.items():
        monkeypatch.setattr(certificate, name, tmp_path / file, raising=False)
    (tmp_path / "certificate.d").mkdir()
    (tmp_path / "certificate.d/slapd.service").touch()
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(certificate, "fetched", lambda _: "a certificate")
    monkeypatch.setattr(certificate, "series", lambda: "")
    monkeypatch.setattr(certificate, "openssl", lambda *_: "")
    monkeypatch.setattr(certificate, "restart", lambda: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["host-certificate", "http://mgmt/n1.pem"])
    with pytest.raises(ZeroDivisionError):
        certificate.main()

    monkeypatch.setattr(certificate, "restart", lambda: asked.append(("restart",)))

    assert [certificate.main(), certificate.main()] == [0, 0]
    assert asked == [("restart",)]


@pytest.mark.parametrize(("found", "opens"), [({}, True), ({"installed": 2}, False), ({"closed": 2}, False)])
def test_a_host_that_was_installed_by_whatever_is_not_erased_when_it_boots_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: dict[str, int], opens: bool
) -> None:
    """An installer whose report is lost leaves a host that its installation has closed."""
    service = script("provisioning_service", "provisioning")
    for name in ("SETTINGS", "STATE", "HTTP", "TFTP"):
        monkeypatch.setattr(service, name, tmp_path / name)
        (tmp_path / name).mkdir()
    monkeypatch.setattr(service, "CHECKS", {})
    for folder in ("HTTP/installer", "HTTP/hosts", "TFTP/pxelinux.cfg", "TFTP/debian-installer/amd64/grub/hosts"):
        (tmp_path / folder).mkdir(parents=True)
    for name in service.SERVED:
        (tmp_path / "SETTINGS" / name).touch()
    host = {"mac": "02:00:00:00:00:01", "address": "10.0.0.1", "disk": "/dev/sda"}
    (tmp_path / "SETTINGS/settings.json").write_text(json.dumps({"hosts": {"n1": host}}), encoding="utf-8")
    if found:
        (tmp_path / "STATE/n1.json").write_text(json.dumps({"opened": 1, "attempt": 1} | found), encoding="utf-8")

    assert service.open_host("n1") is opens
    assert (tmp_path / "TFTP/pxelinux.cfg/01-02-00-00-00-00-01").exists() is opens


@pytest.mark.slow
def test_a_silent_host_is_erased_only_where_the_records_say_that_nothing_installed_it(tmp_path: Path) -> None:
    """All four are off. The records of n1 say nothing, n2 and n3 were installed, and those of n4 cannot be read."""
    names = ("Stop if there are records", "Decide")
    off = {"system": {"entries": [[{"system_uri": "/redfish/v1/Systems/1"}, {"PowerState": "Off"}]]}}
    shared = {
        "os_install_before": {"skipped": True},
        "os_install_system": {"redfish_facts": off},
        "os_install_again": {},
    }
    records = {"n1": {}, "n2": {"installed": 2}, "n3": {"opened": 1, "closed": 2}}
    hosts: dict[str, Any] = {name: {"os_install_records": {"rc": 0, "stdout": json.dumps(records)}} for name in records}
    hosts["n4"] = {"os_install_records": {"rc": 1, "stderr_lines": ["ValueError: no JSON"]}}
    content = {
        "vars_files": [str(ROLES / "os_install/vars/main.yml")],
        "tasks": [
            *(task for task in written("os_install/tasks/look.yml") if task["name"].startswith(names)),
            {"name": "Say", "ansible.builtin.debug": {"msg": "{{ os_install_why | trim }}"}},
        ],
    }

    said = play(tmp_path, {name: shared | own for name, own in hosts.items()}, content)

    assert [bool(said(name, "Say")) for name in hosts] == [True, False, False, False]
    assert "ValueError: no JSON. Nothing was erased" in said("n4", "Stop if there are records")


def test_a_kernel_setting_of_several_values_is_not_set_again(tmp_path: Path) -> None:
    """The kernel shows them with tabs between them: each run would change the host, and 143 would find drift for ever."""
    (look,) = (task["vars"]["os_baseline_look"] for task in written("os_baseline/tasks/kernel.yml") if "vars" in task)
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "rmem").write_text("4096\t131072\t6291456\n", encoding="utf-8")
    shown = ["net.rmem=4096 131072 6291456", "net.rmem=4096 131072 67108864"]

    said = subprocess.run(
        ["sh", "-c", look.replace("/proc/sys", str(tmp_path)), "sh", *shown], capture_output=True, text=True, check=True
    )

    assert said.stdout.splitlines() == shown[1:]


@needs("systemd-escape")
@pytest.mark.slow
def test_the_unit_of_a_mount_has_the_name_that_systemd_wants(tmp_path: Path) -> None:
    """It refuses a unit of another name."""
    folders = {"plain": "/shared", "below": "/mnt/fast-data", "dash": "/lustre-01"}
    content = {
        "vars_files": [str(ROLES / "mounted_folder/vars/main.yml")],
        "tasks": [{"name": "Say it", "ansible.builtin.debug": {"msg": "{{ mounted_folder_unit }}"}}],
    }

    said = play(tmp_path, {name: {"mounted_folder_path": folder} for name, folder in folders.items()}, content)

    for name, folder in folders.items():
        wanted = subprocess.run(["systemd-escape", "--path", folder], capture_output=True, text=True, check=True).stdout
        assert said(name, "Say it") == wanted.strip()


@pytest.mark.slow
def test_the_system_that_a_reset_ends_is_not_taken_for_the_new_one(tmp_path: Path) -> None:
    """A controller answers before it resets. What greets then is the former system, for a second or some."""
    port, greeted = free_port(), []

    def greets(word: bytes, seconds: float) -> None:
        with socket.create_server(("127.0.0.1", port)) as server:
            server.settimeout(0.2)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                try:
                    visitor, _ = server.accept()
                except TimeoutError:
                    continue
                with visitor:
                    visitor.sendall(b"SSH-2.0-" + word)
                    greeted.append(word)

    def reset() -> None:
        greets(b"former", 8)
        time.sleep(3)
        greets(b"new", 6)

    (block,) = (task["block"] for task in written("os_install/tasks/install.yml") if "block" in task)
    waits = [task for task in block if "ansible.builtin.wait_for" in task]
    values = {"ansible_host": "127.0.0.1", "ansible_port": port, "os_install_timeout_s": 40}
    content = {"vars": values | {"os_install_its": {"PowerState": "On"}}, "tasks": waits}
    server = threading.Thread(target=reset)
    server.start()
    time.sleep(0.5)

    play(tmp_path, {"node-01": {}}, content)

    server.join()
    assert b"former" in greeted
    assert b"new" in greeted


@pytest.mark.slow
def test_a_run_that_has_no_outcome_in_time_is_ended_and_does_not_come_back_at_boot(tmp_path: Path) -> None:
    """Its service begins again whenever it fails, and would compute beside the jobs of people for ever."""
    says = 'case "$1" in show) echo LoadState=loaded; echo ActiveState=active;; is-*) echo enabled;; esac'
    commands(tmp_path / "commands", {"systemctl": f'echo "$*" >>"$NOTES"; {says}'})
    values = {"training_run_name": "smoke", "training_run_hosts": ["n1"], "training_run_timeout_s": 1}
    content = {
        "environment": {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}", "NOTES": str(tmp_path / "notes")},
        "vars": values | {"training_run_dir": str(tmp_path / "runs")},
        "tasks": [
            {"ansible.builtin.group_by": {"key": "management"}},
            {"ansible.builtin.include_role": {"name": "training_run"}},
        ],
    }

    said = play(tmp_path, {"n1": {"ansible_host": "127.0.0.1"}}, content)

    asked = (tmp_path / "notes").read_text(encoding="utf-8").splitlines()
    last = [line.split()[0] for line in asked if line.split()[0] not in ("show", "is-enabled", "is-active")][-2:]
    assert sorted(last) == ["disable", "stop"]
    assert "smoke had no outcome after 1 s" in said("n1", "Say that it did not end")


@pytest.mark.parametrize(
    ("role", "tasks", "name"),
    [
        ("slurm", "controller", "Make the key that signs tokens, where it is used"),
        ("rke2", "secrets", "Make the secrets, on the first server"),
        ("storage_backup", "configure", "Choose a password, without which copies cannot be read"),
        ("host_certificate", "authority", "Make the authority's key, which stays there"),
    ],
)
@pytest.mark.parametrize("fails", ["openssl", "chown"])
def test_a_secret_that_was_not_made_whole_is_made_by_the_next_run(
    tmp_path: Path, role: str, tasks: str, name: str, fails: str
) -> None:
    """The next run makes what is not there, so a secret is not there before it is whole."""
    writes = 'echo part; while [ $# -gt 0 ]; do case $1 in -out|-keyout) echo part >"$2";; esac; shift; done'
    for program, does in {"openssl": writes, "chown": ""}.items():
        (tmp_path / program).write_text(f"#!/bin/sh\n{does}\nexit {int(program == fails)}\n", encoding="utf-8")
        (tmp_path / program).chmod(0o755)
    (tmp_path / "kept").mkdir()
    places = {"{{ slurm_state_folder }}", "/etc/rancher/rke2", "/etc/clusterwright"}

    def here(word: str) -> str:
        for place in places:
            word = word.replace(place, str(tmp_path / "kept"))
        return word.replace("{{ rke2_secret }}", "token")

    made = next(task for task in written(f"{role}/tasks/{tasks}.yml") if task["name"] == name)[
        "ansible.builtin.command"
    ]
    path = f"{tmp_path}:/usr/bin:/bin"

    run = subprocess.run([*map(here, made["argv"])], env=os.environ | {"PATH": path}, capture_output=True, check=False)

    assert (run.returncode == 0, Path(here(made["creates"])).exists()) in [(True, True), (False, False)], run.stderr
