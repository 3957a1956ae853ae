"""Logs of burn-ins as the host's recorder writes them, and what its own program hands over of them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

RECORDER = Path(__file__).parents[2] / "playbooks/roles/burn_in/files/burn_in_recorder.py"
BEGAN = datetime(2026, 11, 20, tzinfo=UTC)
LOADED, RESTING = ("696.95", "1320"), ("74.45", "345")
"""Watts and MHz of an H100 with 700 W and 1980 MHz, multiplying matrices and at rest: captured with the recorder, 2026-11-27."""
EIGHT = {f"GPU-{n}": LOADED for n in range(8)}

Gpus = Mapping[str, tuple[str, str]]


@cache
def recorder() -> ModuleType:
    """Return the program that runs on hosts."""
    spec = importlib.util.spec_from_file_location("burn_in_recorder", RECORDER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def at(hours: float) -> str:
    """Return a time of the burn-in."""
    return (BEGAN + timedelta(hours=hours)).isoformat()


def reading(hours: float, *, boot: str = "b1", load: str = "l1", gpus: Gpus = EIGHT) -> dict[str, Any]:
    """Return a line of the log."""
    said = [
        {"uuid": uuid, "power.draw": watts, "clocks.sm": mhz, "clocks.max.sm": "1980"}
        for uuid, (watts, mhz) in gpus.items()
    ]
    temperatures = {"cpu": 60 + hours}
    return {
        "kind": "reading", "at": at(hours), "boot": boot, "load": load, "temperatures": temperatures, "gpus": said,
    }  # fmt: skip


def watched(first: float, last: float, *, every_min: int = 1, **terms: Any) -> list[dict[str, Any]]:
    """Return a reading a minute, or at other times."""
    minutes = range(0, round((last - first) * 60) + 1, every_min)
    return [reading(first + minute / 60, **terms) for minute in minutes]


def handed_over(folder: Path, entries: Iterable[Mapping[str, Any]], cut: str = "") -> str:
    """Return what the recorder hands over of a log with these entries."""
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + cut, encoding="utf-8")
    return json.dumps(recorder().summary(log))
