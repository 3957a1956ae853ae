"""A playbook run, seen from the engine: terms in, events as they come, one result.

The run's folder is private and removed afterwards: it holds the variables in clear. They travel in a file of it and never on
a command line, which every user of the machine can read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from flows.ansible.spare import environment, supervisor
from steps.errors import UnreachableError

HostStatus = Literal["ok", "changed", "failed", "unreachable", "skipped"]
POLL_S = 0.2
PATIENCE_S = 5.0
TIMEOUT_S = 3600
ANSIBLE = "ansible-playbook"
SSH_ARGS = (
    "-C -o ControlMaster=auto -o ControlPersist=60s -o ControlPath=ssh-%C "
    "-o ServerAliveInterval=10 -o ServerAliveCountMax=3"
)
"""Ansible's own, and two things more.

Connections are shared within the run's folder alone: they end with the run, and another run at the same time must not lose its
own with them. The path is relative, as a socket's may have 107 bytes. A host that falls silent in the middle of a task is given up
after half a minute.
"""


@dataclass(frozen=True)
class RunSpec:
    """What to run where; `work_dir` must not exist, `log` is appended to."""

    playbook: Path
    inventory: Path
    hosts: tuple[str, ...]
    extra_vars: dict[str, Any]
    work_dir: Path
    log: Path
    check: bool = False
    timeout_s: int = TIMEOUT_S


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run, in one sentence, and as the supervisor said it."""

    sentence: str
    data: dict[str, Any]


@dataclass
class HostResult:
    """What became of one host."""

    host: str
    status: HostStatus = "skipped"
    duration_s: float = 0.0
    failed_task: str = ""


@dataclass
class PlaybookResult:
    """What became of a run; `raw` is what each host handed over to be measured."""

    status: Literal["ok", "failed", "cancelled", "error"]
    hosts: list[HostResult] = field(default_factory=list)
    raw: dict[str, dict[str, Any]] = field(default_factory=dict)
    message: str = ""


def run_playbook(
    spec: RunSpec,
    *,
    on_event: Callable[[RunEvent], None],
    on_pgid: Callable[[int], None],
    cancel: threading.Event,
) -> PlaybookResult:
    """Run a playbook to its end, or until it is cancelled."""
    if not spec.playbook.exists():
        raise UnreachableError(f"the playbook {spec.playbook} does not exist")
    spec.work_dir.mkdir(parents=True, mode=0o700)
    spec.log.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write_extra_vars(spec)
        return _supervised(spec, on_event, on_pgid, cancel)
    finally:
        shutil.rmtree(spec.work_dir, ignore_errors=True)


def require_ansible() -> None:
    """Refuse where no run could begin."""
    if shutil.which(ANSIBLE, path=environment()["PATH"]) is None:
        raise _no_ansible(ANSIBLE)


def _no_ansible(program: str) -> UnreachableError:
    return UnreachableError(
        f"no playbook can be run: {program} is not there, or cannot be executed",
        hint="the package ansible-core brings it: `make setup`, or install Clusterwright again",
    )


def _write_extra_vars(spec: RunSpec) -> None:
    """Write them where ansible-runner looks for them."""
    folder = spec.work_dir / "env"
    folder.mkdir(mode=0o700)
    handle = os.open(folder / "extravars", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(spec.extra_vars, file)


def _supervised(
    spec: RunSpec, on_event: Callable[[RunEvent], None], on_pgid: Callable[[int], None], cancel: threading.Event
) -> PlaybookResult:
    process = supervisor()
    assert process.stdin
    process.stdin.write((json.dumps(_terms(spec)) + "\n").encode())
    process.stdin.flush()
    on_pgid(process.pid)
    done = threading.Event()
    stopper = threading.Thread(target=_stop_when_asked, args=(process, cancel, done), daemon=True)
    stopper.start()
    try:
        result = _collected(process, spec, on_event)
    finally:
        done.set()
        stopper.join()
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()
    if cancel.is_set() and result.status != "ok":
        result.status, result.message = "cancelled", "stopped"
    return result


def _terms(spec: RunSpec) -> dict[str, Any]:
    return {
        "work_dir": str(spec.work_dir),
        "playbook": str(spec.playbook),
        "inventory": str(spec.inventory.resolve()),
        "hosts": list(spec.hosts),
        "check": spec.check,
        "timeout_s": spec.timeout_s,
        "environment": environment(),
        "env": {
            "ANSIBLE_ROLES_PATH": str(spec.playbook.parent.parent / "roles"),
            "ANSIBLE_RETRY_FILES_ENABLED": "0",
            "ANSIBLE_HOST_KEY_CHECKING": "1",
            "ANSIBLE_SSH_ARGS": SSH_ARGS,
            "ANSIBLE_LOCAL_TEMP": str(spec.work_dir / "tmp"),
            "ANSIBLE_PYTHON_INTERPRETER": "auto_silent",
            "ANSIBLE_NOCOLOR": "1",
        },
    }


def _stop_when_asked(process: subprocess.Popen[bytes], cancel: threading.Event, done: threading.Event) -> None:
    """When the run is cancelled, cut its lifeline; a supervisor that does not end is killed."""
    while not done.wait(POLL_S):
        if cancel.is_set():
            assert process.stdin
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
            return


def _collected(process: subprocess.Popen[bytes], spec: RunSpec, on_event: Callable[[RunEvent], None]) -> PlaybookResult:
    """Read events until the supervisor is done; a supervisor that dies without a word is an error."""
    hosts = {host: HostResult(host) for host in spec.hosts}
    result = PlaybookResult("error", message="the run ended without a result")
    assert process.stdout
    assert process.stderr
    with spec.log.open("a", encoding="utf-8") as log:
        for line in process.stdout:
            try:
                data = json.loads(line)
            except ValueError:
                continue
            if sentence := _noted(data, hosts, result):
                log.write(sentence + "\n")
                log.flush()
                on_event(RunEvent(sentence, data))
    words = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
    if result.status == "error" and words:
        result.message = words[-1]
    result.hosts = list(hosts.values())
    return result


def _noted(data: dict[str, Any], hosts: dict[str, HostResult], result: PlaybookResult) -> str:
    """Take one event in; give its sentence, empty where people need none."""
    name = data.get("host", "")
    host = hosts.setdefault(name, HostResult(name)) if name else None
    match data["event"]:
        case "task":
            return f"TASK {data['task']}"
        case "ok":
            assert host
            host.duration_s += float(data["s"] or 0)
            host.status = "changed" if data["changed"] or host.status == "changed" else "ok"
            return f"  {'changed' if data['changed'] else 'ok'}: {name}"
        case "failed" | "unreachable" as status:
            assert host
            host.status, host.failed_task = status, data["task"]
            return f"  {status}: {name}: {data['message']}"
        case "ignored":
            return f"  failed, and it does not matter: {name}: {data['message']}"
        case "skipped":
            return f"  skipped: {name}"
        case "raw":
            result.raw.setdefault(name, {}).update(data["raw"])
            return ""
        case "difference":
            return str(data["text"]).replace("\r", "").strip()
        case "output":
            return str(data["text"]).strip()
        case "missing":
            raise _no_ansible(data["program"])
        case "end":
            ended = {"successful": "ok", "canceled": "cancelled", "timeout": "failed"}
            result.status = ended.get(data["status"], "failed")  # type: ignore[assignment]  # values of the field
            result.message = "it ran out of time" if data["status"] == "timeout" else ""
            return ""
    return ""
