"""Notes the hosts that are not done when a playbook ends.

A host that went well is not done if Ansible stopped it for another one's sake (`any_errors_fatal`, `run_once`), or broke the
playbook off before a play for it, since every host of a play had failed. No event says so. Ansible names the former in its file
for a retry. The latter are those of the plays that did not begin.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: unfinished
type: notification
short_description: notes the hosts that are not done when a playbook ends
description: Writes their names to the file that CLUSTERWRIGHT_UNFINISHED names.
"""

TOLD_IN = "CLUSTERWRIGHT_UNFINISHED"
"""The variable of the environment that names the file."""


class Unfinished(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    """Counts the plays that begin, and has Ansible write its file for a retry."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "unfinished"

    def __init__(self) -> None:
        """Begin before the first play."""
        super().__init__()
        self._file = Path(os.environ[TOLD_IN])
        self._left: list[Any] = []
        self._inventory: Any = None

    def v2_playbook_on_start(self, playbook: Any) -> None:
        """Note every play, and have the file written. ansible-runner switches it off in the environment."""
        self._left = list(playbook.get_plays())
        constants.RETRY_FILES_ENABLED = True
        constants.RETRY_FILES_SAVE_PATH = str(self._file.parent)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Note that a play begins. With `serial` it begins more than once."""
        self._inventory = play.get_variable_manager()._inventory  # noqa: SLF001  Ansible has no other way to it
        uuids = [one._uuid for one in self._left]  # noqa: SLF001  nothing public tells two plays of one name apart
        uuid = play._uuid  # noqa: SLF001  as above
        if uuid in uuids:
            del self._left[: uuids.index(uuid) + 1]

    def v2_playbook_on_stats(self, stats: Any) -> None:  # noqa: ARG002  as Ansible calls it
        """Write the names. A play whose pattern only a run could fill in may be for every host."""
        names: set[str] = set()
        for retry in self._file.parent.glob("*.retry"):
            names.update(retry.read_text(encoding="utf-8").splitlines())
        for play in self._left:
            pattern = "all" if "{{" in str(play.hosts) else play.hosts
            names.update(host.name for host in self._inventory.get_hosts(pattern, ignore_restrictions=True))
        self._file.write_text(json.dumps(sorted(names)), encoding="utf-8")


CallbackModule = Unfinished
"""The name by which Ansible looks for it."""
