"""What a playbook would change on its hosts, as Ansible's check mode shows it. Nothing is changed."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from flows.runs.results.per_host import FAILED
from flows.runs.run import Player, RunEvent, RunSpec, play, run_playbook
from ledger.subjects.runs.decisions import record_preview
from ledger.writing import Ledger
from schedule.errors import UnreachableError

_HEADS = re.compile(r"^--- (?P<before>.*)\n\+\+\+ (?P<after>.*)\n", re.MULTILINE)
_HEADER = re.compile(r"(?:before|after): (?P<path>/.*?)(?: \((?:content|file attributes)\))?$")
_ATTRIBUTE = re.compile(r'"path": "(?P<path>/[^"]*)"')


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


class Difference(NamedTuple):
    """Something that a task would change on a host. `path` is empty where it is not a file, and `lines` where Ansible shows none.

    Lines with a minus are on the host, those with a plus are what the playbook sets.
    """

    host: str
    task: str
    path: str
    lines: str


class Differing:
    """Collects the differences of a run in check mode from its events. What a handler would do follows from them, and is left out."""

    def __init__(self) -> None:
        self.found: list[Difference] = []
        self._printed: dict[str, list[str]] = {}
        self._is_handler = False

    def note(self, event: RunEvent) -> None:
        """Take an event of the run."""
        data = event.data
        match data.get("event"):
            case "task" | "handler" as kind:
                self._is_handler = kind == "handler"
                self._printed = {}
            case "difference":
                self._printed.setdefault(data["host"], []).append(data["text"])
            case "ok" if data["changed"] and not self._is_handler:
                host, task = data["host"], data["task"]
                printed = "\n".join(self._printed.pop(host, ())).replace("\r", "")
                self.found += [Difference(host, task, path, lines) for path, lines in _by_file(printed)]
            case _:
                pass


def _by_file(printed: str) -> Iterator[tuple[str, str]]:
    """Yield each file of printed differences, with its lines. The headers name temporary files, and are left out."""
    heads = list(_HEADS.finditer(printed))
    if not heads:
        yield "", printed.strip()
        return
    ends = [*(head.start() for head in heads[1:]), len(printed)]
    for head, end in zip(heads, ends, strict=True):
        lines = printed[head.end() : end].strip("\r\n")
        named = _HEADER.search(head["before"]) or _ATTRIBUTE.search(lines)
        yield named["path"] if named else "", lines
