"""Notes how each task ended on each host, and which hosts are not done at the end. No other way has all of it.

ansible-runner leaves out a result that is longer than it likes, and does not say so: the readings of that host would be lost,
and the run would be in order. It also leaves out whether a hidden result (`no_log`) changed its host, and to which other host a
task was delegated. Here texts are bounded, each says what was left out of it, and a result that cannot be kept leaves a gap.

A host that went well is not done if Ansible stopped it for another one's sake (`any_errors_fatal`, `run_once`), or broke the
playbook off before a play for it, since every host of a play had failed. No event says so. Ansible names the former in its file
for a retry. The latter are those of the plays that did not begin.

Each note is a file of the run's folder, numbered from 1. Ansible calls plugins in the order of their names: `known_secrets` has
told what it knows before a note of the same moment is there.

An output of a tool, from which metrics are read, is passed on whole or not at all: a reader would find a wrong value in a part of it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase

from flows.runs.callbacks import NOTED_IN
from flows.runs.results.failures import essence, is_missing, printed
from flows.runs.secrets.values import secrets_in
from steps.acceptance.handed import LONGEST_TEXT

DOCUMENTATION = """
name: results
type: notification
short_description: notes how each task ended on each host
description: Writes a file for each result to the folder that CLUSTERWRIGHT_RESULTS names.
"""

NOT_ON_HOST = frozenset({"add_host", "assert", "debug", "fail", "group_by", "include_vars", "pause", "set_fact"})
"""Tasks that Ansible carries out by itself. They say nothing about whether a host answers."""

RAW_FACTS = ("raw_output_results", "stress_results", "proof_results", "drift_results")
"""The facts in which roles pass on the raw output of tools. Each is a list of results of Ansible's command module."""

TOOL_KEYS = ("raw_output_tool", "stress_load", "stress_disk")
"""Under one of these keys a result names the tool that was run: the variable of the role's loop."""

_HALVES = re.compile("[\ud800-\udfff]")
"""What Ansible makes of bytes that are no UTF-8. No file can hold it."""

_UNKNOWN = "\ufffd"


class Results(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Writes a note for each event that people or the ledger need."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "results"

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(os.environ[NOTED_IN])
        self._number = 0
        self._begun: dict[tuple[str, str], float] = {}
        self._left: list[Any] = []
        self._inventory: Any = None

    def v2_playbook_on_start(self, playbook: Any) -> None:
        """Remember every play, and have the file for a retry written. ansible-runner switches it off in the environment."""
        self._left = list(playbook.get_plays())
        constants.RETRY_FILES_ENABLED = True
        constants.RETRY_FILES_SAVE_PATH = str(self._folder)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Note that a play begins. With `serial` it begins more than once."""
        self._inventory = play.get_variable_manager()._inventory  # noqa: SLF001  Ansible has no other way to it
        uuids = [_uuid(one) for one in self._left]
        if _uuid(play) in uuids:
            del self._left[: uuids.index(_uuid(play)) + 1]

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:  # noqa: ARG002  as Ansible calls it
        """Note that a task begins."""
        self._note({"event": "task", "task": _name(task)})

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        """Note that a handler begins."""
        self._note({"event": "handler", "task": _name(task)})

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """Remember when a host began a task."""
        self._begun[host.name, _uuid(task)] = time.monotonic()

    def v2_runner_on_ok(self, result: Any) -> None:
        """Note a task that went well, and the raw output of tools that it left in its host's facts."""
        task, said = result.task, result.result
        action = str(task.action).rpartition(".")[2]
        elsewhere = task.delegate_to or ""
        self._note_result(
            "ok",
            result,
            changed=bool(said.get("changed")),
            reached=action not in NOT_ON_HOST and not elsewhere,
            elsewhere=elsewhere,
            raw=raw_outputs(said.get("ansible_facts") or {}),
        )

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Note a task that failed: why, and what its program printed."""
        self._note_result("ignored" if ignore_errors else "failed", result, printed=printed(result.result))

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Note a host that could not be reached."""
        self._note_result("unreachable", result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """Note a task that was left out on a host."""
        self._note({"event": "skipped", **_on_host(result)})

    def v2_on_file_diff(self, result: Any) -> None:
        """Note what a task changes, or would change, in files."""
        said = result.result
        for one in said.get("results", (said,)) if result.task.loop else (said,):
            if one.get("diff") and one.get("changed") and (text := self._get_diff(one["diff"])):
                self._note({"event": "difference", "text": text, **_on_host(result)})

    def v2_playbook_on_stats(self, stats: Any) -> None:  # noqa: ARG002  as Ansible calls it
        """Note who is not done, and that nothing comes after this. A run whose last note is missing has lost some."""
        self._note({"event": "unfinished", "hosts": sorted(self._not_done())})
        self._note({"event": "complete"})

    def _not_done(self) -> set[str]:
        """Return the hosts that are not done. A play whose pattern only a run could fill in may be for every host."""
        names: set[str] = set()
        for retry in self._folder.glob("*.retry"):
            names.update(retry.read_text(encoding="utf-8").splitlines())
        for play in self._left:
            pattern = "all" if "{{" in str(play.hosts) else play.hosts
            names.update(host.name for host in self._inventory.get_hosts(pattern, ignore_restrictions=True))
        return names

    def _note_result(self, event: str, result: Any, **more: Any) -> None:
        said, uuid = result.result, _uuid(result.task)
        began = self._begun.pop((result.host.name, uuid), None)
        seconds = 0.0 if began is None else time.monotonic() - began
        why = {} if event == "ok" else essence(said)
        note = {"event": event, "uuid": uuid, "s": seconds, "res": why, "secrets": list(secrets_in(said))}
        self._note(note | more | _on_host(result))

    def _note(self, note: dict[str, Any]) -> None:
        """Write a note so that it is there as a whole or not at all. Where that fails, its number is missing."""
        self._number += 1
        document = json.dumps(note, ensure_ascii=False, default=str)
        unfinished = self._folder / "unfinished"
        unfinished.write_text(_HALVES.sub(_UNKNOWN, document), encoding="utf-8")
        unfinished.rename(self._folder / str(self._number))


def _on_host(result: Any) -> dict[str, str]:
    return {"host": result.host.name, "task": _name(result.task)}


def _name(task: Any) -> str:
    return str(task.name or task.action)


def _uuid(one: Any) -> str:
    return str(one._uuid)  # noqa: SLF001  nothing public tells two tasks or plays of one name apart


def raw_outputs(facts: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the output of each tool by the tool's name, from the facts of a task's result.

    Of a tool that is missing, it names the package to install.
    """
    found: dict[str, dict[str, Any]] = {}
    for result in chain.from_iterable(facts.get(fact, ()) for fact in RAW_FACTS):
        tool = next((result[key] for key in TOOL_KEYS if key in result), None)
        if tool is None or "rc" not in result:
            continue
        text = result.get("stdout", "")
        is_too_long = len(text) > LONGEST_TEXT
        found[tool["name"]] = {
            "tool": tool["argv"][0] if "argv" in tool else "fio",
            "rc": result["rc"],
            "stdout": "" if is_too_long else text,
            "left_out": len(text) if is_too_long else 0,
            "missing_package": tool["package"] if is_missing(result) else None,
        }
    return found


CallbackModule = Results
"""The name by which Ansible looks for it."""
