"""A step played on a lab as the engine plays it, and what its outputs say."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from flows.runs.run import RunSpec, run_playbook
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from steps.design.design import design_of_preset
from steps.planning.planner import playbook_of
from tests.acceptance.handing import steps_that_read
from tests.lab.lab import Lab
from tests.lab.playing import FOLDER
from tests.lab.reaching import broken
from tests.shipped import shipped_catalog

Readings = dict[str, dict[str, Measured]]
"""What was measured, by metric and host."""


class Reader:
    """What steps find on a lab."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self._folder = folder
        self._number = count()

    def measured(self, step: str, *hosts: str, **variables: Any) -> dict[str, dict[str, tuple[Any, str]]]:
        """Play a step on some hosts. Return what it finds by metric and host: the value, None if not measured, and the note."""
        found = measured(self.lab, step, hosts, self._folder / str(next(self._number)), {}, **variables)
        return {name: {host: (one.value, one.note) for host, one in by_host.items()} for name, by_host in found.items()}

    def read(self, step: str, metric: str, *hosts: str, **variables: Any) -> dict[str, tuple[Any, str]]:
        """Play a step on some hosts. Return what it finds of one metric, by host."""
        return self.measured(step, *hosts, **variables)[metric]

    def on_management(self, step: str, metric: str, **variables: Any) -> tuple[Any, str]:
        """Play a step on the management host. Return the value that it finds of a metric there, and the note."""
        return self.read(step, metric, "mgmt", **variables)["mgmt"]

    def broken(self, host: str, by: str, right_by: str) -> AbstractContextManager[None]:
        """Break something on a host by a command, and put it right by another whatever happens."""
        return broken(self.lab, by, right_by, host)


def measured(
    lab: Lab, step: str, hosts: Sequence[str], folder: Path, beside: dict[str, Any], **variables: Any
) -> Readings:
    """Play a step on some hosts, with more of the inventory's group `all` beside the lab's. Return all that it measures."""
    fabric = lab.topology.infiniband
    design = design_of_preset((fabric and fabric.preset) or "lab")
    playbook = playbook_of(shipped_catalog()[step].step, design.site.values)
    assert playbook, f"step {step} has no playbook"
    inventory = folder / "inventory"
    inventory.mkdir(parents=True)
    (inventory / "lab.yml").write_text(lab.inventory.read_text(encoding="utf-8"), encoding="utf-8")
    (inventory / "more.yml").write_text(yaml.safe_dump({"all": beside}), encoding="utf-8")
    result = run_playbook(
        RunSpec(
            playbook=FOLDER / playbook,
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
