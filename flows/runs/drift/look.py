"""A look at hosts whose work is done: what differs from what the step's playbook sets, and what can be known of how that came.

The playbook runs in check mode, and changes nothing. Hosts on which a run is at work, or begins one meanwhile, are not judged.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.digest import what_differs
from flows.runs.drift.differing import Difference, Differing
from flows.runs.means import Means
from flows.runs.process.place import runs_folder
from flows.runs.results.per_host import FAILED, PlaybookResult
from flows.runs.run import Player, RunSpec, play, run_playbook
from ledger.questions.drift import Origin, hosts_claimed_since, origin, run_at
from ledger.questions.records import claims
from ledger.questions.site import head
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.rows import grouped
from ledger.subjects.runs.host_name_rules import folded_within
from steps.amount import first_of
from steps.planning.plan import Plan

FILES = Path("software_stack", "changed_files.yml")
"""The playbook that reads who owns files and when they were last changed."""

NAMED, NAMES = 3, 80
"""How many files or tasks a summary names, and how many characters of hosts' names with each."""


class Place(NamedTuple):
    """Where a site's files are: its folder, the playbooks, and the inventory; the means of its runs, and what plays them."""

    site: Path
    playbooks: Path
    inventory: Path
    means: Means
    player: Player = play


class Finding(NamedTuple):
    """Something on a host that is not as the playbook sets it. `cause` is what the record and the file's times show of it.

    Lines with a minus are on the host, and the playbook would undo them. `changed_at` and `owner` are the file's.
    """

    host: str
    path: str
    task: str
    lines: str
    cause: str
    changed_at: datetime | None = None
    owner: str = ""


class Look(NamedTuple):
    """What a look at an activity found. `passed_over` says of each host that was not judged why."""

    origin: Origin
    digest: str
    hosts: tuple[str, ...]
    findings: tuple[Finding, ...]
    passed_over: dict[str, str]

    @property
    def changed(self) -> tuple[str, ...]:
        """The hosts on which something differs."""
        return tuple(dict.fromkeys(finding.host for finding in self.findings))

    @property
    def summary(self) -> str:
        """What was found, in one phrase."""
        if not self.findings:
            return f"nothing differs on {len(self.hosts)} hosts"
        where = grouped((found.path or found.task, found.host) for found in self.findings)
        named = [f"{what} on {folded_within(sorted({*on}), NAMES)}" for what, on in where.items()]
        return f"{len(self.changed)} of {len(self.hosts)} hosts differ: {first_of(named, NAMED)}"


def look_for_drift(
    place: Place,
    plan: Plan,
    name: str,
    record: Callable[[], Snapshot],
    cancel: threading.Event,
) -> Look:
    """Look at the hosts of a finished activity. Raise where no run of it has set anything. `record` opens the record as it is now."""
    with record() as snapshot:
        found = origin(snapshot, name)
        busy, begun = {host: held.run for held in claims(snapshot) for host in held.hosts}, head(snapshot).seq
    passed = {host: f"{busy[host]} is at work on it" for host in found.hosts if host in busy}
    hosts = tuple(host for host in found.hosts if host not in busy)
    if not hosts:
        return Look(found, "", (), (), passed)
    seen = Differing()
    spec = _spec(place, plan, found.row, hosts)
    result = run_playbook(spec, on_event=seen.note, cancel=cancel, player=place.player)
    passed |= _not_seen(result)
    files = _files(place, spec, seen.found, cancel)
    with record() as snapshot:
        begun_since = hosts_claimed_since(snapshot, begun)
        passed |= {host: "a run began on it meanwhile" for host in hosts if host in begun_since}
        findings = []
        for one in seen.found:
            if one.host not in passed:
                changed_at, owner = files.get((one.host, one.path), (None, ""))
                cause = _cause(snapshot, found, one.host, result.digest, changed_at)
                findings.append(Finding(one.host, one.path, one.task, one.lines, cause, changed_at, owner))
    judged = tuple(host for host in hosts if host not in passed)
    return Look(found, result.digest, judged, tuple(findings), passed)


def _spec(place: Place, plan: Plan, row: Activity, hosts: tuple[str, ...]) -> RunSpec:
    """Return the terms of a look. Its log goes with its folder."""
    folder = runs_folder(place.site) / f"drift-{uuid.uuid4().hex[:12]}"
    spec = place.means.spec(plan, row.plan, hosts, place.playbooks, place.inventory, folder, folder / "log")
    return replace(spec, check=True)


def _not_seen(result: PlaybookResult) -> dict[str, str]:
    """Return why hosts could not be looked at. A playbook that broke off has looked at none to its end."""
    why = {
        host.host: f"{host.status}: {host.message or host.failed_task}"
        for host in result.hosts
        if host.status in FAILED
    }
    if result.status != "ok" and not why:
        return {host.host: result.message or "the look broke off" for host in result.hosts}
    return why | {host.host: host.message for host in result.hosts if host.status == "skipped"}


def _files(
    place: Place, spec: RunSpec, found: Iterable[Difference], cancel: threading.Event
) -> dict[tuple[str, str], tuple[datetime, str]]:
    """Return by host and path when a file was last changed, and who owns it. What is no file has neither."""
    wanted = grouped(dict.fromkeys((one.host, one.path) for one in found if one.path))
    if not wanted:
        return {}
    folder = spec.work_dir.with_name(f"{spec.work_dir.name}-files")
    terms = replace(
        spec,
        playbook=place.playbooks / FILES,
        hosts=tuple(wanted),
        extra_vars={"changed_files": wanted},
        work_dir=folder,
        log=folder / "log",
    )
    raw = run_playbook(terms, cancel=cancel, player=place.player).raw
    read: dict[tuple[str, str], tuple[datetime, str]] = {}
    for host, tools in raw.items():
        for line in tools.get("changed_files", {}).get("stdout", "").splitlines():
            seconds, rest = line.split(" ", 1)
            owner, path = rest.split(" /", 1)  # the name of a group may have spaces
            read[host, f"/{path}"] = (datetime.fromtimestamp(int(seconds), UTC), owner)
    return read


def _cause(
    snapshot: Snapshot,
    found: Origin,
    host: str,
    digest: str,
    changed_at: datetime | None,
) -> str:
    """Return how a difference came about, as far as the record and the file's times show it."""
    run = found.run
    assert run.settled_at
    files = what_differs(run.playbook_digest or "", digest)
    since = changed_at is not None and changed_at > run.settled_at
    if since and changed_at and (other := run_at(snapshot, host, changed_at)):
        by = f"changed while {other.id} of {other.activity} ran"
    elif since or not files:
        by = f"changed on the host since {run.id}" + (", while no run of ours was at work there" if since else "")
    elif changed_at is not None:
        return f"not changed on the host since {run.id}: {files} since"
    else:
        return f"{files} since {run.id}; whether the host was changed too is not known"
    return f"{by}; {files} since, too" if files else by
