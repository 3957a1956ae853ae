"""Runs that want the same hosts take turns: what is first in the order is not overtaken. Real Prefect, real Ansible."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ledger.decisions.plan import adopt_plan, create_ledger
from ledger.stores.log import machine_clock
from ledger.trust.audit import audit
from tests.flows.conftest import PLAYBOOK, Start, runs, state, until
from tests.ledger.conftest import activity, link, small_plan

pytestmark = pytest.mark.slow

PODS = ("pod-001", "pod-002", "pod-003")
ROUNDS = 5
FIRST, WIDE = "200@pod-001", "250@site"


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """One host a pod, all of them this machine."""
    path = tmp_path / "hosts.ini"
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    path.write_text("".join(f"{pod}-n1 {here}\n" for pod in PODS), encoding="utf-8")
    return path


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """A playbook a pod, each of another duration, so that the pods are never free at one instant; and one for all hosts."""
    folder = tmp_path / "playbooks" / "networking"
    folder.mkdir(parents=True)
    for seconds, pod in enumerate(PODS, start=1):
        (folder / f"{pod}.yml").write_text(PLAYBOOK.format(seconds=seconds), encoding="utf-8")
    (folder / "wide.yml").write_text(PLAYBOOK.format(seconds=1), encoding="utf-8")
    return folder.parent


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A site where each pod has a chain of short steps, and all pods together a step that is ready after the first of them."""
    folder = tmp_path / "site"
    reads = {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}}
    made, links = [], [link(FIRST, WIDE)]
    for pod in PODS:
        for number in range(ROUNDS):
            made.append(activity(f"{200 + number}@{pod}", playbook=f"networking/{pod}.yml", **reads))
            if number:
                links.append(link(f"{199 + number}@{pod}", f"{200 + number}@{pod}"))
    made.append(activity(WIDE, playbook="networking/wide.yml", **reads))
    units = [
        {"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": [f"{pod}-n1" for pod in PODS]},
        *({"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": [f"{pod}-n1"]} for pod in PODS),
    ]
    with create_ledger(
        folder, site_name="Busy", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_clock
    ) as ledger:
        plan = small_plan(activities=made, links=links, units=units, orders=[])
        adopt_plan(ledger, "pm", plan, reason="first plan")
    return folder


def overtook(site: Path) -> list[str]:
    """Return what began on a host of the wide step after it was ready, and before it began."""
    found = runs(site)
    (ready,) = (run.settled_at for run in found if run.activity == FIRST)
    (began,) = (run.started_at for run in found if run.activity == WIDE)
    assert ready is not None
    return [run.activity for run in found if ready < run.started_at < began]


def test_a_wide_step_is_not_overtaken_by_a_stream_of_narrow_ones(busy: Path, start: Start) -> None:
    """Its hosts are never all free at one instant by themselves."""
    start(busy)
    until(lambda: state(busy, WIDE) == "done", seconds=120)

    assert len(overtook(busy)) <= 1, "what became ready together with it, and comes before it by its id"
    until(lambda: all(state(busy, f"{199 + ROUNDS}@{pod}") == "done" for pod in PODS), seconds=60)
    assert not audit(busy)
