"""Which driver a host gets, when its change may restart it, what containers are told of it, and which images are taken.

No GPU is there. The roles' tasks are played by Ansible. Slurm's commands and NVIDIA's are scripts that note how they were called.
"""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.machine_time import machine_time
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import ROLES, Said, play
from tests.playbooks.slurm import ALWAYS, COMMANDS, commands, node

OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@x)"
CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Feb 25 02:34:56 UTC 2025"
H100, A100 = "0x2330\n0x22a3", "0x20b2\n0x1af1"
"""Numbers of GPUs on the bus, with those of their switches."""


def debian(**values: Any) -> dict[str, Any]:
    """Return what a host with Debian 12 says of itself."""
    return {"distribution": "Debian", "version": "12.11"} | values


def ubuntu(**values: Any) -> dict[str, Any]:
    """Return what a host with Ubuntu 24.04 says of itself."""
    return {"distribution": "Ubuntu", "version": "24.04"} | values


CHOSEN = {
    "hopper": debian(numbers=H100, driver="580.95.05", runs=OPEN),
    "ampere": debian(numbers=A100, driver="570.124.06", runs=""),
    "hopper-ubuntu": ubuntu(numbers=H100, driver="570.124.06", runs=OPEN),
    "blackwell-ubuntu": ubuntu(numbers="0x2901", driver="590.48.01", runs=""),
    "other-module": debian(numbers=H100, driver="580.95.05", runs=CLOSED),
}


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Return what the role would install on hosts with GPUs, and whether their driver changes by it."""
    facts = {
        "ansible_distribution": "{{ distribution }}",
        "ansible_distribution_version": "{{ version }}",
        "ansible_distribution_major_version": "{{ version | split('.') | first }}",
        "ansible_os_family": "Debian",
        "cacheable": True,
    }
    content = {
        "vars": {
            "nvidia_stack_part": "driver",
            "nvidia_stack_driver_version": "{{ driver }}",
            "nvidia_stack_found": {"stdout_lines": "{{ numbers.split('\n') }}"},
            "nvidia_stack_running": {"stdout": "{{ runs }}"},
        },
        "tasks": [
            {"ansible.builtin.set_fact": facts},
            {"ansible.builtin.include_vars": str(ROLES / "nvidia_stack" / "defaults" / "main.yml")},
            {"ansible.builtin.include_vars": str(ROLES / "nvidia_stack" / "vars" / "main.yml")},
            {"name": "Wanted", "ansible.builtin.debug": {"msg": "{{ nvidia_stack_wanted | list }}"}},
            {"name": "Pending", "ansible.builtin.debug": {"msg": "{{ nvidia_stack_pending }}"}},
            {"name": "Change", "ansible.builtin.debug": {"msg": "{{ nvidia_stack_change }}"}},
        ],
    }
    # what is included would count more than what the play says
    given = json.dumps({"nvidia_stack_driver_version": "{{ driver }}"})
    return play(tmp_path_factory.mktemp("chosen"), CHOSEN, content, "--check", "-e", given)


@pytest.mark.slow
def test_hopper_and_later_get_the_open_kernel_module_and_earlier_gpus_do_not(chosen: Said) -> None:
    """A number of the bus tells them apart. Every name has the version, so that another one is an upgrade, and no upgrade moves it."""
    assert chosen("hopper", "Wanted") == [
        "nvidia-driver-cuda=580.95.05*",
        "nvidia-kernel-open-dkms=580.95.05*",
        "nvidia-persistenced=580.95.05*",
        "nvidia-fabricmanager=580.95.05*",
    ]
    assert chosen("ampere", "Wanted") == [
        "nvidia-driver-cuda=570.124.06*",
        "nvidia-kernel-dkms=570.124.06*",
        "nvidia-persistenced=570.124.06*",
        "nvidia-fabricmanager-570=570.124.06*",
    ]


@pytest.mark.slow
def test_names_have_the_branch_on_ubuntu_until_the_vendor_left_it_out(chosen: Said) -> None:
    assert "nvidia-dkms-570-open=570.124.06*" in chosen("hopper-ubuntu", "Wanted")
    assert "nvidia-fabricmanager-570=570.124.06*" in chosen("hopper-ubuntu", "Wanted")
    assert "nvidia-dkms-open=590.48.01*" in chosen("blackwell-ubuntu", "Wanted")
    assert "nvidia-fabricmanager=590.48.01*" in chosen("blackwell-ubuntu", "Wanted")


@pytest.mark.slow
def test_a_change_is_pending_where_another_version_or_another_module_runs(chosen: Said) -> None:
    assert [host for host in CHOSEN if chosen(host, "Pending")] == [
        "ampere",
        "hopper-ubuntu",
        "blackwell-ubuntu",
        "other-module",
    ]
    assert chosen("ampere", "Change") == "driver none becomes 570.124.06 (proprietary kernel module)"
    assert (
        chosen("hopper-ubuntu", "Change")
        == "driver 580.95.05 (open kernel module) becomes 570.124.06 (open kernel module)"
    )


NVIDIA = {
    "enroot": 'echo "$4" > "$3"; case "$4" in *broken*) exit 1;; esac',
    "nvidia-ctk": 'for word in "$@"; do echo "libcuda.so.580.95.05" > "${word#--output=}"; done',
}


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of commands that stand in for Slurm's and NVIDIA's."""
    folder = tmp_path_factory.mktemp("commands")
    commands(folder, COMMANDS | NVIDIA)
    return folder


