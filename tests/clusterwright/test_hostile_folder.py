"""A site's folder that somebody else wrote, or a colleague changed: whatever command reads it, it runs nothing and sends nothing.

Each program that such a folder names leaves a mark when it runs, and each address answers and remembers that it was asked.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from flows.runs.allowing.kept import allowed_in
from tests.conftest import Command
from tests.flows.netbox_server import NetBoxServer, running_netbox

pytestmark = pytest.mark.own_file

HOST = "pod-001-n01"
MINE = "0123456789abcdef-mine"


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Return the file that shows that a program of the folder ran."""
    return tmp_path / "ran"


@pytest.fixture
def program(tmp_path: Path, ran: Path) -> str:
    """Return the line of shell that each file of the folder would run."""
    return f"echo ran >> {ran}"


@pytest.fixture
def site(tmp_path: Path, command: Command) -> Path:
    """Return a site's folder with an inventory of one host, as it comes from somebody else."""
    folder = tmp_path / "theirs"
    assert command("init", folder, "--preset", "h100-8-servers").returncode == 0
    (folder / "inventory").mkdir()
    hosts(folder, f"{HOST} ansible_host=10.0.0.1\n")
    stated(folder, inventory="inventory")
    return folder


@pytest.fixture
def netbox() -> Iterator[NetBoxServer]:
    with running_netbox() as server:
        yield server


def hosts(folder: Path, text: str) -> None:
    (folder / "inventory" / "hosts.ini").write_text(text, encoding="utf-8")


def stated(folder: Path, **keys: object) -> None:
    """Set keys of the folder's site file."""
    path = folder / "site.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text(encoding="utf-8")) | keys), encoding="utf-8")


def executable(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)


def test_settings_of_ansible_in_the_folder_are_not_read(site: Path, command: Command, program: str, ran: Path) -> None:
    """`plan` is started inside the folder, as people do."""
    (site / "plugins").mkdir()
    (site / "plugins" / "host_group_vars.py").write_text(f"import os\nos.system({program!r})\n", encoding="utf-8")
    lines = [f"{kind}_plugins = plugins" for kind in ("vars", "inventory", "callback", "cache", "lookup")]
    text = "\n".join(["[defaults]", *lines, "[inventory]", "enable_plugins = script, auto, yaml, ini", ""])
    for place in (site, site / "inventory"):
        (place / "ansible.cfg").write_text(text, encoding="utf-8")

    planned, listed = command("plan", cwd=site), command("inventory", "--json", cwd=site)

    assert planned.returncode == 0, planned.stderr
    assert HOST in listed.stdout
    assert not ran.exists()


@pytest.mark.parametrize("start", ["lookup('pipe', '{}')", "query('pipe', '{}')", "q('ansible.builtin.pipe', '{}')"])
def test_groups_that_ask_a_lookup_are_refused(
    site: Path, command: Command, program: str, ran: Path, start: str
) -> None:
    asks = {"plugin": "constructed", "compose": {"x": start.format(program)}}
    (site / "inventory" / "zz.yml").write_text(json.dumps(asks), encoding="utf-8")

    for words in (("plan",), ("inventory",), ("allow", "--yes")):
        done = command(*words, cwd=site)
        assert done.returncode == 2, done.stdout
        assert "asks the lookup" in done.stderr
    assert not ran.exists()


def test_a_program_for_a_password_waits_until_it_is_allowed(
    site: Path, command: Command, program: str, ran: Path
) -> None:
    executable(site / "password", f"{program}; echo secret")
    stated(site, runs={"vault": [{"id": "prod", "command": ["./password", "prod"]}]})

    asked = command("doctor", "--site", site)

    assert not ran.exists()
    found = json.loads(command("doctor", "--json", "--site", site).stdout)
    (check,) = [one for one in found if one["name"] == "runs of playbooks"]
    assert "runs `./password prod` for the password of vault id prod" in check["found"]
    assert check["remedy"].endswith(f"clusterwright allow --site {site}")
    assert asked.returncode == 1

    assert command("allow", "--site", site).returncode != 0, "nobody said so"
    assert not ran.exists()
    allowed = command("allow", "--yes", "--site", site)
    assert "it runs `./password prod`" in allowed.stdout
    command("doctor", "--site", site)
    assert ran.exists()


def test_a_changed_program_asks_again(site: Path, command: Command, program: str, ran: Path) -> None:
    executable(site / "password", "echo secret")
    stated(site, runs={"vault": [{"command": ["./password"]}]})
    assert command("allow", "--yes", "--site", site).returncode == 0

    executable(site / "password", f"{program}; echo secret")

    assert "waits to be allowed" in command("doctor", "--json", "--site", site).stdout
    assert not ran.exists()


