"""What roles write and read where a host, a release or a drive is another than the first: formats, names, and answers that are missing."""

from __future__ import annotations

import base64
import csv
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import yaml

from tests.lab.playing import FOLDER
from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import ROLES, play
from tests.playbooks.slurm import commands
from tests.seldom import seldom


def tasks_of(path: str, *names: str) -> list[Any]:
    """Return tasks of a role by the beginnings of their names."""
    tasks = yaml.safe_load((ROLES / path).read_text(encoding="utf-8"))
    return [task for task in tasks if task["name"].startswith(names)]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["0.20.0", "0.25.0"])
def test_the_snmp_exporter_reads_the_format_of_its_version(tmp_path: Path, version: str) -> None:
    """Debian 12 has one from before 0.23, in which communities came apart from modules; Ubuntu 24.04 a later one."""
    commands(tmp_path / "commands", {"dpkg-query": f'printf "{version}-1ubuntu0.24.04.3"'})
    write = {
        "src": str(ROLES / "snmp_exporter/templates/snmp.yml.j2"),
        "dest": str(tmp_path / "snmp.yml"),
        "mode": "0600",
    }
    content = {
        "environment": {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}"},
        "vars": {"snmp_exporter_community": 'a: "secret'},
        "tasks": [
            *tasks_of("snmp_exporter/tasks/configure.yml", "Read which version"),
            {"name": "Write", "ansible.builtin.template": write},
        ],
    }

    play(tmp_path, {"n1": {}}, content)

    written = yaml.safe_load((tmp_path / "snmp.yml").read_text(encoding="utf-8"))
    modules = written if version == "0.20.0" else written["modules"]
    auths = [one.pop("auth") for one in modules.values()] if version == "0.20.0" else [written["auths"]["public_v2"]]
    assert set(modules) == {"rpdu2", "if_mib"}
    assert set(modules["if_mib"]) == {"walk", "metrics"} | ({"version"} if version == "0.20.0" else set())
    assert {auth["community"] for auth in auths} == {'a: "secret'}
    assert [metric["name"] for metric in modules["rpdu2"]["metrics"]][-1] == "rPDU2OutletMeteredStatusPower"


def test_the_gpu_exporter_is_asked_for_names_that_dcgm_4_knows() -> None:
    """It does not start over a name that it does not know: go-dcgm of DCGM 4 had the former name of this one no more."""
    text = (ROLES / "dcgm_exporter/files/counters.csv").read_text(encoding="utf-8").splitlines()
    names = {row[0] for row in csv.reader(line for line in text if not line.startswith("#")) if row}

    assert "DCGM_FI_DEV_CLOCKS_EVENT_REASONS" in names
    assert "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS" not in names


@pytest.mark.slow
def test_a_server_whose_drives_could_not_be_measured_is_named_by_the_proof(tmp_path: Path) -> None:
    """What measures them failed there, and printed nothing."""
    *_, compare = yaml.safe_load((FOLDER / "storage/127_configure_object_storage.yml").read_text(encoding="utf-8"))
    (proof,) = compare["roles"]
    hosts = {
        "s1": {"storage_rate": {"rc": 0, "stdout": '{"write": 900.5}'}},
        "s2": {"storage_rate": {"rc": 1, "stdout": ""}},
        "s3": {},
    }
    tasks = [
        {"name": "Group", "ansible.builtin.group_by": {"key": "storage_servers"}},
        {"name": "Say", "ansible.builtin.debug": {"msg": "{{ arguments[0] }}"}},
    ]

    said = play(tmp_path, hosts, {"vars": {"arguments": proof["proof_arguments"]}, "tasks": tasks})

    found = said("s1", "Say")
    assert (json.loads(found) if isinstance(found, str) else found) == {"s1": {"write": 900.5}, "s2": None, "s3": None}