NEVER = f"{machine_time() + timedelta(days=3):%a} 22:00-04:00 UTC"
NODES: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "idle": (ALWAYS, "", (), "IDLE"),
    "busy": (ALWAYS, "", ("17", "17"), "MIXED"),
    "stuck": (ALWAYS, "", ("18",), "MIXED"),
    "closed": (NEVER, "", (), "IDLE"),
    "unstated": ("", "", (), "IDLE"),
    "somebody-elses": (ALWAYS, "a fan", (), "IDLE+DRAIN"),
    "another-roles": (ALWAYS, "maintenance by card_firmware: cards", (), "IDLE+DRAIN"),
    "left-by-an-earlier-run": (ALWAYS, "maintenance: driver", (), "IDLE+DRAIN"),
    "checked-at-night": (ALWAYS, "active-check: runs", (), "IDLE+DRAIN"),
    "with-a-fault": (ALWAYS, "node-check: / is full", (), "IDLE+DRAIN"),
    "reserved-for-maintenance": (ALWAYS, "", (), "MAINT"),
}
"""Nodes: the window, why they are out of service, looks that see a job, and the state."""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory, stand_ins: Path) -> tuple[Said, Path]:
    """Return what was said as nodes were taken out and put back, and the folder of what Slurm's stand-ins noted."""
    folder = tmp_path_factory.mktemp("nodes")
    for name, (_, reason, jobs, state) in NODES.items():
        node(folder, name, state, reason, jobs)
    values = {"maintenance_what": "a new driver", "maintenance_wait_s": 4, "maintenance_poll_s": 1}
    kept = f"{folder}/{{{{ inventory_hostname }}}}"
    content = {
        "environment": {"PATH": f"{stand_ins}:{os.environ['PATH']}", "HOSTS": str(folder)},
        "vars": values,
        "tasks": [
            {"ansible.builtin.include_role": {"name": "maintenance"}},
            {"ansible.builtin.command": {"argv": ["cp", f"{kept}.reason", f"{kept}.out"]}},
            {"ansible.builtin.include_role": {"name": "maintenance", "tasks_from": "leave"}},
            {"ansible.builtin.command": {"argv": ["cp", f"{kept}.state", f"{kept}.back"]}},
        ],
    }
    hosts = {name: {"maintenance_window": window} for name, (window, *_) in NODES.items()}
    return play(folder, hosts, content), folder