def test_a_copy_of_an_allowed_folder_asks_again(site: Path, command: Command, tmp_path: Path) -> None:
    stated(site, runs={"vault": [{"command": ["echo", "secret"]}]})
    assert command("allow", "--yes", "--site", site).returncode == 0

    shutil.copytree(site, tmp_path / "copy")

    assert "waits to be allowed" not in command("doctor", "--json", "--site", site).stdout
    assert "waits to be allowed" in command("doctor", "--json", "--site", tmp_path / "copy").stdout


def test_what_others_can_write_allows_nothing(site: Path, command: Command) -> None:
    stated(site, runs={"vault": [{"command": ["echo", "secret"]}]})
    assert command("allow", "--yes", "--site", site).returncode == 0
    (kept,) = (
        path
        for path in (Path(os.environ["XDG_STATE_HOME"]) / "clusterwright/allowed").iterdir()
        if str(site) in path.read_text()
    )

    kept.chmod(0o666)

    assert "not this account's alone" in command("doctor", "--json", "--site", site).stdout


@pytest.mark.parametrize("words", [("plan",), ("inventory",)])
def test_no_variable_goes_to_an_address_that_was_not_allowed(
    site: Path, command: Command, netbox: NetBoxServer, words: tuple[str, ...]
) -> None:
    netbox.add(HOST)
    stated(site, inventory={"netbox": {"url": netbox.url, "site": "oslo", "token_env": "MY_SECRET"}})

    refused = command(*words, "--site", site, env={"MY_SECRET": MINE})

    assert refused.returncode == 4
    assert f"sends MY_SECRET of the environment to {netbox.url}" in refused.stderr
    assert f"clusterwright allow --site {site}" in refused.stderr
    assert not netbox.asked
    assert command("allow", "--yes", "--site", site).returncode == 0
    command(*words, "--site", site, env={"MY_SECRET": MINE})
    assert netbox.asked
    stated(site, inventory={"netbox": {"url": netbox.url + "/", "site": "oslo", "token_env": "MY_SECRET"}})
    assert command(*words, "--site", site, env={"MY_SECRET": MINE}).returncode == 4


def test_a_step_that_says_less_than_its_playbook_does_is_refused(site: Path, command: Command) -> None:
    """A step of the site's own could otherwise erase without a release."""
    for playbook in ("server_assembly/032_virtual_media.yml", "software_stack/../procurement/007_firmware_update.yml"):
        own_step(site, playbook)

        refused = command("plan", "--site", site)

        assert refused.returncode == 2
        assert "has the effect destructive, and the step says less" in refused.stderr


