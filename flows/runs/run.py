"""A playbook run, seen from the engine: terms go in, events come as they happen, one result comes at the end.

Ansible reads the run's own copy of playbook and inventory, and no process of a run outlives it (`place`). Variables are passed in
a file of the run's folder and never on a command line, which every user of the machine can read.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from flows.runs.allowing.asked import not_allowed
from flows.runs.bundle.digest import why_lapsed
from flows.runs.limits.limits import Limits, plain_limits
from flows.runs.process.control_groups import join
from flows.runs.process.leftovers import remote_temp
from flows.runs.process.place import RunPlace, run_place
from flows.runs.process.spare import environment, supervisor
from flows.runs.process.sweeping import LIMITS, write_sweep
from flows.runs.results.per_host import Event, HostResult, PlaybookResult, Tally
from flows.runs.secrets.access import NOTHING, Access
from flows.threads import beside
from ledger.private import write_new
from schedule.errors import ClusterwrightError, NotSatisfiedError, UnreachableError

POLL_S = 0.2
PATIENCE_S = 5.0
ANSIBLE = "ansible-playbook"
SSH_ARGS = (
    "-C -o ControlMaster=auto -o ControlPersist=60s -o ControlPath=ssh-%C "
    "-o ServerAliveInterval=10 -o ServerAliveCountMax=3"
)
"""Ansible's own options, with two changes.

Shared connections are kept in the run's folder. They end with the run, and another run at the same time does not lose its own.
Their path is relative, since the path of a socket may have 107 bytes only. The run stops waiting for a host that has sent
nothing for 30 seconds.
"""

LAST_WORDS = "last words"
"""The event that ends the events of a run: the last line of its supervisor's errors, empty where there was none."""

MOST_PRINTED = 20_000_000
"""How many characters the log has of what programs printed that failed. Beyond this it has only the reasons."""

EventHandler = Callable[["RunEvent"], None]
GroupHandler = Callable[[int], None]
Player = Callable[["RunSpec", RunPlace, EventHandler, GroupHandler, threading.Event], PlaybookResult]
"""What runs a playbook in a place that is made: `play`, on this machine, or a team's workers."""


