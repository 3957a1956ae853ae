"""What a run does that comes after one which ended in the middle: it finishes what that one began.

Roles' own tasks, played on this machine with its folders and commands in place of a host's.
"""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.playbooks.several_hosts import ROLES, Said, play
from tests.playbooks.slurm import commands
from tests.seldom import seldom

pytestmark = pytest.mark.slow


def tasks_of(path: str, *names: str, **places: str) -> list[Any]:
    """Return tasks of a role by the beginnings of their names, all of them without; with words of theirs for the places of a host."""
    text = (ROLES / path).read_text(encoding="utf-8")
    for word, place in places.items():
        text = text.replace(word, place)
    return [task for task in yaml.safe_load(text) if not names or task["name"].startswith(names)]


def played(folder: Path, programs: dict[str, str], content: dict[str, Any], **values: Any) -> Said:
    """Play on n1 with programs in place of the host's, which note in `asked` what they were asked."""
    commands(
        folder / "commands", {name: f'echo "{name} $*" >>"$HOSTS/asked"\n{does}' for name, does in programs.items()}
    )
    environment = {"PATH": f"{folder}/commands:{os.environ['PATH']}", "HOSTS": str(folder)}
    return play(folder, {"n1": values}, {"environment": environment, **content})


def asked(folder: Path, *words: str) -> list[str]:
    """Return what programs were asked for that has one of the words."""
    lines = (folder / "asked").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if any(word in line for word in words)]


SYSTEMCTL = 'case "$1" in show) echo LoadState=loaded; echo ActiveState=inactive;; is-*) echo disabled; exit 1;; esac'


def test_a_node_whose_former_registration_could_not_be_removed_is_registered_by_the_next_run(tmp_path: Path) -> None:
    """Its jobs used it then; what it offers was written already, so that nothing was different any more."""
    places = {
        "/etc/systemd/system/slurmd.service.d": str(tmp_path),
        "join.conf.j2": str(ROLES / "slurm/templates/join.conf.j2"),
    }
    content = {
        "tasks": [
            task
            for task in tasks_of("slurm/tasks/node.yml", **places)
            if "template" in str(task) and "join.conf" in str(task)
        ],
        "handlers": tasks_of("slurm/handlers/main.yml", **places),
    }
    values = {"slurm_controllers": ["n1"], "slurm_nodes": ["n1"], "slurm_offer": ["RealMemory=1024"]}
    has_jobs = 'if [ -e "$HOSTS/busy" ]; then echo "slurm_update error: node still has jobs" >&2; exit 1; fi'
    (tmp_path / "busy").touch()
    programs = {"scontrol": has_jobs, "systemctl": SYSTEMCTL}

    played(tmp_path, programs, content, **values)
    (tmp_path / "busy").unlink()
    played(tmp_path, programs, content, **values)
    played(tmp_path, programs, content, **values)

    assert asked(tmp_path, "scontrol", "restart", "start ") == ["scontrol delete nodename=n1"] * 2 + asked(
        tmp_path, "start slurmd", "restart slurmd"
    )
    assert len(asked(tmp_path, "start slurmd", "restart slurmd")) == 1


@pytest.mark.parametrize(
    ("first", "tries"),
    [
        ({}, True),
        seldom({"switch_firmware_tried": True}, False),
        ({"switch_firmware_rolled_back": {"stdout": '{"from": {"OS": "2"}, "to": {"OS": "1"}}\n'}}, False),
        seldom({"switch_firmware_rolled_back": {"stdout": '{"from": {"OS": "1"}, "to": {"OS": "0"}}\n'}}, True),
        seldom({"switch_firmware_rolled_back": {"stdout": ""}}, True),
    ],
)
def test_the_first_switch_that_is_behind_is_rolled_back_unless_one_was(tmp_path: Path, first: Any, tries: bool) -> None:
    """After a run that ended in the middle the first of the play may have the release already."""
    (block,) = tasks_of("switch_firmware/tasks/main.yml", "Bring it to its release")
    keep = next(task for task in block["block"] if task["name"] == "Keep what it had")
    tried = {"name": "Say whether", "ansible.builtin.debug": {"msg": "{{ switch_firmware_tried | default(false) }}"}}
    shared = {"switch_firmware_baseline": {"OS": "2"}, "switch_firmware_former_images": {"OS": "http://a/1"}}
    hosts = {
        "leaf-1": {"switch_firmware_found": {"OS": "2"}, **first},
        "leaf-2": {"switch_firmware_found": {"OS": "1"}},
    }

    said = play(tmp_path, hosts, {"vars": shared, "tasks": [block | {"block": [keep]}, tried]})

    assert said("leaf-2", "Say whether") is tries


