"""What roles pass on of the tools that they ran on a host, for metrics to be read from it.

An output is passed on whole or not at all: a reader would find a wrong value in a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flows.runs.results.failures import is_missing
from steps.acceptance.handed import LONGEST_TEXT

RAW_FACTS = ("raw_output_results", "stress_results", "proof_results", "drift_results")
"""The facts in which roles pass on the raw output of tools. Each is a list of results of Ansible's command module."""

TOOL_KEYS = ("raw_output_tool", "stress_load", "stress_disk")
"""Under one of these keys a result names the tool that was run: the variable of the role's loop."""


def raw_outputs(facts: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the output of each tool by the tool's name, from the facts of a task's result."""
    found: dict[str, dict[str, Any]] = {}
    for fact in RAW_FACTS:
        found.update(_of(facts.get(fact, ())))
    return found


def _of(results: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the output of each tool. Of a tool that is missing, name the package to install."""
    for result in results:
        tool = next((result[key] for key in TOOL_KEYS if key in result), None)
        if tool is None or "rc" not in result:
            continue
        printed = result.get("stdout", "")
        is_too_long = len(printed) > LONGEST_TEXT
        yield (
            tool["name"],
            {
                "tool": tool["argv"][0] if "argv" in tool else "fio",
                "rc": result["rc"],
                "stdout": "" if is_too_long else printed,
                "left_out": len(printed) if is_too_long else 0,
                "missing_package": tool["package"] if is_missing(result) else None,
            },
        )
