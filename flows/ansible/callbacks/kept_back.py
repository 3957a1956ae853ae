"""Notes of results that are not shown (`no_log`) whether they changed their host.

ansible-runner leaves nothing of such a result. A file with a password that differs on a host would then count as in order.
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
short_description: notes whether tasks that do not show their results changed their hosts
description: Appends a line for each such result to the file that CLUSTERWRIGHT_KEPT_BACK names.
"""

NOTED_IN = "CLUSTERWRIGHT_KEPT_BACK"
"""The variable of the environment that names the file."""

KEPT = ("changed", "_ansible_delegated_vars")
"""What is noted of a result. Of the host that a task was delegated to, only that there was one."""


class KeptBack(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Notes what Ansible itself still says of a result that it does not show."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "kept_back"

    def __init__(self) -> None:
        """Find the file."""
        super().__init__()
        self._noted_in = Path(os.environ[NOTED_IN])

    def v2_runner_on_ok(self, result: Any) -> None:
        """Note a result that is not shown."""
        said = result.result
        if "censored" in said:
            kept = {key: bool(said[key]) for key in KEPT if key in said}
            task = result.task._uuid  # noqa: SLF001  nothing public tells two tasks of one name apart
            with self._noted_in.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"host": result.host.name, "task": task, "kept": kept}) + "\n")


CallbackModule = KeptBack
"""The name by which Ansible looks for it."""