def test_a_first_copy_that_was_not_made_is_made_by_the_next_run(tmp_path: Path) -> None:
    """The run before ended once it had made the repository; people would be without a copy until the timer."""
    looks = tasks_of("storage_backup/tasks/begin.yml", "Look", "Make the repository", "Make the first copy")
    content = {"tasks": looks, "vars": {"storage_backup_settings": str(tmp_path / "settings")}}
    (tmp_path / "settings").touch()
    restic = 'case "$1" in snapshots) cat "$HOSTS/copies" 2>/dev/null || exit 1;; cat) ls "$HOSTS/copies";; init) echo "[]" >"$HOSTS/copies";; esac'
    programs = {"restic": restic, "systemctl": SYSTEMCTL}

    played(tmp_path, programs | {"systemctl": "exit 1"}, content)
    (tmp_path / "asked").unlink()
    played(tmp_path, programs, content)
    assert asked(tmp_path, "start storage", "init") == ["systemctl start storage-backup.service"]

    (tmp_path / "copies").write_text('[{"time":"2026-11-29T02:00:00Z","short_id":"9e3f2a1b"}]\n', encoding="utf-8")
    (tmp_path / "asked").unlink()
    played(tmp_path, programs, content)
    assert asked(tmp_path, "start storage", "init") == []


@pytest.mark.parametrize("was_there", [False, True])
def test_what_a_first_subnet_manager_failed_with_is_not_put_back_by_the_next_run(
    tmp_path: Path, was_there: bool
) -> None:
    """It would be what there was before; and from boot on the manager would run with it."""
    files = {name: tmp_path / name for name in ("opensm.conf", "partitions.conf", "subnet-manager.service")}
    changes = next(iter(tasks_of("subnet_manager/tasks/change.yml", "Change it")))
    fails = [
        {"name": "Write", "ansible.builtin.copy": {"content": "new", "dest": str(path), "mode": "0644"}}
        for path in files.values()
    ]
    fails.append({"name": "Fail", "ansible.builtin.fail": {"msg": "the fabric does not know it"}})
    keeps = tasks_of("subnet_manager/tasks/change.yml", "Keep what")
    values = {
        "subnet_manager_files": [*map(str, files.values())],
        "subnet_manager_unit": str(files["subnet-manager.service"]),
    }
    for path in files.values() if was_there else ():
        path.write_text("old", encoding="utf-8")
    says = 'case "$1" in show) echo LoadState=loaded; echo ActiveState=active;; is-*) echo enabled;; esac'

    played(tmp_path, {"systemctl": says}, {"vars": values, "tasks": [*keeps, changes | {"block": fails}]})

    assert [path.read_text(encoding="utf-8") for path in files.values() if path.exists()] == ["old"] * 3 * was_there
    assert bool(asked(tmp_path, "disable")) is not was_there
    assert bool(asked(tmp_path, "restart")) is was_there


