"""What a node makes of its own faults, and which series Slurm's answers become. `tests/lab/test_slurm_operations.py` runs both for real."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.playbooks.scripts import script
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