def test_a_playbook_of_the_folder_waits_until_it_is_allowed(
    site: Path, command: Command, program: str, ran: Path
) -> None:
    (site / "play").mkdir()
    play = [{"hosts": "all", "connection": "local", "tasks": [{"ansible.builtin.command": program}]}]
    (site / "play" / "own.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    own_step(site, str(site / "play" / "own.yml"))
    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", site).returncode == 0

    found = json.loads(command("doctor", "--json", "--site", site).stdout)

    assert any(f"runs the playbook {site}/play/own.yml" in one["found"] for one in found)
    assert not ran.exists()


def own_step(folder: Path, playbook: str) -> None:
    """Write a step of the folder's own that says it only reads."""
    step = {
        "id": "X01", "slug": "own-step", "title": "Own", "description": "Own.", "phase": "power", "section": "Own", "kind": "verify",
        "scope": "site", "effect": "read", "playbook": playbook, "starts_freely": "it reads", "sources": {},
        "crew": {"role": "rigger", "size": 1},
        "duration": {"fixed": {"value": 1, "unit": "crew-day", "source": "assumption"}},
        "sign_off": {"needed": "always", "policy": {"roles": ["facility-lead"], "quorum": 1}},
    }  # fmt: skip
    (folder / "catalog").mkdir(exist_ok=True)
    (folder / "catalog" / "X01_own_step.yaml").write_text(yaml.safe_dump(step), encoding="utf-8")


def test_what_init_wrote_itself_asks_nobody(command: Command, tmp_path: Path) -> None:
    assert command("init", tmp_path / "here", "--preset", "localhost").returncode == 0

    assert "nothing waits to be allowed" in command("allow", "--site", tmp_path / "here").stderr
    assert allowed_in(tmp_path / "here")


def test_init_allows_nothing_that_was_there_before(command: Command, tmp_path: Path, program: str, ran: Path) -> None:
    beside = tmp_path / "here" / "inventory" / "group_vars"
    beside.mkdir(parents=True)
    (beside / "all.yml").write_text(yaml.safe_dump({"ansible_python_interpreter": f"sh -c '{program}'"}))

    assert command("init", tmp_path / "here", "--preset", "localhost").returncode == 0

    assert not allowed_in(tmp_path / "here")
    assert not ran.exists()


def test_a_backup_brings_no_program_that_runs(
    command: Command, adopted: Path, tmp_path: Path, program: str, ran: Path
) -> None:
    """A backup of somebody else has a whole site's folder in it."""
    executable(adopted / "password", program)
    stated(adopted, runs={"vault": [{"command": ["./password"]}], "environment": ["HOME"]})
    assert command("backup", tmp_path / "b.tar.gz", "--site", adopted).returncode == 0

    restored = command("restore", tmp_path / "b.tar.gz", tmp_path / "restored")

    assert restored.returncode == 0, restored.stderr
    for words in (("status",), ("audit",), ("doctor",), ("plan",), ("plan", "diff"), ("inbox",)):
        command(*words, "--site", tmp_path / "restored", cwd=tmp_path / "restored")
    assert not ran.exists()


def test_a_backup_with_what_does_not_belong_there_is_refused(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "b.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("site.yaml", "../outside", ".git/hooks/post-checkout"):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = 2, 0o755
            archive.addfile(entry, BytesIO(b"x\n"))

    refused = command("restore", path, tmp_path / "restored")

    assert refused.returncode in {1, 2, 3}
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "outside").exists()


def test_a_schedule_of_others_runs_and_sends_nothing(
    command: Command, adopted: Path, tmp_path: Path, netbox: NetBoxServer, program: str, ran: Path
) -> None:
    mark = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{netbox.url}/x"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    xml = f'<?xml version="1.0"?>{mark}<Project xmlns="http://schemas.microsoft.com/project"><Name>&e;&f;</Name></Project>'
    (tmp_path / "plan.xml").write_text(xml, encoding="utf-8")
    formula = f"=cmd|'/c {program}'!A1"
    (tmp_path / "plan.csv").write_text(f"id,title,duration\n{formula},{formula},{formula}\n", encoding="utf-8")
    (tmp_path / "plan.xer").write_text(
        f"ERMHDR\t{formula}\n%T\tTASK\n%F\ttask_id\n%R\t$({program})\n", encoding="utf-8"
    )

    for name in ("plan.xml", "plan.csv", "plan.xer"):
        done = command("import", "schedule", tmp_path / name, "--site", adopted, "--as", "owner")
        assert done.returncode == 2, done.stderr
        assert "root:" not in done.stdout + done.stderr
    assert command("schedule", tmp_path / "plan.csv").returncode == 2
    assert not ran.exists()
    assert not netbox.asked


def test_a_package_of_others_is_read_and_not_run(
    command: Command, adopted: Path, tmp_path: Path, program: str, ran: Path
) -> None:
    """Its own verify.sh is for the person who looks into it first."""
    made = command("export", "bundle", tmp_path / "package", "--site", adopted)
    assert made.returncode in {0, 1}, made.stderr
    for path in list((tmp_path / "package").rglob("*.sh")):
        executable(path, program)
    anchors = tmp_path / "package" / "anchors.jsonl"
    anchors.write_text(f"$({program})\n", encoding="utf-8")

    for words in (
        ("audit", "--anchor", anchors),
        ("audit", "--anchor", tmp_path / "package"),
        ("status", "--site", tmp_path / "package"),
    ):
        done = command(*words, cwd=adopted)
        assert done.returncode in {1, 2, 3}, done.stdout
        assert "Traceback" not in done.stderr
    assert not ran.exists()


def test_up_waits_for_what_the_inventory_decides(
    command: Command, site: Path, program: str, ran: Path, tmp_path: Path
) -> None:
    executable(tmp_path / "python", program)
    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", site).returncode == 0
    hosts(site, f"{HOST} ansible_connection=local ansible_python_interpreter={tmp_path / 'python'}\n")

    refused = command("up", "--until-idle", "--site", site)

    assert refused.returncode == 4, refused.stderr
    assert f"ansible_python_interpreter = {tmp_path / 'python'}" in refused.stderr
    assert f"clusterwright allow --site {site}" in refused.stderr
    assert not ran.exists()