def test_a_release_of_rke2_that_was_brought_and_not_unpacked_is_unpacked_by_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    tasks = tasks_of(
        "rke2/tasks/install.yml",
        "Look",
        "Unpack",
        **{"/var/cache/rke2": str(tmp_path), "/usr/local": str(tmp_path / "local")},
    )
    values = {"rke2_tarball": "rke2.tar.gz", "rke2_brought": {"changed": False}}
    handler = {
        "name": "Restart",
        "listen": "RKE2 is new",
        "ansible.builtin.command": {"argv": ["systemctl", "restart", "rke2"]},
    }
    said = []
    for release in ("v1", "v2", "v2"):
        (tmp_path / "bin/rke2").write_text(f"#!/bin/sh\necho {release}\n", encoding="utf-8")
        os.utime(tmp_path / "bin/rke2", (1_700_000_000 + int(release[1:]),) * 2)
        with tarfile.open(tmp_path / "rke2.tar.gz", "w:gz") as tarball:
            tarball.add(tmp_path / "bin", "bin")
        (tmp_path / "local").mkdir(exist_ok=True)
        played(tmp_path, {"systemctl": ""}, {"vars": values, "tasks": tasks, "handlers": [handler]})
        said.append((tmp_path / "local/bin/rke2").read_text(encoding="utf-8").split()[-1])

    assert said == ["v1", "v2", "v2"]
    assert len(asked(tmp_path, "restart")) == 2


def test_rules_of_the_log_store_that_a_run_refused_are_refused_by_the_next_too(tmp_path: Path) -> None:
    """They are written then, and nothing changes any more: the store would go on with the former ones, and nobody would know."""
    content = {
        "tasks": tasks_of("log_store/tasks/configure.yml", "Refuse rules"),
        "vars": {"log_store_rules": {"changed": False}},
    }

    said = played(tmp_path, {"rsyslogd": "echo error during parsing >&2; exit 1"}, content)

    assert said("n1", "Refuse rules") == "non-zero return code"


@pytest.mark.parametrize(
    ("path", "names", "values"),
    [
        (
            "fabric_counters/tasks/configure.yml",
            ("Say how often", "Read from boot"),
            {"fabric_counters_interval_s": 20, "fabric_counters_folder": "/a"},
        ),
        (
            "home_folders/tasks/make.yml",
            ("Say for whom", "Make homes for people"),
            {"home_folders_look_s": 30, "home_folders_make": ["true"], "home_folders_asks": {}},
        ),
        (
            "node_check/tasks/main.yml",
            ("Say when", "Check each night"),
            {"node_check_active_at": "01:00", "node_check_active_hours": 4, "node_check_folder": "/a"},
        ),
        (
            "slurm_exporter/tasks/export.yml",
            ("Say when", "Look from boot"),
            {"slurm_exporter_look_s": 30, "slurm_exporter_folder": "/a"},
        ),
    ],
)
def test_a_unit_that_was_written_and_not_read_is_read_by_the_next_run(
    tmp_path: Path, path: str, names: tuple[str, ...], values: dict[str, Any]
) -> None:
    """The run before ended between the two. Systemd would look as often as before, or at the same hours, until the next boot."""
    (tmp_path / "templates").symlink_to(ROLES / path.split("/", maxsplit=1)[0] / "templates")
    (tmp_path / "units").mkdir()
    content = {
        "tasks": tasks_of(path, *names, **{"/etc/systemd/system": str(tmp_path / "units")}),
        "handlers": [],
        "vars": {"home_folders_path": "/home", **values},
    }
    if (handlers := ROLES / path.split("/", maxsplit=1)[0] / "handlers/main.yml").exists():
        content["handlers"] = tasks_of(str(handlers))

    played(tmp_path, {"systemctl": "exit 1"}, content)
    (tmp_path / "asked").unlink()
    played(tmp_path, {"systemctl": SYSTEMCTL}, content)

    assert asked(tmp_path, "daemon-reload") == ["systemctl daemon-reload"]


def test_exports_that_were_written_and_not_read_are_read_by_the_next_run(tmp_path: Path) -> None:
    """The server would let nodes that joined then mount no homes."""
    (tmp_path / "templates").symlink_to(ROLES / "home_folders/templates")
    (block,) = tasks_of(
        "home_folders/tasks/reach.yml", "Export homes", **{"/etc/exports.d": str(tmp_path / "exports.d")}
    )
    values = {
        "home_folders_kind": "nfs",
        "home_folders_export": "/srv/homes",
        "home_folders_server": "n2",
        "home_folders_hosts": ["n1"],
    }
    content = {"vars": values, "tasks": [block | {"block": block["block"][1:]}]}

    played(tmp_path, {"exportfs": "exit 1"}, content)
    played(tmp_path, {"exportfs": ""}, content)

    assert asked(tmp_path, "exportfs") == ["exportfs -ra"] * 2


