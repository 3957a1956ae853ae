"""The racks of the halls at their places, and how far each is: from the adopted design, the work of its pod, and the checklists.

A rack is as far as the last stage that its pod has passed. While the work of a stage goes on, a rack is there as soon as its own items
are: the rack on a checklist of racks, all of its servers on a checklist of servers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ledger.questions.checks import DESIGN, drawing
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_MET, State, words

if TYPE_CHECKING:
    from steps.design.positions import Drawing

PLANNED = "planned"
STAGES: tuple[tuple[str, frozenset[str]], ...] = (
    ("set", frozenset({"H08", "H57"})),
    ("racked", frozenset({"H09"})),
    ("powered", frozenset({"031", "H36", "H58"})),
    ("burnt in", frozenset({"034"})),
    ("accepted", frozenset({"H21"})),
)
"""The stages of a compute rack in their order, each with the steps after which it is reached."""

SIGNS = {
    PLANNED: "·",
    "set": "□",
    "racked": "▤",
    "powered": "■",
    "burnt in": "◆",
    "accepted": "✔",
}
"""By stage: the sign that shows it on a map."""

TROUBLE_SIGN = "✘"
"""The sign of a rack in which something failed."""

INFRASTRUCTURE_STEP = "H33"
"""The step that sets the racks for spines, storage and management."""

_WORK = """
SELECT id, step, unit, state FROM activity
WHERE state <> 'not_applicable' AND (step IN (SELECT value FROM json_each(:steps)) OR state IN ('failed', 'checked_not_met'))"""
_ITEMS = """
SELECT c.activity, c.item, c.failing FROM item_check c JOIN activity a ON a.id = c.activity AND a.attempt = c.attempt
WHERE a.step IN (SELECT value FROM json_each(:steps)) AND a.state <> 'done' ORDER BY c.seq"""
_FAILED_HOSTS = """
SELECT u.activity, i.host FROM item_result i JOIN run u ON u.id = i.run JOIN activity a ON a.id = u.activity AND a.attempt = u.attempt
WHERE a.state IN ('failed', 'checked_not_met') AND i.status IN ('failed', 'unreachable')"""


class Spot(NamedTuple):
    """A rack of the design. Hall, row and place are from 1. `servers` are the numbers of its servers in the pod, from 0."""

    id: str
    hall: int
    row: int
    place: int
    unit: str
    servers: range
    kw: float


class RackRow(NamedTuple):
    """A rack and how far it is. `unit` is its pod, or the site for infrastructure. `trouble` says what failed in it; empty if nothing did.

    `kw` is the planned power of its servers.
    """

    spot: Spot
    stage: str
    trouble: str

    @property
    def id(self) -> str:
        """Its position, as hall-1/row-02/rack-03."""
        return self.spot.id


def floor(snapshot: Snapshot) -> list[RackRow]:
    """Return every rack, hall by hall and row by row. Empty if the design draws none."""
    design = snapshot.first(DESIGN)
    spots = () if design is None else _spots(*design)
    if not spots:
        return []
    hosts = {unit: words(found) for unit, found in snapshot.ask("SELECT id, hosts FROM unit WHERE kind = 'pod'")}
    work = _Work(snapshot)
    return [_rack(spot, hosts.get(spot.unit, ()), work) for spot in spots]


class _Work:
    """What the record says about stages: by unit the states of their steps, and what was checked or failed by item."""

    def __init__(self, snapshot: Snapshot) -> None:
        steps = json.dumps([INFRASTRUCTURE_STEP, *(step for _, named in STAGES for step in named)])
        self.states: dict[str, dict[str, State]] = {}
        self.failed: dict[str, list[str]] = {}
        for name, step, unit, state in snapshot.ask(_WORK, steps=steps):
            self.states.setdefault(unit, {})[step] = State(state)
            if state in NOT_MET:
                self.failed.setdefault(unit, []).append(name)
        self.items: dict[str, dict[str, bool]] = {}
        for activity, item, failing in snapshot.ask(_ITEMS, steps=steps):
            self.items.setdefault(activity, {})[item] = not words(failing)
        self.failed_hosts: dict[str, set[str]] = {}
        for activity, host in snapshot.ask(_FAILED_HOSTS):
            self.failed_hosts.setdefault(activity, set()).add(host)


def _rack(spot: Spot, hosts: Sequence[str], work: _Work) -> RackRow:
    named = [hosts[number] for number in spot.servers if number < len(hosts)]
    if spot.unit == "site":
        is_set = work.states.get("site", {}).get(INFRASTRUCTURE_STEP) is State.DONE
        return RackRow(spot, "set" if is_set else PLANNED, "")
    stage = PLANNED
    states = work.states.get(spot.unit, {})
    for name, steps in STAGES:
        applying = steps & states.keys()
        if applying and all(_is_there(spot, named, work, step) for step in applying):
            stage = name
    return RackRow(spot, stage, _trouble(spot, named, work))


def _is_there(spot: Spot, named: Collection[str], work: _Work, step: str) -> bool:
    """Return whether a rack has a step behind it: it is done, or the rack or all of its servers passed its checklist."""
    if work.states[spot.unit][step] is State.DONE:
        return True
    items = work.items.get(f"{step}@{spot.unit}", {})
    if items.get(spot.id, False):
        return True
    return bool(named) and all(items.get(host, False) for host in named)


def _trouble(spot: Spot, named: Iterable[str], work: _Work) -> str:
    """Return what failed in a rack: its items, its servers in a run, or work of its pod of which no host is known."""
    mine = {spot.id, *named}
    for activity, items in work.items.items():
        failing = [item for item, passed in items.items() if item in mine and not passed]
        if failing and activity.endswith(f"@{spot.unit}"):
            return f"{failing[0]} did not pass {activity}"
    for activity in work.failed.get(spot.unit, ()):
        hosts = work.failed_hosts.get(activity, set())
        if not hosts:
            return f"{activity} failed"
        if hosts & mine:
            return f"{activity} failed on {', '.join(sorted(hosts & mine))}"
    return ""


@lru_cache(maxsize=2)
def _spots(figures: str, choices: str) -> tuple[Spot, ...]:
    """Return the racks that a design draws. A plan of an early release has no figures, and without rails there is no layout."""
    drawn = drawing(figures, choices)
    if drawn is None:
        return ()
    from steps.design.design import counted_from  # NumPy is slow to import, and only this needs it

    values: Mapping[str, Any] = json.loads(figures)
    node_kw = counted_from(values, json.loads(choices)).power.node_kw
    per_rack, found = int(values["nodes_per_rack"]), []
    for pod, size in enumerate(drawn.fabric.fabric.pods):
        for number, name in enumerate(drawn.fabric.rack_names(pod)):
            servers = range(number * per_rack, min((number + 1) * per_rack, size))
            hall, row, place = _numbers(name)
            unit, kw = f"pod-{pod + 1:03}", len(servers) * node_kw
            found.append(Spot(name, hall, row, place, unit, servers, kw))
    found += _infrastructure(drawn)
    return tuple(sorted(found, key=lambda spot: spot[1:4]))


def _infrastructure(drawn: Drawing) -> list[Spot]:
    """Return the racks for spines, storage and management."""
    import numpy as np

    from steps.design.cables import place_names

    numbers = np.arange(drawn.services.infrastructure_racks)
    found = []
    for name in place_names(drawn.fabric.floor.infrastructure(numbers)):
        hall, row, place = _numbers(name)
        found.append(Spot(name, hall, row, place, "site", range(0), 0.0))
    return found


def _numbers(name: str) -> tuple[int, int, int]:
    numbers = [part.rpartition("-")[2] for part in name.split("/")]
    hall, row, place = map(int, numbers)
    return hall, row, place
