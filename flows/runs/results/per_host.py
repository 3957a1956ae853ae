"""How a run ended on each host, worked out from what its supervisor reports.

A host is done only if Ansible played everything for it. One that failed is not done because a task of `always` went well
afterwards. One that went well is not done where the run ended for another host's sake, or before its last play.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from flows.runs.results.failures import bounded

HostStatus = Literal["ok", "changed", "failed", "unreachable", "skipped"]
RunStatus = Literal["ok", "failed", "cancelled", "error"]
ENDED: dict[str, RunStatus] = {"successful": "ok", "canceled": "cancelled", "timeout": "failed"}
"""By ansible-runner's word for how a run ended. Every other word means that it failed."""

CUT_OFF = frozenset({"canceled", "timeout"})
"""Of these, those of a run whose tasks did not end by themselves."""

Event = dict[str, Any]
"""One line of the supervisor's output."""

FAILED = frozenset({"failed", "unreachable"})
MESSAGE = 500
"""How many characters of a host's message are kept. A fleet may have thousands of hosts."""

LOST = "some results of the run could not be kept: look whether the disk of this machine is full"

NAMED = 3
"""How many hosts a message names."""


@dataclass
class HostResult:
    """How the run ended on one host. `message` says why it failed, could not be reached, or was skipped."""

    host: str
    status: HostStatus = "skipped"
    duration_s: float = 0.0
    failed_task: str = ""
    message: str = ""
    reached: bool = False
    """Whether a task was carried out on it. A host that was unreachable from the beginning was not touched."""
    changed: bool = False

    @property
    def is_absent(self) -> bool:
        """Whether the host never answered."""
        return self.status == "unreachable" and not self.reached

    def leave_out(self, why: str) -> None:
        """Note that the host is not done, although nothing failed on it."""
        self.status, self.message = "skipped", why


@dataclass
class PlaybookResult:
    """How a run ended, and the digest of what it read. `raw` is the output of tools on each host, still to be measured.

    `elsewhere` are hosts that it changed for the sake of those that it played (`delegate_to`). `is_doubtful` is true where nobody
    knows whether its processes have ended.
    """

    status: RunStatus
    hosts: list[HostResult] = field(default_factory=list)
    raw: dict[str, dict[str, Any]] = field(default_factory=dict)
    message: str = ""
    digest: str = ""
    was_cut_off: bool = False
    elsewhere: set[str] = field(default_factory=set)
    is_doubtful: bool = False

    def add(self, other: PlaybookResult) -> None:
        """Add the result of another wave, or slice, of the same run. The worst status counts."""
        self.hosts += other.hosts
        self.raw |= other.raw
        self.elsewhere |= other.elsewhere
        self.is_doubtful |= other.is_doubtful
        self.message = other.message or self.message
        if other.status != "ok" and self.status not in {"cancelled", "error"}:
            self.status = other.status


class Tally:
    """Takes the events of a run one by one, and returns its result at the end."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self.result = PlaybookResult("error", message="the run ended without a result")
        self._hosts = {host: HostResult(host) for host in hosts}
        self._unfinished: frozenset[str] | None = None
        self._has_begun = self._is_complete = False
        self._error = ""

    def note(self, data: Event) -> None:
        """Note what an event says of a host or of the run."""
        result, name = self.result, data.get("host", "")
        # not every event is about a host
        host = self._hosts.setdefault(name, HostResult(name)) if name else HostResult("")
        self._has_begun |= bool(name) or data["event"] == "task"
        match data["event"]:
            case "ok":
                _note_ok(host, data)
                if data["changed"] and data["elsewhere"] not in {"", "localhost", *self._hosts}:
                    result.elsewhere.add(data["elsewhere"])
            case "failed" | "unreachable" as status:
                host.reached = host.reached or status == "failed"
                host.status, host.failed_task = status, data["task"]
                host.message = bounded(data["message"], MESSAGE)
            case "raw":
                result.raw.setdefault(name, {}).update(data["raw"])
            case "error":
                self._error = bounded(data["message"], MESSAGE)
            case "unfinished":
                self._unfinished = frozenset(data["hosts"])
            case "complete":
                self._is_complete = True
            case "end":
                result.status = ENDED.get(data["status"], "failed")
                result.was_cut_off = data["status"] in CUT_OFF
                result.is_doubtful = data.get("is_doubtful", False)
                result.message = _out_of_time(data["limit_s"]) if data["status"] == "timeout" else ""
            case _:
                pass

    def end(self, *, last_words: str, was_stopped: bool) -> PlaybookResult:
        """Return the result. `last_words` are the supervisor's own, of a run that broke off."""
        result = self.result
        result.hosts = list(self._hosts.values())
        if result.status == "error" and last_words:
            result.message = last_words
        if was_stopped and result.status != "ok":
            result.status, result.message, result.was_cut_off = "cancelled", "stopped", True
        if result.status == "ok" and not self._is_complete:
            result.status, result.message = "failed", LOST
        if self._unfinished is not None and self._is_complete:
            self._settle(self._unfinished)
        elif result.status != "ok":
            self._break_off()
        for host in result.hosts:
            if host.status == "skipped" and not host.message:
                host.message = (
                    "no task was carried out on it: the inventory lacks it, no play names it, or no condition held"
                )
        return result

    def _settle(self, unfinished: frozenset[str]) -> None:
        """Hold each host against what Ansible says of it at the end. What failed and was rescued is done."""
        for host in self.result.hosts:
            if host.host not in unfinished and host.status in FAILED:
                host.status = "changed" if host.changed else "ok"
                host.failed_task = host.message = ""
        why = f"not finished: {_why_ended(self.result.hosts)}"
        for host in self.result.hosts:
            if host.host in unfinished and host.status not in FAILED:
                host.leave_out(why)

    def _break_off(self) -> None:
        """Say of every host why it is not done, where the playbook came to no end: it was stopped, or cannot be read."""
        result = self.result
        if not self._has_begun:
            result.message = result.message or self._error
        why = f"{'not finished' if self._has_begun else 'not begun'}: {result.message or self._error or 'the run broke off'}"
        for host in result.hosts:
            if host.status not in FAILED:
                host.leave_out(why)


def _out_of_time(seconds: float) -> str:
    return f"it ran out of time after {seconds:,} seconds: `runs.time_limit_s` in site.yaml"


def _note_ok(host: HostResult, data: Event) -> None:
    host.duration_s += float(data["s"] or 0)
    host.reached = host.reached or data["reached"]
    host.changed = host.changed or data["changed"]
    if host.status not in FAILED:
        host.status = "changed" if host.changed else "ok"


def _why_ended(hosts: list[HostResult]) -> str:
    """Return for whose sake the run ended for other hosts too."""
    failed = [host for host in hosts if host.status in FAILED]
    if not failed:
        return "the run ended before its last play"
    names = ", ".join(host.host for host in failed[:NAMED])
    others = f" and {len(failed) - NAMED} others" if len(failed) > NAMED else ""
    return f"the run ended with {failed[0].failed_task!r} on {names}{others}"
