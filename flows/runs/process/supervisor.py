"""One Ansible run in a process group of its own: `python -m flows.runs.process.supervisor`.

The only module that imports ansible_runner. The first line of stdin holds the terms of the run; it may take long to come.
Stdin then stays open. When it ends, the parent has ended: this process ends every process that it started, removes the run's folder,
and ends. A byte before that stops the run, and leaves its folder to the parent. Events are printed to stdout, one a line, without
secrets (`flows.runs.results.words`).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import ansible_runner
import psutil

from flows.runs import callbacks
from flows.runs.bundle.copy import remove
from flows.runs.process.arguments import limit_of, vault_arguments
from flows.runs.process.leftovers import remove_temporary_files
from flows.runs.results.failures import failure, unreachable
from flows.runs.results.words import PRINTED, TEXT, Words
from ledger.machine_processes import is_alive

PATIENCE_S = 3.0
ROUNDS = 3
LOOK_S = 0.1
OF_RETRY_FILE = "to retry, use: --limit @"
"""Ansible's line about the file in which it lists the hosts that are not done. The file goes with the run."""

NOT_FOUND = 127
"""ansible-runner's exit code where there is no Ansible."""

STOPPED = 143
PR_SET_CHILD_SUBREAPER = 36

NICENESS = 5
"""What a playbook starts on this machine stands back where engine, server or worker need the processors to keep their leases."""


def main() -> int:
    """Run the playbook and report what happens. Return 0, also where the playbook fails."""
    line = sys.stdin.readline()
    if not line:  # no run needed this supervisor
        return 0
    terms = json.loads(line)
    os.environ.clear()  # the environment of now replaces that of when this process was started
    os.environ.update(terms["environment"])
    os.chdir(terms["work_dir"])  # an engine that takes over finds this process by its folder
    # Ansible's workers open sessions of their own; when their parent ends they become our children, not init's
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.nice(NICENESS)
    cut, over = threading.Event(), threading.Event()
    lifeline = (Path(terms["remove"]), cut, over)
    threading.Thread(target=_watch_lifeline, args=lifeline, daemon=True).start()
    try:
        status = _run(terms)
    finally:
        over.set()
        if cut.is_set():  # nobody listens any more: the watching thread removes the folder and ends this process
            threading.Event().wait()
    _end_started()  # a run that ran out of time leaves its workers' processes behind
    remove_temporary_files()
    if not _report({"event": "end", "status": status, "limit_s": terms["timeout_s"]}):
        threading.Event().wait()
    return 0


def _run(terms: dict[str, Any]) -> str:
    """Run the playbook. Return how it ended, in ansible-runner's words."""
    folder = Path(terms["work_dir"])
    words = Words(folder, Path(terms["inventory"]), terms["hosts"], terms["secrets"])
    sys.excepthook = partial(_last_words, words)
    late, over = threading.Event(), threading.Event()
    threading.Thread(target=_end_when_late, args=(terms["timeout_s"], late, over), daemon=True).start()
    result = ansible_runner.run(
        private_data_dir=terms["work_dir"],
        playbook=terms["playbook"],
        inventory=terms["inventory"],
        limit=limit_of(terms["hosts"], folder),
        cmdline=f"{vault_arguments(terms['vault'], folder)} {'--check --diff' if terms['check'] else ''}".strip()
        or None,
        envvars=terms["env"] | _for_plugins(words),
        quiet=True,
        suppress_env_files=True,
        event_handler=partial(_on_event, words),
    )
    over.set()
    _on_event(words, {})  # nothing comes after the last one
    if result.rc == NOT_FOUND:  # Ansible's own exit codes are smaller
        _report({"event": "missing"})
    return "timeout" if late.is_set() and result.status != "successful" else str(result.status)


def _for_plugins(words: Words) -> dict[str, str]:
    """Return the variables by which Ansible finds our plugins, and they find their files."""
    return {
        "ANSIBLE_CALLBACK_PLUGINS": callbacks.__path__[0],
        callbacks.TOLD_IN: str(words.told_in),
        callbacks.NOTED_IN: str(words.noted_in),
        "ANSIBLE_STDOUT_CALLBACK": "quiet",
        "RUNNER_OMIT_EVENTS": "True",  # results come from our plugin alone: ansible-runner leaves out long ones
    }


def _end_when_late(seconds: float, late: threading.Event, over: threading.Event) -> None:
    """End the run when its time is over. ansible-runner would go by the machine's clock, which may be put forward meanwhile."""
    if not over.wait(seconds):
        late.set()
        while not over.wait(LOOK_S):  # Ansible may be about to start another process
            _end_started()


