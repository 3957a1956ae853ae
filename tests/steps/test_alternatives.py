"""Playbooks by design: a step takes the first alternative that holds, and what is wrong with one is said with its file and key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clusterwright.planning import rooms
from flows.runs.process.place import playbooks_folder
from steps.catalog.lint.check import lint
from steps.catalog.lint.report import Installed, LintFinding
from steps.catalog.loader import Catalog, read_roles
from steps.catalog.schema import Alternative
from tests.shipped import shipped_catalog
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")  # the plan of a large preset takes seconds, and is kept by its worker

KUBERNETES = {
    "156": "software_stack/156_kubernetes_cluster.yml",
    "157": "software_stack/157_kubernetes_queues.yml",
    "158": "software_stack/158_kubernetes_gpus.yml",
    "159": "software_stack/159_kubernetes_gang.yml",
    "160": "software_stack/160_kubernetes_preemption.yml",
    "161": "software_stack/161_kubernetes_submission.yml",
    "162": None,
    "163": "software_stack/163_kubernetes_accounting.yml",
    "164": None,
    "165": "software_stack/165_kubernetes_workflows.yml",
}


def planned(preset: str) -> dict[str, str | None]:
    return {a.step: a.playbook for a in plan(preset).activities if a.step in KUBERNETES}


@pytest.mark.slow
def test_a_design_with_kubernetes_has_its_playbooks_and_none_where_there_is_no_way() -> None:
    assert planned("xai-100k") == KUBERNETES


def test_gpus_of_another_maker_have_no_playbook_of_nvidias() -> None:
    assert planned("tpu-v5p-pod") == KUBERNETES | {"158": None}


def test_a_design_with_slurm_has_the_steps_own_playbooks() -> None:
    own = {step: shipped_catalog()[step].step.playbook for step in KUBERNETES}

    assert planned("superpod-1su") == own
    assert None not in own.values()


@pytest.mark.slow
def test_runs_of_either_scheduler_take_turns() -> None:
    shared = [
        {a.step: a.shares for a in plan(p).activities if a.step in KUBERNETES} for p in ("xai-100k", "superpod-1su")
    ]

    assert shared[0] == shared[1]
    assert all(shared[0].values())


def changed(step: str, **changes: Any) -> Catalog:
    catalog = shipped_catalog()
    entry = catalog[step]
    return catalog | {step: replace(entry, step=entry.step.model_copy(update=changes))}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("when", "playbook", "rule", "message", "key"),
    [
        (
            "scheduler == 'kubernetes'",
            "software_stack/156_nomad.yml",
            "playbook",
            "156_nomad.yml does not exist",
            "playbook",
        ),
        ("sheduler == 'kubernetes'", None, "formula", "reads 'sheduler', which no design value is called", "when"),
        ("scheduler == 'nomad'", None, "formula", "asks for a scheduler 'nomad', which no design has", "when"),
        ("scheduler in ['slurm', 'nomad']", None, "formula", "asks for a scheduler 'nomad'", "when"),
        ("scheduler ==", None, "formula", "does not parse", "when"),
        ("nodes_in_pod > 8", None, "formula", "a site step cannot read nodes_in_pod", "when"),
    ],
)
def test_a_wrong_alternative_is_named_with_its_file_and_key(
    when: str, playbook: str | None, rule: str, message: str, key: str
) -> None:
    catalog = changed("156", alternatives=(Alternative(when=when, playbook=playbook),))

    (finding,) = found(catalog)

    assert finding.rule == rule
    assert message in finding.message
    assert finding.place.file.endswith("156_cluster_scheduler.yaml")
    assert finding.place.key == f"alternatives[0].{key}"
    assert finding.place.line


def test_an_alternative_goes_in_waves_only_where_every_wave_would_play_it() -> None:
    """A play for one host alone would be played by the wave that has this host, and by no other."""
    waves = next(entry.step.waves for entry in shipped_catalog().values() if entry.step.waves)

    messages = [finding.message for finding in found(changed("157", playbook=None, waves=waves))]

    assert messages == [
        "software_stack/157_kubernetes_queues.yml has a play for management[0] alone, which only one of the waves would run"
    ]


def found(catalog: Catalog) -> list[LintFinding]:
    return lint(catalog, Installed(read_roles(), playbooks_folder(), rooms()), {}).findings