def test_a_proof_says_that_no_host_accepts_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of what it prints is its note: there `IndexError` says nothing."""
    commands(tmp_path, {"sinfo": "exit 0"})
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with pytest.raises(SystemExit, match="no compute host accepts jobs now: see sinfo -R"):
        script("proof", "slurm_jobs").a_host()

    proofs = [path.read_text(encoding="utf-8") for path in (ROLES / "proof/files").glob("*.py")]
    assert not [text for text in proofs if "hosts()[0]" in text]


class Login(BaseHTTPRequestHandler):
    """A Grafana whose database has a password of `admin`, which basic authentication is held against."""

    has = "former"

    def do_GET(self) -> None:
        """Say who it is."""
        said = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode()
        self.send_response(200 if said == f"admin:{self.has}" else 401)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Say nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("password", ["former", "a-new-one"])
def test_a_new_password_of_grafana_reaches_a_database_that_is_there(tmp_path: Path, password: str) -> None:
    """Grafana takes the one of its settings when it makes its database, and never again."""
    commands(tmp_path / "commands", {"runuser": f'echo "$*" >{tmp_path}/asked; cat >{tmp_path}/read'})
    tasks = tasks_of("grafana/tasks/provision.yml", "Look whether its database", "Set it there")
    environment = {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}"}
    with ThreadingHTTPServer(("127.0.0.1", 0), Login) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        values = {"grafana_port": server.server_port, "grafana_admin_password": password, "grafana_source": {"rc": 0}}
        play(tmp_path, {"n1": values}, {"environment": environment, "tasks": tasks})
        server.shutdown()

    assert (tmp_path / "asked").exists() is (password != Login.has)
    if password != Login.has:
        assert (tmp_path / "read").read_text(encoding="utf-8").strip() == password
        assert password not in (tmp_path / "asked").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("data_cache/vars/main.yml", "{{ data_cache_sample }} {{ data_cache_sample_mounted }}"),
        ("preprocessing/defaults/main.yml", "{{ preprocessing_sample_folder }}"),
    ],
)
def test_nodes_of_two_runs_read_samples_of_their_own(tmp_path: Path, file: str, said: str) -> None:
    """One would write the sample anew while the other reads it, and remove it. Slices of a run are played at the same time."""
    content = {
        "vars_files": [str(ROLES / file)],
        "vars": {"data_cache_source": "/shared", "data_cache_path": "/cache"},
        "tasks": [{"name": "Say", "ansible.builtin.debug": {"msg": said}}],
    }
    both = play(tmp_path, {"n1": {}, "n2": {}}, content)
    other = play(tmp_path, {"n3": {}}, content)

    assert both("n1", "Say") == both("n2", "Say") != other("n3", "Say")


@pytest.mark.slow
def test_what_a_slice_of_servers_prepared_is_read_back_by_its_first(tmp_path: Path) -> None:
    """The first of all servers reads what its own slice prepared; nobody would look at what the others did."""
    plays = yaml.safe_load((FOLDER / "storage/132_preprocessing_servers.yml").read_text(encoding="utf-8"))
    tasks = yaml.safe_load((ROLES / "preprocessing/tasks/prove.yml").read_text(encoding="utf-8"))
    back = [task for task in tasks if task.get("vars", {}).get("proof_script") == "preprocessed"]
    who = {"name": "Say", "ansible.builtin.debug": {"msg": "reads"}, "when": back[0]["when"]}

    said = play(tmp_path, {"n7": {}, "n8": {}}, {"tasks": [who]})

    assert {one["hosts"] for one in plays} == {"compute"}
    assert (said("n7", "Say"), said("n8", "Say")) == ("reads", None)


def test_a_sample_of_text_is_made_of_the_licences_of_either_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RHEL has no folder of common licences; the step would fail on each of its hosts."""
    monkeypatch.setitem(sys.modules, "tokenizers", MagicMock())
    sample = script("preprocessing", "sample")
    (tmp_path / "licenses/bash").mkdir(parents=True)
    (tmp_path / "licenses/bash/COPYING").write_text("a\n\nb", encoding="utf-8")
    monkeypatch.setattr(sample, "LICENCES", tmp_path)
    monkeypatch.setattr(sys, "argv", ["sample", str(tmp_path / "made"), "2"])

    sample.main()

    texts = [
        json.loads(file.read_text(encoding="utf-8"))["text"] for file in sorted((tmp_path / "made/text").iterdir())
    ]
    assert texts == ["a", "b"]