def _last_words(words: Words, kind: type[BaseException], error: BaseException, _: object) -> None:
    """Print why this process breaks off, without secrets and without the lines of code that Python would show."""
    sys.stderr.write(words.text(f"{kind.__name__}: {error}") + "\n")


def _on_event(words: Words, event: dict[str, Any]) -> bool:
    """Report what Ansible printed in the event before this one, and what the plugin `results` has noted until then.

    Return False, so that ansible-runner keeps nothing of this one.
    """
    known = words.before(event)
    if known is not None:
        for note in words.notes():
            _report_note(words, note)
        if known.get("event") in PRINTED:
            _report_printed(words.text(str(known.get("stdout", ""))))
    return False


def _report_note(words: Words, note: dict[str, Any]) -> None:
    """Report what people and the ledger need of a note about a task."""

    def report(said: dict[str, Any]) -> None:
        _report(words.without_secrets(said))

    on_host = {"host": note.get("host", ""), "task": note.get("task", "")}
    match note["event"]:
        case "ok":
            passed_on = ("event", "changed", "reached", "elsewhere", "s")
            report({name: note[name] for name in passed_on} | on_host)
            if raw := note["raw"]:
                report({"event": "raw", "host": on_host["host"], "raw": raw})
        case "failed" | "ignored" as kind:
            why = _given_up(words.noted_in / callbacks.HANGING, note) or failure(note["res"], words.text)
            report({"event": kind, "message": why, **on_host})
            for name, text in note["printed"].items():
                report({"event": "printed", "name": name, "printed": text, **on_host})
        case "unreachable":
            report({"event": "unreachable", "message": unreachable(note["res"], words.text), **on_host})
        case "unfinished":
            names = [words.without_secrets({"host": name})["host"] for name in note["hosts"]]
            _report(note | {"hosts": names})
        case _:
            report(note)


def _given_up(file: Path, note: dict[str, Any]) -> str:
    """Return why a host was given up before its task was out of time, as a file has it. Empty where it was not."""
    if not (note["res"].keys() & {"timedout", "censored"} and file.exists()):
        return ""
    lines = map(json.loads, reversed(file.read_text(encoding="utf-8").splitlines()))
    noted = next((one for one in lines if (one["host"], one["task"]) == (note["host"], note["uuid"])), None)
    if noted is None:
        return ""
    return (
        f"it hung, and was given up: nothing for {noted['silent_s']:.0f} seconds, while {noted['others']} hosts had ended this task,"
        f" the slowest after {noted['slowest_s']:.0f} seconds (`runs.hang_after_s` in site.yaml)"
    )


def _report_printed(text: str) -> None:
    """Report the lines that Ansible printed, without secrets. It prints an error, and where it is, when it cannot begin at all."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(callbacks.ERROR):
            said = " ".join(lines[number : number + 2]).removeprefix(callbacks.ERROR)
            _report({"event": "error", "message": said[:TEXT]})
        if not line.lstrip().startswith(OF_RETRY_FILE):
            _report({"event": "output", "text": line[:TEXT]})


def _report(event: dict[str, Any]) -> bool:
    """Print an event. Return False where nobody reads any more: the watching thread then ends this process."""
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return False
    return True


def _watch_lifeline(folder: Path, cut: threading.Event, over: threading.Event) -> None:
    """Wait for a byte, or the end of stdin. Then end every process that was started, and this one.

    Without a byte the parent may have ended: the folder, which holds the variables in clear text, is removed by nobody else then.
    """
    is_stopped = os.read(sys.stdin.fileno(), 1)  # not buffered: a lock on stdin would disturb the interpreter's own end
    cut.set()
    deadline = time.monotonic() + PATIENCE_S
    _end_started()
    # ansible_runner may be about to start Ansible, and it writes to the folder until Ansible has ended
    while not over.wait(LOOK_S) and time.monotonic() < deadline:
        _end_started()
    _end_started()
    remove_temporary_files()
    if not is_stopped:
        remove(folder)
    os._exit(STOPPED)


def _end_started() -> None:
    """End every descendant. The first round asks them to end (SIGTERM), the next ones kill those that are left."""
    number = signal.SIGTERM
    for _ in range(ROUNDS):
        started = [p for p in psutil.Process().children(recursive=True) if is_alive(p.pid)]
        if not started:
            return
        for process in started:
            with contextlib.suppress(psutil.Error):  # it has ended, or is another account's
                process.send_signal(number)
        # only looked at: who started a process waits for it, and would not find its exit code if this thread had taken it
        deadline = time.monotonic() + PATIENCE_S / ROUNDS
        while any(is_alive(p.pid) for p in started) and time.monotonic() < deadline:
            time.sleep(LOOK_S)
        number = signal.SIGKILL


if __name__ == "__main__":
    sys.exit(main())
