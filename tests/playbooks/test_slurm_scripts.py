"""What a node makes of its own faults, and which series Slurm's answers become. `tests/lab/test_slurm_operations.py` runs both for real."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import yaml

from tests.playbooks.scripts import script
from tests.playbooks.several_hosts import ROLES, play
from tests.playbooks.slurm import COMMANDS, commands, node

OURS = "node-check: / is full"


@pytest.mark.parametrize(
    ("state", "reason", "faults", "asked"),
    [
        ("IDLE+DYNAMIC_NORM", "", [], []),
        ("MIXED+DYNAMIC_NORM", "", ["/ is full"], ["State=DRAIN", f"Reason={OURS}"]),
        ("MIXED+DRAIN+DYNAMIC_NORM", OURS, ["/ is full"], []),
        ("IDLE+DRAIN", OURS, ["/ is full", "no clock"], ["State=DRAIN", f"Reason={OURS}; no clock"]),
        ("IDLE+DRAIN", OURS, [], ["State=RESUME"]),
        ("IDLE+DRAIN", "a fan", [], []),
        ("IDLE+DRAIN", "a fan", ["/ is full"], []),
        ("DOWN*+DRAIN", OURS, [], ["State=RESUME"]),
    ],
)
def test_a_node_is_taken_out_for_its_faults_and_put_back_unless_a_person_took_it_out(
    state: str, reason: str, faults: list[str], asked: list[str]
) -> None:
    assert script("node_check", "node_check").step(state, reason, faults) == asked


@pytest.mark.parametrize(
    ("load", "state", "reason"),
    [
        ("true", "IDLE", ""),
        ("echo warm >&2; false", "IDLE+DRAIN", "active-check: load: exit 1: warm"),
        ("echo 'a fan' >$HOSTS/n1.reason", "IDLE+DRAIN", "a fan"),
        ("echo 'a fan' >$HOSTS/n1.reason; false", "IDLE+DRAIN", "a fan"),
    ],
)
def test_the_nightly_check_puts_a_node_back_unless_it_fails_or_somebody_took_it_out_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: str, state: str, reason: str
) -> None:
    check = script("node_check", "node_active_check")
    terms = {"node": "n1", "active": [{"name": "load", "argv": ["sh", "-c", load], "timeout_s": 9}]}
    (tmp_path / "terms.json").write_text(json.dumps(terms), encoding="utf-8")
    commands(tmp_path / "commands", COMMANDS)
    node(tmp_path, "n1")
    monkeypatch.setenv("PATH", f"{tmp_path}/commands:{os.environ['PATH']}")
    monkeypatch.setenv("HOSTS", str(tmp_path))
    monkeypatch.setattr(check, "TERMS", tmp_path / "terms.json")
    monkeypatch.setattr("sys.argv", ["node-active-check", str(tmp_path / "check.prom")])

    check.main()

    assert [(tmp_path / f"n1.{kept}").read_text(encoding="utf-8").strip() for kept in ("state", "reason")] == [
        state,
        reason,
    ]


def test_a_look_that_hangs_or_breaks_is_a_fault_and_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    check = script("node_check", "node_check")
    monkeypatch.setattr(check, "PATIENCE_S", 0.1)

    def breaks(_: object) -> list[str]:
        raise OSError("no such device")

    def hangs(_: object) -> list[str]:
        time.sleep(1)
        return []

    probes = {"disks": hangs, "gpus": breaks, "links": lambda _: ["port eth1 is down"], "memory": lambda _: []}
    assert check.wrong({}, probes) == {
        "disks": ["disks: no answer in 0.1 s"],
        "gpus": ["gpus cannot be read: no such device"],
        "links": ["port eth1 is down"],
    }


NODES = (
    "NodeName=n1 CPUAlloc=4 CPUTot=8 State=MIXED+DYNAMIC_NORM CfgTRES=cpu=8,gres/gpu=8 AllocTRES=cpu=4,gres/gpu=2",
    'NodeName=n2 CPUAlloc=0 CPUTot=8 State=IDLE+DRAIN CfgTRES=gres/gpu=8 Reason=node-check: 7 of "8" GPUs [root@2026-11-27T08:42:26]',
    "NodeName=n3 CPUAlloc=0 CPUTot=8 State=DOWN*+DYNAMIC_NORM CfgTRES=cpu=8,gres/gpu=8 AllocTRES= Reason=Not responding [slurm@2026-11-27T08:42:26]",
)


def test_nodes_that_take_no_jobs_are_series_with_the_reason() -> None:
    exporter = script("slurm_exporter", "slurm_exporter")

    lines = list(exporter.shown(exporter.nodes(NODES)))

    assert 'slurm_node_out{node="n2",state="drained",reason="node-check: 7 of \\"8\\" GPUs"} 1' in lines
    assert 'slurm_node_out{node="n3",state="down",reason="Not responding"} 1' in lines
    assert 'slurm_nodes{state="mixed"} 1' in lines
    assert 'slurm_gpus{which="allocated"} 2' in lines
    assert 'slurm_gpus{which="all"} 24' in lines
    assert not any("n1" in line for line in lines)


def test_what_does_not_answer_is_said_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = script("slurm_exporter", "slurm_exporter")
    monkeypatch.setattr(exporter, "said", lambda *_: None)

    assert list(exporter.everything()) == [("slurm_up", {}, 0)]


SACCTMGR = """
case "$*" in
*"show assoc format=User") cat "$HOSTS/users";;
*"show assoc format=Account"*) while read -r user; do echo "research|$user|1|low|low"; done <"$HOSTS/users";;
*remove*) echo "$*" >>"$HOSTS/removed";;
esac"""


@pytest.mark.parametrize(("listed", "removed"), [([], []), (["ada"], ["-i remove user bob account=research"])])
def test_a_list_of_users_that_is_empty_removes_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: list[str], removed: list[str]
) -> None:
    """An inventory that misspells the variable would take every user away."""
    policy = script("slurm_policy", "slurm_policy_apply")
    commands(tmp_path / "commands", {"sacctmgr": SACCTMGR})
    (tmp_path / "users").write_text("root\nada\nbob\n", encoding="utf-8")
    (tmp_path / "removed").touch()
    terms = {"qos": {}, "accounts": {"research": {"fairshare": 1, "users": listed}}, "proof": "cwproof"}
    terms |= {"account_qos": "low", "default_qos": "low"}
    (tmp_path / "policy.json").write_text(json.dumps(terms), encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}/commands:{os.environ['PATH']}")
    monkeypatch.setenv("HOSTS", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["slurm-policy-apply", str(tmp_path / "policy.json")])

    with nullcontext() if listed else pytest.raises(SystemExit, match="accounting has 2: nothing was changed"):
        policy.main()

    assert (tmp_path / "removed").read_text(encoding="utf-8").splitlines() == removed


@pytest.mark.slow
def test_check_mode_shows_whom_a_list_would_remove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who releases the step knows then who goes, also those whom somebody added by hand. Nobody is removed."""
    commands(tmp_path / "commands", {"sacctmgr": SACCTMGR})
    (tmp_path / "users").write_text("root\nada\nbob\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}/commands:{os.environ['PATH']}")
    monkeypatch.setenv("HOSTS", str(tmp_path))
    role = ROLES / "slurm_policy"
    (tmp_path / "files").symlink_to(role / "files")
    tasks = yaml.safe_load((role / "tasks/main.yml").read_text(encoding="utf-8"))[-1]["block"]
    named = [task for task in tasks if task["name"].startswith(("Look what", "Show it"))]
    terms = {"qos": {"high": {"priority": 10}}, "accounts": {"research": {"fairshare": 1, "users": ["ada"]}}}
    terms |= {"proof": "cwproof", "account_qos": "low", "default_qos": "low"}
    here = yaml.safe_load(json.dumps(named).replace("/etc/slurm", str(tmp_path)))

    play(tmp_path, {"n1": {"slurm_policy_list": terms}}, {"tasks": here}, "--check", "--diff")

    said = (tmp_path / "said.json").read_text(encoding="utf-8")
    assert "remove user bob account=research" in said
    assert "add qos high" in said
    assert not (tmp_path / "removed").exists()
    assert not (tmp_path / "policy.changes").exists()


