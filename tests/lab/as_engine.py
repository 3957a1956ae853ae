"""A step played on a lab as the engine plays it, and what its outputs say."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from flows.runs.run import RunSpec, run_playbook
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from tests.acceptance.handing import steps_that_read
from tests.lab.lab import Lab
from tests.lab.playing import FOLDER, find

Readings = dict[str, dict[str, Measured]]
"""What was measured, by metric and host."""


def measured(
    lab: Lab, step: str, hosts: Sequence[str], folder: Path, beside: dict[str, Any], **variables: Any
) -> Readings:
    """Play a step on some hosts, with more of the inventory's group `all` beside the lab's. Return all that it measures."""
    inventory = folder / "inventory"
    inventory.mkdir(parents=True)
    (inventory / "lab.yml").write_text(lab.inventory.read_text(encoding="utf-8"), encoding="utf-8")
    (inventory / "more.yml").write_text(yaml.safe_dump({"all": beside}), encoding="utf-8")
    result = run_playbook(
        RunSpec(
            playbook=FOLDER / find(step),
            inventory=inventory,
            hosts=tuple(hosts),
            extra_vars=variables,
            work_dir=folder / "work",
            log=folder / "log",
        ),
        on_event=lambda _: None,
        on_pgid=lambda _: None,
        cancel=threading.Event(),
    )
    assert result.status == "ok", (result.message, result.hosts)
    found: Readings = {}
    for host, raw in result.raw.items():
        for reading in measure(steps_that_read()[step], host, raw, {}, today=date(2026, 11, 27)):
            found.setdefault(reading.metric, {})[host] = reading
    return found