def test_parameters_of_the_kernel_that_were_written_and_not_set_are_set_by_the_next_run(tmp_path: Path) -> None:
    """The kubelet does not start with others."""
    path = {"/etc/sysctl.d": str(tmp_path)}
    content = {"tasks": tasks_of("rke2/tasks/kernel.yml", **path), "handlers": tasks_of("rke2/handlers/main.yml")}
    sysctl = 'case $1 in -n) echo 0;; -w) touch "$HOSTS/set"; echo "$2";; *) exit 1;; esac'

    played(tmp_path, {"sysctl": "exit 1"}, content)
    (tmp_path / "asked").unlink()
    played(tmp_path, {"sysctl": sysctl}, content)

    assert [line.split()[-1] for line in asked(tmp_path, "-w")] == [
        "vm.overcommit_memory=1",
        "kernel.panic=10",
        "kernel.panic_on_oops=1",
    ]


def test_devices_are_named_at_once_as_what_comes_after_it_may_fail(tmp_path: Path) -> None:
    (tmp_path / "templates").symlink_to(ROLES / "rdma_stack/templates")
    names = ("Keep the devices", "Name them now", "Load the modules now")
    path = {"/etc/udev/rules.d": str(tmp_path)}
    values = {
        "rdma_stack_devices": {"rail0": {"pci": "0000:18:00.0", "rate_gbit": 400}},
        "rdma_stack_modules": ["mlx5_ib"],
    }
    content = {
        "vars": values,
        "tasks": tasks_of("rdma_stack/tasks/install.yml", *names, **path),
        "handlers": tasks_of("rdma_stack/handlers/main.yml"),
    }

    played(tmp_path, {"udevadm": "", "modprobe": "exit 1"}, content)

    assert asked(tmp_path, "trigger") == ["udevadm trigger --action=add --subsystem-match=infiniband"]


AT = """case "$1 $2 $4" in
    "show --timestamp=us+utc ExecMainStartTimestamp") [ -e "$HOSTS/has_none" ] || cat "$HOSTS/began";;
    "show --timestamp=us+utc "*) cat "$HOSTS/began";;
    show*) echo LoadState=loaded; echo ActiveState=active;;
    is-*) echo enabled;;
esac"""


@pytest.mark.parametrize("has_process", [True, seldom(False)])
@pytest.mark.parametrize(
    ("began", "restarts"),
    [("Mon 2020-11-30 02:10:30.123456 UTC", 1), ("Mon 2036-11-30 02:10:30.123456 UTC", 0), ("", 0)],
)
def test_a_service_that_began_before_its_settings_were_written_is_restarted(
    tmp_path: Path, began: str, restarts: int, has_process: bool
) -> None:
    """One that does not run is started anyway. That of a script of init, as slapd's, has no main process."""
    if not has_process:
        (tmp_path / "has_none").touch()
    (tmp_path / "settings").touch()
    (tmp_path / "began").write_text(began, encoding="utf-8")
    wanted = {
        "unread_settings_unit": "a",
        "unread_settings_files": [str(tmp_path / "missing"), str(tmp_path / "settings")],
        "unread_settings_handler": "Restart it",
    }
    content = {
        "tasks": [{"ansible.builtin.include_role": {"name": "unread_settings"}, "vars": wanted}],
        "handlers": [{"name": "Restart it", "ansible.builtin.command": {"argv": ["systemctl", "restart", "a"]}}],
    }

    played(tmp_path, {"systemctl": AT}, content)

    assert asked(tmp_path, "restart") == ["systemctl restart a"] * restarts