@pytest.mark.parametrize(
    ("listed", "options", "deleted"),
    [([], [], []), (["ada"], [], ["uid=bob,ou=people,dc=a"]), (["ada"], ["--check"], [])],
)
def test_a_list_of_people_that_is_empty_removes_nobody(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    listed: list[str],
    options: list[str],
    deleted: list[str],
) -> None:
    """Those that a proof left behind have no home among people's, and go. A look only says who would."""
    ldap = MagicMock(NO_SUCH_OBJECT=KeyError)
    monkeypatch.setitem(sys.modules, "ldap", ldap)
    apply = script("directory_server", "directory_apply")
    monkeypatch.setattr(apply, "ldap", ldap)
    people = [{"name": name, "uid": 20001 + number} for number, name in enumerate(("ada", "bob"))]
    terms = {"base": "dc=a", "everyone": "all", "everyone_gid": 1, "groups": {}, "proof_account": "cwproof"}
    terms |= {"proof_uid": 2, "homes": "/home"}
    directory = ldap.initialize.return_value
    directory.search_s.return_value = list(apply.entries(terms | {"people": people}).items())
    monkeypatch.setattr(apply.modlist, "modifyModlist", lambda *_: [])
    wanted = [one for one in people if one["name"] in listed]
    (tmp_path / "people.json").write_text(json.dumps(terms | {"people": wanted}), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["directory-apply", str(tmp_path / "people.json"), *options])

    with (
        nullcontext() if listed else pytest.raises(SystemExit, match="the directory has 2 people: nothing was changed")
    ):
        apply.main()

    assert [call.args[0] for call in directory.delete_s.call_args_list] == deleted
    assert ("removed uid=bob,ou=people,dc=a" in capsys.readouterr().out) is bool(listed)


@pytest.mark.parametrize(
    ("served", "newest", "takes"),
    [
        ((36, 37), 37, {"script": "top", "environment": {"PATH": "/bin:/usr/bin"}}),
        ((37, 38), 38, {"script": "top", "environment": {"PATH": "/bin:/usr/bin"}}),
        ((41, 42, 43), 43, {"script": "job", "environment": ["PATH=/bin:/usr/bin"]}),
    ],
    ids=["21.08", "22.05", "25.05"],
)
def test_a_job_is_submitted_in_the_form_of_the_newest_version_that_a_release_of_slurm_serves(
    served: tuple[int, ...], newest: int, takes: dict[str, object]
) -> None:
    ways = script("proof", "job_submission")

    # JSON of Slurm has a backslash before each slash
    paths: dict[str, dict[str, str]] = {
        f"/{name}/v0.0.{version}/jobs": {} for version in served for name in ("slurm", "slurmdb")
    }
    specification = json.dumps({"paths": paths}).replace("/", "\\/")
    version = ways.newest(specification)
    request = ways.request_of(version, "/home/cwproof")

    assert version == newest
    place = "top" if "script" in request else "job"
    assert {"script": place, "environment": request["job"]["environment"]} == takes
    assert "true" in (request.get("script") or request["job"]["script"])
    with pytest.raises(ValueError, match="no path of Slurm"):
        ways.newest(json.dumps({"paths": {}}))
