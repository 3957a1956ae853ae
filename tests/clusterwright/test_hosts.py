"""Whom the runs of a site touch: nodes by pod, everybody else by group, and nobody whom the playbook does not play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from clusterwright.planning import plan_of
from steps.planning.plan import Plan
from tests.conftest import Command

GROUPS = {
    "management": ["admin-1", "admin-2"],
    "compute": ["pod-001-n02", "pod-001-n01", "pod-001-n03"],
    "logins": ["login-1"],
    "storage_servers": ["storage-1"],
    "switches": ["leaf-1"],
}


@pytest.fixture
def planned(tmp_path: Path, command: Command) -> Plan:
    """The plan of a lab with this inventory."""
    return plan_with(tmp_path, command, GROUPS)


def plan_with(folder: Path, command: Command, groups: dict[str, list[str]]) -> Plan:
    inventory = folder / "hosts.yml"
    children: dict[str, Any] = {name: {"hosts": {host: {} for host in hosts}} for name, hosts in groups.items()}
    inventory.write_text(yaml.safe_dump({"all": {"children": children}}, sort_keys=False), encoding="utf-8")
    result = command("init", folder / "site", "--preset", "lab", "--inventory", inventory)
    assert result.returncode == 0, result.stderr
    return plan_of(folder / "site")


def touched(plan: Plan, activity: str) -> set[str]:
    """Return the hosts that a run would touch."""
    row = next(a for a in plan.activities if a.id == activity)
    unit = next(u for u in plan.units if u.id == row.unit)
    assert row.plays
    return {*unit.hosts, *unit.shared} & set(plan.host_sets[row.plays])


def test_nodes_are_matched_to_pods_and_the_others_are_the_sites_and_the_first_pods(planned: Plan) -> None:
    others = {"admin-1", "admin-2", "login-1", "storage-1", "leaf-1"}
    for unit in planned.units:
        assert unit.hosts == ("pod-001-n01", "pod-001-n02", "pod-001-n03")
        assert set(unit.shared) == others
        assert unit.unmatched == ()


@pytest.mark.parametrize(
    ("activity", "hosts"),
    [
        ("152@pod-001", {"pod-001-n01", "pod-001-n02", "pod-001-n03"}),
        ("147@pod-001", {"pod-001-n01", "pod-001-n02", "pod-001-n03", "admin-1", "admin-2", "login-1", "storage-1"}),
        ("157@site", {"admin-1"}),
        ("161@site", {"login-1"}),
    ],
)
def test_a_run_touches_whom_its_playbook_plays(planned: Plan, activity: str, hosts: set[str]) -> None:
    assert touched(planned, activity) == hosts


def test_a_planned_node_without_a_host_is_named_and_holds_up_only_itself(tmp_path: Path, command: Command) -> None:
    plan = plan_with(tmp_path, command, GROUPS | {"compute": ["pod-001-n01", "pod-001-n03"]})

    pod = next(u for u in plan.units if u.id == "pod-001")
    assert pod.hosts == ("pod-001-n01", "pod-001-n03")
    assert pod.unmatched == ("pod-001-n02",)
    assert touched(plan, "152@pod-001") == {"pod-001-n01", "pod-001-n03"}


def test_an_inventory_without_groups_is_all_nodes(tmp_path: Path, command: Command) -> None:
    plan = plan_with(tmp_path, command, {"machines": ["one", "two", "three"]})

    assert plan.units[0].hosts == ("one", "two", "three")
    assert plan.units[0].shared == ()


def test_whom_a_run_touches_follows_from_the_playbook_of_the_design(tmp_path: Path, command: Command) -> None:
    """Kubernetes has no database of accounting to set up first, and log-in hosts only bring kubectl."""
    plan_with(tmp_path, command, GROUPS)
    file = tmp_path / "site" / "site.yaml"
    site = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump(site | {"overrides": {"scheduler": "kubernetes"}}), encoding="utf-8")

    plan = plan_of(tmp_path / "site")

    nodes = {"pod-001-n01", "pod-001-n02", "pod-001-n03"}
    assert touched(plan, "156@site") == {"admin-1", "admin-2"}
    assert touched(plan, "H39@pod-001") == nodes
    assert touched(plan, "161@site") == {"admin-1", "login-1"}
    assert next(a for a in plan.activities if a.id == "162@site").plays is None
