"""Every playbook of the tree on real hosts: check mode on bare ones, a first run, a second; a later pod alone; a host of no group."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from steps.catalog.terms import Scope
from tests.lab.idempotence import Trial, Trials, run_trials
from tests.lab.lab import Lab
from tests.lab.playing import playbooks, played
from tests.shipped import shipped_catalog

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(0)]

POD_STEPS = {entry.step.playbook for entry in shipped_catalog().values() if entry.step.scope is Scope.POD}
LATER_POD = "node-02,node-03"


@pytest.fixture(scope="module")
def trials(lab: Lab) -> Trials:
    """Return what every playbook did on the lab, whose servers were bare before."""
    return run_trials(lab, print)


@pytest.fixture
def trial(trials: Trials, playbook: str) -> Trial:
    """Return what one playbook did."""
    return next(row for row in trials.rows if row.playbook == playbook)


@pytest.mark.parametrize("playbook", playbooks())
def test_check_mode_ends_well_on_bare_hosts(trial: Trial) -> None:
    assert trial.check.rc == 0, trial.check.said[-4000:]


def test_check_mode_leaves_bare_hosts_bare(trials: Trials) -> None:
    assert trials.written_by_check == ()


@pytest.mark.parametrize("playbook", playbooks())
def test_it_does_what_it_is_for(trial: Trial) -> None:
    assert trial.first.rc == 0, trial.first.said[-4000:]


@pytest.mark.parametrize("playbook", playbooks())
def test_a_second_run_after_all_others_changes_nothing(trial: Trial) -> None:
    assert trial.second.rc == 0, trial.second.said[-4000:]
    assert trial.second.changed
    assert {host: changes for host, changes in trial.second.changed.items() if changes} == {}


@pytest.mark.usefixtures("trials")
@pytest.mark.parametrize("playbook", [playbook for playbook in playbooks() if playbook in POD_STEPS])
def test_a_later_pod_is_played_without_the_hosts_of_other_groups(lab: Lab, playbook: str) -> None:
    ran = played(lab, playbook, "--limit", LATER_POD)

    assert ran.changes == 0
    assert set(ran.changed) <= set(LATER_POD.split(","))


@pytest.mark.parametrize("playbook", playbooks())
def test_a_host_of_no_group_is_only_read(lab: Lab, tmp_path: Path, playbook: str) -> None:
    """A site without groups, as the preset `localhost` makes it, must not be set up by a playbook that was meant to look."""
    inventory = yaml.safe_load(lab.inventory.read_text(encoding="utf-8"))["all"]
    alone = {"hosts": {"leaf-1": inventory["children"]["switches"]["hosts"]["leaf-1"]}, "vars": inventory["vars"]}
    file = tmp_path / "hosts.yml"
    file.write_text(yaml.safe_dump({"all": alone}), encoding="utf-8")

    ran = played(lab, playbook, inventory=file)

    assert ran.changes == 0