@pytest.mark.slow
def test_old_lines_are_removed_where_there_is_no_cron(tmp_path: Path) -> None:
    """A small installation has none, and the disk of the log store would fill."""
    text = (ROLES / "log_store/tasks/configure.yml").read_text(encoding="utf-8")
    places = {"/etc/systemd/system": str(tmp_path), "/etc/cron.daily": str(tmp_path / "cron.daily")}
    for place, own in places.items():
        text = text.replace(place, own)
    wanted = ("Say how and when lines", "Remove lines", "Remove them", "Leave nothing of that")
    tasks = [task for task in yaml.safe_load(text) if task["name"].startswith(wanted)]
    (tmp_path / "templates").symlink_to(ROLES / "log_store/templates")
    says = 'echo "$*" >>"$HOSTS/asked"; case $1 in show) echo LoadState=loaded; echo ActiveState=inactive;; is-*) echo disabled; exit 1;; esac'
    commands(tmp_path / "commands", {"systemctl": says})
    environment = {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}", "HOSTS": str(tmp_path)}

    play(tmp_path, {"n1": {"log_store_keep_days": 30}}, {"environment": environment, "tasks": tasks})

    assert "INTERVAL 30 DAY" in (tmp_path / "log-store-expire.service").read_text(encoding="utf-8")
    assert {"enable log-store-expire.timer", "start log-store-expire.timer"} <= set(
        (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    )


LINKS = [
    {"ifname": "eth0", "addr_info": [{"local": "10.0.0.11"}, {"local": "127.0.0.1"}]},
    {"ifname": "eth1", "addr_info": [{"local": "1270.0.1"}, {"local": "10.0.0.111"}]},
    {"ifname": "eth2", "addr_info": []},
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "managed"), [("localhost", "eth0"), seldom("10.0.0.11", "eth0"), seldom("10.0.0.1", "")]
)
def test_the_port_by_which_a_host_is_managed_is_known_by_its_address(
    tmp_path: Path, address: str, managed: str
) -> None:
    """An address is no pattern, and a host may be reached by a name: its port would be emptied of its addresses."""
    (tmp_path / "links.json").write_text(json.dumps(LINKS), encoding="utf-8")
    tasks = tasks_of("storage_ports/tasks/main.yml", "Read the addresses", "Read at which", "Refuse ports")
    tasks[0]["ansible.builtin.command"]["argv"] = ["cat", str(tmp_path / "links.json")]
    wanted = {"storage_ports_wanted": {"eth0": {}, "eth9": {}}, "ansible_host": address}

    said = play(tmp_path, {"n1": wanted}, {"tasks": tasks})

    assert said("n1", "Refuse").endswith(f"is managed by {managed}")


@pytest.mark.slow
def test_the_load_of_a_system_reads_its_disk_until_it_ends(tmp_path: Path) -> None:
    """The file of 4 GiB is through in seconds; the load is of hours."""
    fio = 'echo "$*" >>"$NOTES"; for word; do case $word in --runtime=*) sleep "${word#*=}";; esac; done; echo "{}"'
    commands(tmp_path / "commands", {"fio": fio, "stress-ng": 'sleep 3; touch "$PWD/stress.new"'})
    environment = os.environ | {"PATH": f"{tmp_path}/commands:{os.environ['PATH']}", "NOTES": str(tmp_path / "notes")}
    load = [str(ROLES / "burn_in/files/burn_in_load.sh"), "system", str(tmp_path), "3", "50%", "16"]

    subprocess.run(["sh", *load], env=environment, check=True)

    write, read = (tmp_path / "notes").read_text(encoding="utf-8").splitlines()
    assert "--rw=write" in write
    assert "--time_based" not in write
    assert "--rw=read" in read
    assert re.search(r"--time_based --runtime=[123]\b", read), "what is left of the load's three seconds"
    assert {
        name: (tmp_path / f"{name}.rc").read_text(encoding="utf-8") for name in ("stress", "fio_write", "fio_read")
    } == {
        "stress": "0\n",
        "fio_write": "0\n",
        "fio_read": "0\n",
    }
