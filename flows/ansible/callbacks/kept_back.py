"""Notes what ansible-runner keeps back of the results of tasks.

That is whether a hidden one (`no_log`) changed its host, and to which other host a task was delegated. Without this a file with a password that differs on a host would count as in order, and a host that a run changes for others
would be named nowhere.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: kept_back
type: notification
short_description: notes whether hidden results changed their hosts, and to which hosts tasks were delegated
description: Appends a line for each such result to the file that CLUSTERWRIGHT_KEPT_BACK names.
"""

NOTED_IN = "CLUSTERWRIGHT_KEPT_BACK"
"""The variable of the environment that names the file."""


class KeptBack(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Notes what Ansible itself still says of such results."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "kept_back"

    def __init__(self) -> None:
        """Find the file."""
        super().__init__()
        self._noted_in = Path(os.environ[NOTED_IN])

    def v2_runner_on_ok(self, result: Any) -> None:
        """Note a result that is hidden, or that comes from another host than the one that is played."""
        task, said = result.task, result.result
        if "censored" in said or task.delegate_to:
            noted = {
                "host": result.host.name,
                "task": task._uuid,  # noqa: SLF001  nothing public tells two tasks of one name apart
                "changed": bool(said.get("changed")),
                "delegated_to": task.delegate_to,
            }
            with self._noted_in.open("a", encoding="utf-8") as file:
                file.write(json.dumps(noted) + "\n")


CallbackModule = KeptBack
"""The name by which Ansible looks for it."""
