"""What a playbook would change on its hosts, as Ansible's check mode shows it. Nothing is changed."""

from __future__ import annotations

import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from flows.runs.results.per_host import FAILED
from flows.runs.run import Player, RunSpec, play, run_playbook
from ledger.subjects.runs.decisions import record_preview
from ledger.writing import Ledger
from schedule.errors import UnreachableError


class Differences(NamedTuple):
    """What check mode printed, task by task with differences, and in one phrase how many hosts it would change.

    `digest` is that of what Ansible read: the one that a release of these differences has to name.
    """

    text: bytes
    summary: str
    digest: str


def look(spec: RunSpec, player: Player = play) -> Differences:
    """Run a playbook in check mode. Raise where one of its hosts could not be looked at."""
    with tempfile.TemporaryDirectory() as folder:
        terms = replace(spec, check=True, log=Path(folder) / "log")
        result = run_playbook(terms, cancel=threading.Event(), player=player)
        text = terms.log.read_bytes()
    failed = [host for host in result.hosts if host.status in FAILED]
    if failed or result.status != "ok":
        said = "; ".join(f"{host.host}: {host.failed_task}: {host.message}" for host in failed) or result.message
        raise UnreachableError(
            f"{spec.playbook.name} could not be looked at in check mode: {said}",
            hint="fix that; a catalog/ beside site.yaml can leave `preview` out",
        )
    changed = sum(host.status == "changed" for host in result.hosts)
    return Differences(text, f"would change {changed} of {len(result.hosts)} hosts", result.digest)


def record(ledger: Ledger, activity: str, hosts: tuple[str, ...], seen: Differences) -> None:
    """Keep what check mode showed, for the people who release it."""
    record_preview(
        ledger,
        activity,
        hosts=hosts,
        playbook_digest=seen.digest,
        differences=seen.text,
        summary=seen.summary,
    )
