"""What a walk may waive: the criteria of a written list, each with the verdict that is expected there and the reason. Nothing else.

A criterion that is open and not on the list, or open with another verdict than the list says, ends the walk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

OPEN = ("failed", "not measured")
EITHER = "open"
"""A verdict of a list: which of the two it is depends on the machine."""


class Waiver(NamedTuple):
    """A criterion of a step that this site cannot show, the verdict that it gets there, and why. `open` stands for either verdict."""

    step: str
    metric: str
    verdict: str
    because: str

    def __str__(self) -> str:
        """Return the criterion in words."""
        return f"{self.metric} of {self.step}"

    def covers(self, verdict: str) -> bool:
        """Return whether the list says that the criterion gets this verdict."""
        return self.verdict in {verdict, EITHER}


class Choice(NamedTuple):
    """Which open criteria of an activity are waived, and in words what may not be waived."""

    waived: tuple[Waiver, ...]
    left: tuple[str, ...]


def read_waivers(file: Path) -> tuple[Waiver, ...]:
    """Return the list. Exit with the place of the first entry that is not whole."""
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    found: dict[tuple[str, str], Waiver] = {}
    for number, entry in enumerate(entries, 1):
        where = f"{file}: entry {number}"
        if not isinstance(entry, dict) or set(entry) != set(Waiver._fields):
            raise SystemExit(f"{where}: write {', '.join(Waiver._fields)}, and nothing else")
        waiver = Waiver(**{name: str(value).strip() for name, value in entry.items()})
        if waiver.verdict not in {*OPEN, EITHER} or not waiver.because:
            raise SystemExit(f"{where}: the verdict is one of {', '.join(OPEN)} or {EITHER}, and there is a reason")
        if found.setdefault((waiver.step, waiver.metric), waiver) is not waiver:
            raise SystemExit(f"{where}: {waiver} is on the list already")
    return tuple(found.values())


def chosen(activity: dict[str, Any], waivers: Iterable[Waiver]) -> Choice:
    """Return what is waived of an activity, as `show --json` prints it. A run that failed is never waived."""
    step = activity["activity"]["step"]
    listed = {waiver.metric: waiver for waiver in waivers if waiver.step == step}
    waived = []
    last = activity["runs"][-1:]
    left = [f"its run is {run['status']}: {run['summary']}" for run in last if run["status"] != "ok"]
    for criterion in activity["criteria"]:
        if criterion["verdict"] not in OPEN:
            continue
        waiver = listed.get(criterion["metric"])
        if waiver and waiver.covers(criterion["verdict"]):
            waived.append(waiver)
        else:
            left.append(_in_words(criterion, waiver))
    if not (waived or left):
        left.append("it was checked, and nothing says what is not met")
    return Choice(tuple(waived), tuple(left))


def _in_words(criterion: dict[str, Any], waiver: Waiver | None) -> str:
    said = "{metric} {op} {value} {unit}: {verdict}".format(**criterion)
    if criterion["measured"] != criterion["verdict"]:
        said += f" ({criterion['measured']})"
    return said + (f"; the list expects {waiver.verdict!r}" if waiver else "; it is not on the list")


def met_all_the_same(activities: Iterable[dict[str, Any]], waivers: Iterable[Waiver]) -> list[Waiver]:
    """Return the listed criteria that these activities met in fact: they belong on the list no longer."""
    met = {
        (one["activity"]["step"], criterion["metric"])
        for one in activities
        for criterion in one["criteria"]
        if criterion["verdict"] == "met"
    }
    return [waiver for waiver in waivers if (waiver.step, waiver.metric) in met]