@pytest.mark.parametrize(
    ("path", "places"),
    [
        seldom("blackbox_exporter/tasks/configure.yml", ("/etc/prometheus", "/etc/default")),
        ("home_folders/tasks/nfs.yml", ("/etc/nfs.conf.d",)),
        seldom(
            "modbus_exporter/tasks/configure.yml",
            ("/usr/local/lib/clusterwright", "/etc/modbus_exporter", "/etc/systemd/system"),
        ),
        seldom("slurm_api/tasks/configure.yml", ("/etc/systemd/system/slurmrestd.service.d",)),
    ],
)
def test_a_role_that_failed_once_it_had_written_restarts_its_service_in_the_next_run(
    tmp_path: Path, path: str, places: tuple[str, ...]
) -> None:
    """Systemd did not answer; the service ran, and would go on with what its files had before."""
    role = ROLES / path.split("/", maxsplit=1)[0]
    for folder in ("templates", "files"):
        (tmp_path / folder).symlink_to(role / folder)
    for place in places:
        (tmp_path / "host" / place[1:]).mkdir(parents=True)
    (tmp_path / "began").write_text("Mon 2020-11-30 02:10:30.123456 UTC", encoding="utf-8")
    here = {place: f"{tmp_path}/host{place}" for place in places}
    left_out = ("user", "wait_for", "include_tasks")
    content = {
        "tasks": [
            task
            for task in tasks_of(path, **here)
            if not any(f"ansible.builtin.{word}" in task for word in left_out) and "tls_proxy" not in str(task)
        ],
        "handlers": tasks_of(str(role / "handlers/main.yml")),
        "vars": {"modbus_exporter_registers": [], "modbus_exporter_port": 9502, "slurm_api_port": 6820},
    }
    programs = {"prometheus-blackbox-exporter": "", "systemctl": AT}

    played(tmp_path, programs | {"systemctl": "exit 1"}, content)
    (tmp_path / "asked").unlink()
    played(tmp_path, programs, content)

    assert len(asked(tmp_path, "restart")) == 1


@pytest.mark.parametrize(("began", "restarts"), [("2020", 1), seldom("2036", 0)])
def test_a_subnet_manager_that_began_before_its_settings_were_written_begins_anew(
    tmp_path: Path, began: str, restarts: int
) -> None:
    """The run before was killed between the two. Partitions are read again in any case."""
    (tmp_path / "began").write_text(f"Mon {began}-11-30 02:10:30.123456 UTC", encoding="utf-8")
    (tmp_path / "opensm.conf").touch()
    (change,) = tasks_of("subnet_manager/tasks/change.yml", "Change it", **{"/etc/opensm": str(tmp_path)})
    names = ("Look whether", "Run it", "Wait until", "Let it read")
    content = {
        "vars": {
            "subnet_manager_settings": {"changed": False},
            "subnet_manager_unit": str(tmp_path / "unit"),
            "subnet_manager_env": ["env"],
        },
        "tasks": [task for task in change["block"] if task["name"].startswith(names)],
    }

    played(tmp_path, {"systemctl": AT, "saquery": "", "ibstat": "", "grep": ""}, content)

    assert asked(tmp_path, "restart") == ["systemctl restart subnet-manager"] * restarts
    assert asked(tmp_path, "reload subnet") == ["systemctl reload subnet-manager"]


def test_what_the_kernel_starts_from_is_made_anew_where_it_is_older_than_what_keeps_nouveau_away(
    tmp_path: Path,
) -> None:
    """The run before ended between the two: nouveau would have the GPUs after the restart, and every further run would fail."""
    (tmp_path / "image").touch()
    os.utime(tmp_path / "image", (1_700_000_000,) * 2)
    (tmp_path / "nouveau").touch()
    content = {
        "vars": {"nvidia_stack_image": str(tmp_path / "image"), "nvidia_stack_nouveau": str(tmp_path / "nouveau")},
        "tasks": tasks_of("nvidia_stack/tasks/before_driver.yml", "Keep it out"),
    }
    programs = {"update-initramfs": f'touch "{tmp_path}/image"'}

    played(tmp_path, programs, content)
    played(tmp_path, programs, content)

    assert asked(tmp_path, "update-initramfs") == ["update-initramfs -u -k all"]