def read(folder: Path, name: str) -> str:
    """Return what was noted, or nothing."""
    return (folder / name).read_text(encoding="utf-8").strip() if (folder / name).exists() else ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["idle", "busy", "left-by-an-earlier-run", "checked-at-night", "with-a-fault"])
def test_a_node_is_out_of_service_until_it_is_put_back(nodes: tuple[Said, Path], name: str) -> None:
    """A job that runs is waited for. What the node's own checks took out, they put back, and would do so in the middle."""
    _, folder = nodes

    assert read(folder, f"{name}.out").startswith("maintenance: ")
    assert read(folder, f"{name}.jobs") == ""
    assert read(folder, f"{name}.state") == "IDLE"


@pytest.mark.slow
def test_a_node_that_a_reservation_keeps_is_back_in_service(nodes: tuple[Said, Path]) -> None:
    """A window of maintenance is often a reservation, in which a node that is well is `maint` or `reserved`."""
    _, folder = nodes

    assert read(folder, "reserved-for-maintenance.out").startswith("maintenance: ")
    assert read(folder, "reserved-for-maintenance.back") == "MAINT"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["somebody-elses", "another-roles"])
def test_a_node_that_somebody_else_took_out_stays_out(nodes: tuple[Said, Path], name: str) -> None:
    """Cards that are not right are no matter of who changes a driver."""
    _, folder = nodes

    assert read(folder, f"{name}.out") == NODES[name][1]
    assert read(folder, f"{name}.state") == "IDLE+DRAIN"
    assert "update" not in read(folder, f"{name}.asked")


@pytest.mark.slow
def test_outside_of_the_window_nothing_is_changed_and_what_is_pending_is_said(nodes: tuple[Said, Path]) -> None:
    said, folder = nodes
    message = said("closed", "Stop outside")

    assert not read(folder, "closed.asked") + read(folder, "unstated.asked")
    assert message.startswith("closed is in use, and this is pending: a new driver. It needs a restart, and it is ")
    assert f"outside of the window {NEVER}. Nothing was changed" in message
    assert "no window is stated: set maintenance_window" in said("unstated", "Stop outside")


@pytest.mark.slow
def test_a_node_whose_jobs_do_not_end_takes_jobs_again(nodes: tuple[Said, Path]) -> None:
    said, folder = nodes

    assert not read(folder, "stuck.out")
    assert read(folder, "stuck.state") == "IDLE"
    assert said("stuck", "Say what is pending") == (
        "stuck did not restart, and this is pending: a new driver. Jobs 18 had not ended after 4 s"
    )


TOLD = {
    "never": ("", True),
    "of-another": ("libcuda.so.570.124.06", True),
    "of-this": ("libcuda.so.580.95.05 as it was", False),
}


@pytest.mark.slow
def test_containers_are_told_of_the_driver_that_runs(tmp_path: Path, stand_ins: Path) -> None:
    """Libraries have its version in their names: after a change the old ones are gone."""
    (tmp_path / "version").write_text(f"{OPEN}\n", encoding="utf-8")
    for name, (content, _) in TOLD.items():
        if content:
            (tmp_path / name).write_text(f"{content}\n", encoding="utf-8")
    plays = {
        "environment": {"PATH": f"{stand_ins}:{os.environ['PATH']}"},
        "vars": {"nvidia_stack_loaded": str(tmp_path / "version")},
        "tasks": [{"ansible.builtin.include_tasks": str(ROLES / "nvidia_stack" / "tasks" / "devices.yml")}],
    }
    play(tmp_path, {name: {"nvidia_stack_devices": str(tmp_path / name)} for name in TOLD}, plays)

    for name, (before, made) in TOLD.items():
        assert read(tmp_path, name) == ("libcuda.so.580.95.05" if made else before)


DIGEST = "0123456789abcdef" * 4
IMAGES = {
    "by-digest": f"registry.site:5000/ml/pytorch@sha256:{DIGEST}",
    "by-tag": "registry.site:5000/ml/pytorch:25.10",
    "by-both": f"registry.site:5000/ml/pytorch:25.10@sha256:{DIGEST}",
    "cut-off": f"registry.site:5000/ml/broken@sha256:{DIGEST}",
    "without-enroot": f"registry.site:5000/ml/pytorch@sha256:{DIGEST}",
}