@dataclass(frozen=True)
class RunSpec:
    """What to run, and where. `work_dir` must not exist. The run appends to `log`. Without `limits` those of an unknown step hold.

    With `released`, nothing runs unless what Ansible would read has just this digest. With `allowed_in`, nothing runs unless this
    account has allowed that folder what decides in the inventory which code runs. `leads` are those of the activity
    (`steps.planning.activity.PlanActivity`): the hosts that serve the others; None where it is wrong on some of its hosts.
    """

    playbook: Path
    inventory: Path
    hosts: tuple[str, ...]
    extra_vars: dict[str, Any]
    work_dir: Path
    log: Path
    check: bool = False
    limits: Limits | None = None
    access: Access = NOTHING
    released: str | None = None
    allowed_in: Path | None = None
    leads: tuple[str, ...] | None = ()


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run: as the supervisor reported it, and in one sentence, if people need to know it."""

    sentence: str
    data: Event


def say(spec: RunSpec, sentence: str, on_event: EventHandler) -> None:
    """Write what the engine itself says of a run into its log, and pass it on as an event."""
    spec.log.parent.mkdir(parents=True, exist_ok=True)
    with spec.log.open("a", encoding="utf-8") as log:
        log.write(sentence + "\n")
    on_event(RunEvent(sentence, {"event": "output", "text": sentence}))


def ignore(_: object) -> None:
    """Take no notice of an event or of a process group."""


def run_playbook(
    spec: RunSpec,
    *,
    on_event: EventHandler = ignore,
    on_pgid: GroupHandler = ignore,
    cancel: threading.Event,
    player: Player | None = None,
) -> PlaybookResult:
    """Run a playbook to its end, or until it is cancelled. Raise where it does not exist, or Ansible is not installed.

    `on_event` is called for each event, `on_pgid` once with the run's process group.
    """
    with run_place(spec.playbook, spec.inventory, spec.work_dir) as place:
        return refused(spec, place) or (player or play)(spec, place, on_event, on_pgid, cancel)


def refused(spec: RunSpec, place: RunPlace) -> PlaybookResult | None:
    """Return the result of a run that may not begin, since its files are not those that were released or allowed. None where it may."""
    digest = place.tree.digest
    why = why_lapsed(spec.released, digest) if spec.released is not None else ""
    why = why or not_allowed(spec.allowed_in, place.tree.inventory, digest, is_copy=True)
    if not why:
        return None
    nothing = f"nothing was run: {why}"
    hosts = [HostResult(host, message=nothing) for host in spec.hosts]
    return PlaybookResult("cancelled", hosts, message=nothing, digest=digest)


def play(
    spec: RunSpec,
    place: RunPlace,
    on_event: EventHandler,
    on_pgid: GroupHandler,
    cancel: threading.Event,
) -> PlaybookResult:
    """Run a playbook as `run_playbook` does, in a place that is made already. A wave has a folder of its own in it."""
    spec.work_dir.mkdir(exist_ok=True, mode=0o700)
    _prepare(spec)
    result = _supervised(spec, place, on_event, on_pgid, cancel)
    result.digest = place.tree.digest
    if result.was_cut_off:
        answered = (host.host for host in result.hosts if host.status != "unreachable" and host.host in spec.hosts)
        sweep(spec, tuple(answered), on_event)
    return result


def sweep(spec: RunSpec, hosts: tuple[str, ...], on_event: EventHandler) -> None:
    """Remove what a run that was cut off has left on hosts. Say where that could not be done.

    It has a place of its own: that of a run that was stopped is gone.
    """
    folder = spec.work_dir.with_name(f"{spec.work_dir.name}-sweep")
    swept = replace(spec, hosts=hosts, work_dir=folder, log=folder / "log", extra_vars={}, check=False, limits=LIMITS)
    try:
        with run_place(spec.playbook, spec.inventory, folder) as place:
            if not_allowed(spec.allowed_in, place.tree.inventory, place.tree.digest, is_copy=True):
                raise NotSatisfiedError("the inventory was changed, and is not allowed")
            _prepare(swept)
            there = place._replace(tree=place.tree._replace(playbook=write_sweep(folder)))
            done = _supervised(swept, there, ignore, ignore, threading.Event())
        is_over = done.status in {"ok", "failed"} and not done.was_cut_off
        left = [host.host for host in done.hosts if not is_over or host.status in {"failed", "unreachable"}]
    except (ClusterwrightError, OSError):  # it is tried, and does not stand in the way of the run's own result
        left = list(hosts)
    if left:
        say(spec, f"what was being sent may be left in {remote_temp()} of {', '.join(left)}", on_event)


def _prepare(spec: RunSpec) -> None:
    """Make what a run needs in its folder."""
    _temporary(spec).mkdir(mode=0o700)
    spec.log.parent.mkdir(parents=True, exist_ok=True)
    folder = spec.work_dir / "env"
    folder.mkdir(mode=0o700)
    write_new(folder / "extravars", json.dumps(spec.extra_vars))  # from which ansible-runner reads them


def _temporary(spec: RunSpec) -> Path:
    """Return the folder for the temporary files of a run's processes on this machine. What a killed one leaves goes with the run."""
    return spec.work_dir / "tmp"


def require_ansible() -> None:
    """Raise where Ansible is not installed, so that no run could begin."""
    if shutil.which(ANSIBLE, path=environment()["PATH"]) is None:
        raise _no_ansible()


def _no_ansible() -> UnreachableError:
    return UnreachableError(
        f"no playbook can be run: {ANSIBLE} is not there, or cannot be executed",
        hint="it comes with the package ansible-core: run `make setup`, or install Clusterwright again",
    )


def _supervised(
    spec: RunSpec,
    place: RunPlace,
    on_event: EventHandler,
    on_pgid: GroupHandler,
    cancel: threading.Event,
) -> PlaybookResult:
    process = supervisor()
    assert process.stdin
    try:
        join(place.group, process.pid)
        on_pgid(process.pid)  # before it knows what to start: an engine that has lost its claim starts nothing
        process.stdin.write((json.dumps(_terms(spec, place)) + "\n").encode())
        process.stdin.flush()
        with beside(partial(_stop_when_asked, process, cancel), "stopper"):
            return collected(_reported(process), spec, on_event, cancel)
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()


