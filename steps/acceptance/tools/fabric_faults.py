"""Faults of a fabric under load, as the role `fabric_faults` hands them over: what was broken, how long nothing passed, what is back.

The load is TCP sessions between all compute hosts, which stand for a job. A job is lost when one of them ends, or when nothing passed for as
long as the fault lasted: what comes back with the link was not rerouted. A fault on ports that carried no load shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number, share_of
from steps.acceptance.metric import Metric, Tool

OUTPUT = "fabric_faults"
SURVIVED = ("trunk", "spine", "manager", "flap")
"""Kinds of fault that a job must outlive; a server's cable and a leaf end it."""

LEAST_PACKETS = 20
"""Packets a second with which a port has a part of the load: one of its streams. Routing alone sends fewer."""

ALMOST = Decimal("0.9")
"""The share of a fault's time after which silence counts as the whole of it."""

DOWN = ("down", "inactive", "failed")
NOT_DOWN = (
    "up",
    "unknown",
    "lowerlayerdown",
    "dormant",
    "testing",
    "active",
    "activating",
    "deactivating",
    "reloading",
)
"""States of ports and of services that were not broken."""

Silences = list[tuple[str, Decimal | None]]


class FabricFault(NamedTuple):
    """A line of the fault script: why it was not run, empty if it was; by pair of hosts the silence, and which sessions ended."""

    name: str
    kind: str
    unrun: str
    silent: Silences
    ended: list[str]
    dead: list[str]

    def lost(self, hold: Decimal) -> list[str]:
        """Return the pairs that lost their job, with the reason."""
        waited = [f"{pair} was silent for all of it" for pair, s in self.silent if s is None or s >= hold * ALMOST]
        return [*waited, *self.ended]


def scenarios_ratio(handed: Handed) -> Found:
    """Return the share of the fault script that was run, with a line for each kind of fault that the script should have."""
    document = handed.document(OUTPUT)
    faults = list(_faults(document))
    lacking = [str(kind) for kind in document["kinds"] if kind not in {fault.kind for fault in faults}]
    unrun = [f"{fault.name}: {fault.unrun}" for fault in faults if fault.unrun]
    if not faults:
        raise NotMeasuredError("the fault script has no line")
    note = "; ".join([*unrun, *([f"no line for {', '.join(lacking)}"] if lacking else [])])
    return Found(share_of(len(faults) - len(unrun), len(faults) + len(lacking)), note)


def jobs_lost(handed: Handed) -> Found:
    """Count the faults on a trunk, a spine or a manager that ended the job."""
    document = handed.document(OUTPUT)
    hold = number(document["hold_s"])
    survived = _survived(document)
    lost = [f"{fault.name}: {fault.lost(hold)[0]}" for fault in survived if not fault.unrun and fault.lost(hold)]
    if not lost:
        _all_run(survived)
    return Found(Decimal(len(lost)), "; ".join(lost))


def reroute_s(handed: Handed) -> Found:
    """Return the longest silence over all faults that a job must outlive. A job that was lost was not rerouted."""
    document = handed.document(OUTPUT)
    if jobs_lost(handed).value:
        raise NotMeasuredError(jobs_lost(handed).note)
    slowest = max((s or Decimal(0), f"{f.name}: {pair}") for f in _survived(document) for pair, s in f.silent)
    return Found(*slowest)


def not_restored(handed: Handed) -> Found:
    """Count ports that were up before and are not afterwards, and pairs of hosts to which nothing came back after a fault."""
    document = handed.document(OUTPUT)
    were, are = _up(document["before"]), _up(document["after"])
    missing = [f"{host} {port}" for host, port in sorted(were - are)]
    dead = [f"{pair} after {fault.name}" for fault in _faults(document) for pair in fault.dead]
    return Found(Decimal(len(missing) + len(dead)), "; ".join([*missing, *dead]))


def _survived(document: dict[str, Any]) -> list[FabricFault]:
    """Return the faults that a job must outlive."""
    found = [fault for fault in _faults(document) if fault.kind in SURVIVED]
    if not found:
        raise NotMeasuredError("the fault script has no fault that a job must outlive")
    return found


def _all_run(faults: list[FabricFault]) -> list[FabricFault]:
    """Return these faults if each was run. A job is not known to outlive the others."""
    for fault in faults:
        if fault.unrun:
            raise NotMeasuredError(f"{fault.name}: {fault.unrun}")
    return faults


def _faults(document: dict[str, Any]) -> Iterator[FabricFault]:
    hold, lead = number(document["hold_s"]), number(document["lead_s"])
    for entry in document["faults"]:
        if entry["kind"] not in document["kinds"]:
            raise ValueError(entry["kind"])
        broken, sessions = entry["broken"], entry["sessions"]
        silent = [(_pair(s), None if s["silent_s"] is None else number(s["silent_s"])) for s in sessions]
        ended = [f"session of {_pair(s)} ended: {s['error']}" for s in sessions if s["error"]]
        heard = {s["from"] for s in sessions}
        ended += [f"{host} has no result" for host in document["senders"] if host not in heard]
        dead = [_pair(s) for s in sessions if s["silent_at_end_s"] is None or number(s["silent_at_end_s"]) >= hold / 2]
        yield FabricFault(entry["name"], entry["kind"], _unrun(broken, lead), silent, ended, dead)


def _unrun(broken: dict[str, Any], lead: Decimal) -> str:
    """Return why a fault shows nothing; an empty text if it was one."""
    if not broken:
        return "it was not broken"
    carried, states = number(broken["carried"]), list(broken["states"].values())
    if not states or set(states) - {*DOWN, *NOT_DOWN}:
        raise ValueError(states)
    if not set(states) <= {*DOWN}:
        return "it was not broken"
    is_port = "down" in states
    return (
        f"its ports carried {carried} packets in {lead} s, no load"
        if is_port and carried < LEAST_PACKETS * lead
        else ""
    )


def _up(said: dict[str, list[str]]) -> set[tuple[str, str]]:
    """Return host and port of every port that is up."""
    return {(host, port) for host, ports in said.items() for port in ports}


def _pair(session: dict[str, Any]) -> str:
    return f"{session['from']} to {session['to']} on rail {session['rail']}"


TOOL = Tool(
    "faults under load",
    OUTPUT,
    "playbooks/networking/067_network_resilience.yml",
    (
        Metric("fault.scenarios_run_ratio", "ratio", scenarios_ratio),
        Metric("fault.jobs_lost_on_trunk_or_spine", "count", jobs_lost),
        Metric("fault.reroute_max_s", "s", reroute_s),
        Metric("fault.links_not_restored", "count", not_restored),
    ),
)
