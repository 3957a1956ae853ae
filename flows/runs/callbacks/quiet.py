"""Prints no results: they are noted by the plugin `results`, and nobody reads them from Ansible's terminal.

What a command printed would be printed again, encoded. For 60 MB of it that takes minutes and hundreds of MB of memory.
"""

from __future__ import annotations

from typing import Any

from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = """
name: quiet
type: stdout
short_description: Ansible's own output, without results
description: Prints what the plugin `default` prints, and nothing of what tasks return.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
"""


class Quiet(Default):  # type: ignore[misc]  # Ansible has no types
    """Ansible's own output, without results."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "quiet"

    def _dump_results(self, *_: Any, **__: Any) -> str:
        """Return nothing in place of a result."""
        return ""

    def v2_on_file_diff(self, result: Any) -> None:
        """Print nothing. The plugin `results` notes differences."""


CallbackModule = Quiet
"""The name by which Ansible looks for it."""