def _terms(spec: RunSpec, place: RunPlace) -> dict[str, Any]:
    limits = spec.limits or plain_limits(len(spec.hosts))
    return {
        "work_dir": str(spec.work_dir),
        "remove": str(place.folder),
        "playbook": str(place.tree.playbook),
        "inventory": str(place.tree.inventory),
        "hosts": list(spec.hosts),
        "check": spec.check,
        "timeout_s": limits.time_limit_s.value,
        "vault": dict(spec.access.passwords),
        "secrets": spec.access.secrets(),
        "environment": environment() | dict(spec.access.environment),
        "env": {
            **place.tree.environment(),
            **limits.environment(),
            "ANSIBLE_HOST_KEY_CHECKING": "1",
            "ANSIBLE_SSH_ARGS": SSH_ARGS,
            "ANSIBLE_LOCAL_TEMP": str(_temporary(spec)),
            "TMPDIR": str(_temporary(spec)),
            "PWD": str(spec.work_dir),  # a task that starts Ansible itself finds the file of hosts from there
            "ANSIBLE_REMOTE_TEMP": remote_temp(),
            "ANSIBLE_PIPELINING": "1",  # a module's arguments are in no file of the host
            "ANSIBLE_PYTHON_INTERPRETER": "auto_silent",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_MODULE_STRICT_UTF8_RESPONSE": "0",  # bytes that are no UTF-8 would hide all that a tool said
        },
    }


def _stop_when_asked(process: subprocess.Popen[bytes], cancel: threading.Event, done: threading.Event) -> None:
    """When the run is cancelled, ask the supervisor to end, and leave the folder for the sweep. Kill it if it does not end."""
    while not done.wait(POLL_S):
        if cancel.is_set():
            assert process.stdin
            with contextlib.suppress(OSError):
                process.stdin.write(b"\n")
                process.stdin.close()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
            return


def _reported(process: subprocess.Popen[bytes]) -> Iterator[Event]:
    """Yield what the supervisor reports, and at its end the last line of its errors."""
    assert process.stdout
    assert process.stderr
    for line in process.stdout:
        with contextlib.suppress(ValueError):
            yield json.loads(line)
    words = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
    yield last_words("".join(words[-1:]))


def last_words(text: str) -> Event:
    """Return the event that ends the events of a run, with the reason where it broke off."""
    return {"event": LAST_WORDS, "text": text}


def collected(
    events: Iterable[Event], spec: RunSpec, on_event: EventHandler, cancel: threading.Event
) -> PlaybookResult:
    """Return the result of a run whose events these are. What people need to know is appended to its log as it comes."""
    tally, room, last_words = Tally(spec.hosts), MOST_PRINTED, ""
    with spec.log.open("a", encoding="utf-8") as log:
        for data in events:
            if data["event"] == "missing":
                raise _no_ansible()
            tally.note(data)
            sentence = _sentence(data)
            if data["event"] == LAST_WORDS:
                last_words = data["text"]
            elif data["event"] == "printed":
                room -= log.write(_printed(data) if room > 0 else "")
            elif sentence:
                log.write(sentence + "\n")
                log.flush()
            on_event(RunEvent(sentence, data))
    return tally.end(last_words=last_words, was_stopped=cancel.is_set())


def _printed(data: Event) -> str:
    """Return what the log has of a failed program's output: every line with its host, so that none looks like one of ours."""
    head = f"    {data['host']}: {data['name']}"
    return "".join(f"{head}: {line}\n" for line in data["printed"].splitlines())


def _sentence(data: Event) -> str:
    """Return what people read about an event, empty where they need nothing."""
    match data["event"]:
        case "task":
            return f"TASK {data['task']}"
        case "ok":
            return f"  {'changed' if data['changed'] else 'ok'}: {data['host']}"
        case "failed" | "unreachable" as status:
            return f"  {status}: {data['host']}: {data['message']}"
        case "ignored":
            return f"  failed, and ignored: {data['host']}: {data['message']}"
        case "skipped":
            return f"  skipped: {data['host']}"
        case "difference" | "output":
            return str(data["text"]).replace("\r", "").strip()
    return ""
