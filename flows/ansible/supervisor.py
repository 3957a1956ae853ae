"""One Ansible run in a process group of its own: `python -m flows.ansible.supervisor`.

The only module that imports ansible_runner. The first line of stdin is the run's terms, and may be long in coming; stdin
then stays open as a lifeline. When it ends, the parent is gone or wants an end, and this process ends all it has started and
itself. What happens goes to stdout, an event a line.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import ansible_runner
import psutil

PATIENCE_S = 3.0
ROUNDS = 3
LOOK_S = 0.1
RAW_FACTS = ("raw_output_results", "stress_results", "proof_results", "drift_results")
"""Facts in which the roles hand raw output over; each is a list of what Ansible's command module returned."""
NOT_FOUND = 127
STOPPED = 143
PR_SET_CHILD_SUBREAPER = 36


def main() -> int:
    """Run the playbook and report; give 0 where Ansible could be run at all."""
    line = sys.stdin.readline()
    if not line:  # nobody needed us
        return 0
    terms = json.loads(line)
    os.environ.clear()  # as it is now, not as it was when we were started ahead
    os.environ.update(terms["environment"])
    os.chdir(terms["work_dir"])  # by which whoever takes over knows us
    # Ansible's workers open sessions of their own; when their parent dies they become our children, not init's
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    cut, over = threading.Event(), threading.Event()
    threading.Thread(target=_watch_lifeline, args=(terms["work_dir"], cut, over), daemon=True).start()
    try:
        status = _run(terms)
    finally:
        over.set()
        if cut.is_set():  # nobody listens; the watcher removes the folder and ends us
            threading.Event().wait()
    _end_started()  # a run out of time leaves its workers' processes behind
    if not _say({"event": "end", "status": status}):
        threading.Event().wait()
    return 0


def _run(terms: dict[str, Any]) -> str:
    """Run the playbook; give how it ended."""
    result = ansible_runner.run(
        private_data_dir=terms["work_dir"],
        playbook=terms["playbook"],
        inventory=terms["inventory"],
        limit=",".join(terms["hosts"]) or None,
        cmdline="--check --diff" if terms["check"] else None,
        envvars=terms["env"],
        quiet=True,
        suppress_env_files=True,
        event_handler=_report,
        timeout=terms["timeout_s"],
    )
    if result.rc == NOT_FOUND:  # Ansible's own exit codes end below
        _say({"event": "missing", "program": "ansible-playbook"})
    return str(result.status)


def _report(event: dict[str, Any]) -> bool:
    """Pass on what people and the ledger need of an Ansible event; keep none of it in memory."""
    data = event.get("event_data", {})
    host, task = data.get("host", ""), data.get("task", "")
    match event.get("event"):
        case "playbook_on_task_start":
            _say({"event": "task", "task": task})
        case "runner_on_ok":
            result = data.get("res", {})
            facts = result.get("ansible_facts", {}) if isinstance(result, dict) else {}
            raw = {name: said for fact in RAW_FACTS for name, said in _raw(facts.get(fact, ()))}
            changed = bool(result.get("changed")) if isinstance(result, dict) else False
            _say({"event": "ok", "host": host, "task": task, "changed": changed, "s": data.get("duration", 0)})
            if raw:
                _say({"event": "raw", "host": host, "raw": raw})
        case "runner_on_failed":
            ignored = bool(data.get("ignore_errors"))
            message = _failure(data.get("res", {}))[:2000]
            _say({"event": "ignored" if ignored else "failed", "host": host, "task": task, "message": message})
        case "runner_on_unreachable":
            message = str(data.get("res", {}).get("msg", ""))[:2000]
            _say({"event": "unreachable", "host": host, "task": task, "message": message})
        case "runner_on_skipped":
            _say({"event": "skipped", "host": host, "task": task})
        case "runner_on_file_diff":
            _say({"event": "difference", "host": host, "text": str(event.get("stdout", ""))})
        case "error" | "verbose" | "system_warning":
            _say({"event": "output", "text": str(event.get("stdout", ""))[:2000]})
        case _:
            pass
    return False


def _failure(result: dict[str, Any]) -> str:
    """Give why a task failed; a program that the host lacks is named, since Ansible only says that something went wrong."""
    message, command = str(result.get("msg", "")), result.get("cmd") or ""
    shell_says = str(result.get("stderr", "")).strip().splitlines()
    if result.get("rc") == NOT_FOUND and shell_says:
        return f"a program is not installed on this host: {shell_says[-1]}"
    if _is_missing(result) and command:
        program = command.split()[0] if isinstance(command, str) else command[0]
        return f"{program} is not installed on this host, or is not for its user to run"
    return message


def _is_missing(result: dict[str, Any]) -> bool:
    """Whether a command did not run because its program was not there."""
    return result.get("rc") == NOT_FOUND or "Error executing command" in str(result.get("msg", ""))


def _raw(results: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each tool's output by name; a tool that is not there says what to install instead."""
    for result in results:
        tool = next((result[k] for k in ("raw_output_tool", "stress_load", "stress_disk") if k in result), None)
        if tool is None or "rc" not in result:
            continue
        yield (
            tool["name"],
            {
                "tool": tool["argv"][0] if "argv" in tool else "fio",
                "rc": result["rc"],
                "stdout": result.get("stdout", ""),
                "missing_package": tool["package"] if _is_missing(result) else None,
            },
        )


def _say(event: dict[str, Any]) -> bool:
    """Say it; give whether anyone could hear. A parent that is gone is the watcher's to deal with."""
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return False
    return True


def _watch_lifeline(work_dir: str, cut: threading.Event, over: threading.Event) -> None:
    """Wait for the end of stdin; then end all this process has started, its folder, and itself."""
    while os.read(sys.stdin.fileno(), 1):  # unbuffered: a lock on stdin would break the interpreter's own end
        pass
    cut.set()
    deadline = time.monotonic() + PATIENCE_S
    _end_started()
    # ansible_runner may be about to start Ansible, and writes into the folder until it has seen its end
    while not over.wait(LOOK_S) and time.monotonic() < deadline:
        _end_started()
    _end_started()
    shutil.rmtree(work_dir, ignore_errors=True)  # it has the variables in clear, and nobody else is left to do it
    os._exit(STOPPED)


def _end_started() -> None:
    """End every descendant: politely, then for certain, until none is left."""
    number = signal.SIGTERM
    for _ in range(ROUNDS):
        started = [p for p in psutil.Process().children(recursive=True) if _is_alive(p)]
        if not started:
            return
        for process in started:
            _signal(process, number)
        psutil.wait_procs(started, PATIENCE_S / ROUNDS)
        number = signal.SIGKILL


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)


if __name__ == "__main__":
    sys.exit(main())