@pytest.mark.slow
def test_an_image_is_named_by_its_digest_and_imported_whole_or_not_at_all(tmp_path: Path, stand_ins: Path) -> None:
    """What is not pinned is said too."""
    usual = "/usr/sbin:/usr/bin:/sbin:/bin"
    hosts = {
        name: {
            "frameworks_images": {"pytorch": image},
            "frameworks_folder": str(tmp_path / name),
            "path": usual if name == "without-enroot" else f"{stand_ins}:{usual}",
        }
        for name, image in IMAGES.items()
    }
    content = {
        "environment": {"PATH": "{{ path }}"},
        "vars": {"frameworks_environments": {"one": ["torch==2.8.0", "numpy"], "other": "torch.lock"}},
        "tasks": [
            {"ansible.builtin.include_vars": str(ROLES / "frameworks" / "vars" / "main.yml")},
            {"name": "Tried", "ansible.builtin.debug": {"msg": "{{ frameworks_tried }}"}},
            {"ansible.builtin.include_tasks": str(ROLES / "frameworks" / "tasks" / "pins.yml")},
            {"ansible.builtin.include_tasks": str(ROLES / "frameworks" / "tasks" / "images.yml")},
        ],
    }
    for name in IMAGES:
        (tmp_path / name).mkdir()
    said = play(tmp_path, hosts, content)

    link = tmp_path / "by-digest" / "images" / "pytorch.sqsh"
    assert link.resolve().name == f"{DIGEST}.sqsh"
    assert read(link.parent, link.name) == f"docker://registry.site:5000#ml/pytorch:sha256:{DIGEST}"
    for refused in ("by-tag", "by-both"):
        assert "a tag may be another image tomorrow" in said(refused, "Refuse an image")
        assert not list((tmp_path / refused).iterdir())
    assert not list((tmp_path / "cut-off" / "images").iterdir())
    assert "has no enroot" in said("without-enroot", "Refuse images without")
    assert said("by-digest", "Tried") == ["one", "other", "images/pytorch.sqsh"]
    assert said("by-digest", "Say what is not pinned").startswith("one: numpy without a version")


@pytest.mark.parametrize(
    ("window", "now", "is_open"),
    [
        ("22:00-04:00 UTC", "2026-11-27T23:00", True),
        ("22:00-04:00 UTC", "2026-11-27T04:00", False),
        ("09:00-17:00 UTC", "2026-11-27T16:59", True),
        ("Sat,Sun 22:00-04:00 UTC", "2026-11-27T23:00", False),
        ("Sat,Sun 22:00-04:00 UTC", "2026-11-28T23:00", True),
        ("Sat,Sun 22:00-04:00 UTC", "2026-11-30T03:59", True),
        ("Sat,Sun 22:00-04:00 UTC", "2026-11-28T03:00", False),
        ("Sat 22:00-04:00 Europe/Berlin", "2026-11-28T21:30", True),
        ("Sat 22:00-04:00 America/New_York", "2026-11-28T21:30", False),
    ],
)
def test_a_window_begins_on_its_days_in_its_zone_and_may_end_on_the_next(window: str, now: str, is_open: bool) -> None:
    """28 November 2026 is a Saturday."""
    found, _ = script("maintenance", "maintenance_window").is_open(window, datetime.fromisoformat(f"{now}+00:00"))

    assert found is is_open


@pytest.mark.parametrize(
    "window", ["22:00", "Sat 22:00-04:00", "Sab 22:00-04:00 UTC", "22:00-22:00 UTC", "22:00-04:00 Europe/Atlantis"]
)
def test_what_is_no_window_is_refused(window: str) -> None:
    with pytest.raises(ValueError, match=r"is no (window|time zone)"):
        script("maintenance", "maintenance_window").is_open(window, machine_time())