def test_rules_of_the_log_store_that_were_refused_are_read_once_what_was_wrong_is_put_right(tmp_path: Path) -> None:
    """They were written by the run that was refused, and another file had the fault: nothing changes any more."""
    (tmp_path / "rsyslog.d").mkdir()
    (tmp_path / "began").write_text("Mon 2020-11-30 02:10:30.123456 UTC", encoding="utf-8")
    path = {"/etc/rsyslog.d": str(tmp_path / "rsyslog.d")}
    names = ("Refuse rules", "Restart it too", "Restart what")
    content = {
        "tasks": tasks_of("log_store/tasks/configure.yml", *names, **path),
        "handlers": tasks_of("log_store/handlers/main.yml"),
    }

    played(tmp_path, {"systemctl": AT, "rsyslogd": "exit 1"}, content)
    assert not (tmp_path / "asked").exists() or asked(tmp_path, "restart") == []
    played(tmp_path, {"systemctl": AT, "rsyslogd": ""}, content)

    assert asked(tmp_path, "restart") == ["systemctl restart rsyslog"]


def test_a_key_of_munge_that_a_run_did_not_come_to_use_is_used_after_the_next(tmp_path: Path) -> None:
    """The other hosts have it then: no host would believe this one any more."""
    (tmp_path / "own").touch()
    (tmp_path / "munge.key").write_text("00", encoding="utf-8")
    (tmp_path / "began").write_text("Mon 2020-11-30 02:10:30.123456 UTC", encoding="utf-8")
    content = {
        "vars": {"munge_key_host": "n1"},
        "tasks": tasks_of("munge/tasks/key.yml", **{"/etc/munge": str(tmp_path)}),
        "handlers": tasks_of("munge/handlers/main.yml"),
    }

    played(tmp_path, {"systemctl": AT}, content)

    assert asked(tmp_path, "restart") == ["systemctl restart munge"]


@pytest.mark.parametrize(
    ("path", "names", "files", "loads"),
    [
        ("service_access/tasks/close.yml", ("Load it",), "", "reload clusterwright-access@a"),
        seldom("tls_proxy/tasks/configure.yml", ("Run it", "Reload what"), "", "reload tls-proxy"),
        ("alert_rules/tasks/load.yml", ("Load the rules",), "", "reload prometheus"),
        seldom("prometheus/tasks/configure.yml", ("Load what is scraped",), "", "reload prometheus"),
        seldom("access_tables/tasks/main.yml", ("Read the units",), "", "daemon-reload"),
        seldom("training_metrics/tasks/main.yml", ("Read the units",), "", "daemon-reload"),
        seldom("slurm/tasks/node.yml", ("Let the controllers read",), "", "scontrol reconfigure"),
        ("host_certificate/tasks/confined.yml", (), "usr.sbin.slapd local/usr.sbin.slapd", "apparmor_parser -r"),
    ],
)
def test_what_was_written_and_not_loaded_is_loaded_by_the_next_run(
    tmp_path: Path, path: str, names: tuple[str, ...], files: str, loads: str
) -> None:
    """Nodes that joined would be kept out, a proxy would not open its port, rules would not alert, until the next boot."""
    places = {"/etc/apparmor.d": str(tmp_path), "/sys/kernel/security/apparmor": str(tmp_path)}
    (tmp_path / "local").mkdir()
    for file in files.split():
        (tmp_path / file).write_text("/etc/clusterwright/** r,\n", encoding="utf-8")
        (tmp_path / file).chmod(0o644)
    handlers = ROLES / path.split("/", maxsplit=1)[0] / "handlers/main.yml"
    content = {
        "tasks": tasks_of(path, *names, **places),
        "handlers": tasks_of(str(handlers)) if handlers.exists() else [],
        "vars": {
            "service_access_name": "a",
            "slurm_controllers": ["n1"],
            "service_access_table": {"changed": False},
            "host_certificate_profile": "usr.sbin.slapd",
        },
    }
    says = 'case "$1" in show) echo LoadState=loaded; echo ActiveState=active;; is-*) echo enabled;; esac'

    played(tmp_path, {"systemctl": says, "apparmor_parser": "", "scontrol": ""}, content)

    assert len(asked(tmp_path, loads)) == 1
