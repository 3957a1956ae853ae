"""Pods that join late: the site's services wait for none of them, and each pod's work waits for its own half."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache

import pytest

from flows.runs.plays import patterns_of
from flows.runs.process.place import playbooks_folder
from ledger.rules.activity import State
from ledger.rules.rows import Begun
from ledger.subjects.plan.revision_rules import Consequences, OnRecord, consequences
from steps.catalog.loader import Catalog, read_roles
from steps.catalog.schema import Link
from steps.catalog.terms import Mapping, Scope
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from tests.shipped import shipped_catalog

HALVES = frozenset({"H38", "H39", "H42"})
HOMES = frozenset({"H40", "H41"})
SERVICES = ("143", "145", "146", "156", "H40")
BEFORE_HALVES = {
    "147": Link(after="146", map=Mapping.ENCLOSING, reason="as it was"),
    "152": Link(after="143", map=Mapping.ENCLOSING, reason="as it was"),
    "156": Link(after="144", map=Mapping.AS_THEY_COME, reason="as it was"),
}
"""The links of the catalog before it had the pods' halves."""


@cache
def plan(*, without: frozenset[str] = frozenset(), **overrides: str | int) -> Plan:
    site = Site.model_validate(
        {
            "name": "t",
            "time_zone": "Etc/UTC",
            "country": "US",
            "currency": "USD",
            "preset": "superpod-4su",
            "start": "2027-01-04",
            "people": [{"id": "owner", "roles": ["owner-pm"]}],
            "overrides": overrides,
        }
    )
    roles = {slug: role.title for slug, role in read_roles().items()}
    return make_plan(site, design_of(site), earlier_catalog(without), Surroundings(roles, Hosts(), {}))


def earlier_catalog(without: frozenset[str]) -> Catalog:
    """Return the catalog as a site adopted it before there were these steps."""
    found = {}
    before = BEFORE_HALVES if without >= HALVES else {}
    for name, entry in shipped_catalog().items():
        if name not in without:
            links = [link for link in entry.step.links if link.after not in without]
            links += [before[name]] if name in before else []
            found[name] = replace(entry, step=entry.step.model_copy(update={"links": tuple(links)}))
    return found


def ancestors(of: Plan, name: str) -> set[str]:
    before = defaultdict(set)
    for link in of.links:
        before[link.after].add(link.before)
    found: set[str] = set()
    front = [name]
    while front:
        front += (new := before[front.pop()] - found)
        found |= new
    return found


@pytest.mark.parametrize("step", SERVICES)
def test_a_service_of_the_site_waits_for_no_pod(step: str) -> None:
    assert [name for name in ancestors(plan(), f"{step}@site") if "@pod-" in name] == []


@pytest.mark.parametrize("step", [*SERVICES, "158"])
def test_a_service_of_the_site_plays_no_node(step: str) -> None:
    """Nodes are powered on later than the services that they use."""
    assert shipped_catalog()[step].step.scope is Scope.SITE
    for playbook in shipped_catalog()[step].step.playbooks:
        words = re.split(r"[^a-z_]+", " ".join(patterns_of(playbooks_folder() / playbook)))
        assert not {"compute", "all"} & set(words), playbook


@pytest.mark.parametrize("scheduler", ["slurm", "kubernetes"])
@pytest.mark.parametrize(
    ("step", "half"), [("147", "H38"), ("152", "H38"), ("H39", "H38"), ("H39", "144"), ("186", "H39"), ("186", "H42")]
)
def test_a_pods_work_waits_for_its_own_pods_half_alone(step: str, half: str, scheduler: str) -> None:
    units = {"site"} if step == "186" else {"pod-001", "pod-003"}
    for unit in units:
        earlier = ancestors(plan(scheduler=scheduler), f"{step}@{unit}")
        pods = {name.partition("@")[2] for name in earlier if name.startswith(f"{half}@")}
        assert pods == ({f"pod-{n:03}" for n in range(1, 5)} if unit == "site" else {unit})


@pytest.mark.parametrize("step", ["157", "158", "159", "161", "162", "163", "164", "165"])
def test_what_runs_jobs_waits_for_the_first_pod_and_for_no_other(step: str) -> None:
    """Users begin on the first pod, months before the last one is there."""
    earlier = [name for name in ancestors(plan(), f"{step}@site") if "@pod-" in name and "#" not in name]

    assert "H39@pod-001" in earlier
    assert {name.partition("@")[2] for name in earlier} == {"pod-001"}


def test_a_job_begins_where_homes_are() -> None:
    """A home of the site's file system also waits for that; jobs of Kubernetes have none."""
    before = ancestors(plan(), "H39@pod-003")
    assert {name for name in before if name[:3] in HOMES} == {"H40@site", "H41@pod-003"}
    assert not {"128@site", "130@pod-003"} & before

    mounted = ancestors(plan(home_folders="file-system"), "H39@pod-003")
    assert {"128@site", "130@pod-003"} <= mounted

    homes = [activity for activity in plan(scheduler="kubernetes").activities if activity.step in HOMES]
    assert [activity.applicable for activity in homes] == [False] * 5


@pytest.mark.parametrize(
    ("without", "new"), [(HALVES | HOMES, HALVES | HOMES), (HOMES, HOMES)], ids=["before H38", "before H40"]
)
def test_a_site_that_was_done_before_keeps_all_of_it_and_has_new_steps_as_open_work(
    without: frozenset[str], new: frozenset[str]
) -> None:
    """What `plan diff` shows and `plan adopt` does: nothing is opened again, signed again or stale."""
    earlier, now = plan(without=without), plan()
    done = {activity.id: Begun(State.DONE, 1, stale=False) for activity in earlier.activities}

    assert consequences(earlier, now, done, lambda _: OnRecord({}), {}) == Consequences()
    added = {activity.id for activity in now.activities} - {activity.id for activity in earlier.activities}
    assert {name for name in added if "@pod-" in name} == {
        f"{step}@pod-{n:03}" for step in new - {"H40"} for n in range(1, 5)
    }
    assert {name for name in added if "@pod-" not in name} == {"H40@site"}
