"""Compares durations with their work: they grow with the quantity, and people work in shifts and not around the clock."""

from __future__ import annotations

from collections.abc import Iterator

from steps.catalog.lint.report import LintFinding
from steps.catalog.loader import Entry
from steps.catalog.schema import Step
from steps.catalog.terms import PEOPLES_WORK, SOFTWARES_WORK
from steps.planning.network.durations import is_elapsed


def duration_findings(entry: Entry) -> Iterator[LintFinding]:
    """Yield a quantity that the duration does not grow with, people's work around the clock, and mixed units of time."""
    step, duration = entry.step, entry.step.duration
    is_explained = bool(duration.once or entry.override_reason)
    if step.items is not None and duration.rate is None and not is_explained:
        message = f"takes as long for one of its {step.items.of} as for a thousand"
        yield LintFinding("duration", message, entry.place("duration"), "a `rate`, or `once` with the reason")
    if duration.rate is not None and duration.once is not None:
        yield LintFinding(
            "duration", "`once` says why there is no rate, and there is one", entry.place("duration", "once")
        )
    if step.crew.room is not None and (duration.rate is None or is_elapsed(step)):
        message = "there is no work that crews could share"
        hint = "a `rate` per crew-day or working day, or no `room`"
        yield LintFinding("duration", message, entry.place("crew", "room"), hint)
    takes_time = duration.fixed.points[1] > 0
    if is_elapsed(step) and takes_time and _is_of_people(step) and duration.around_the_clock is None:
        message = "people do it, and it goes on at night and on holidays"
        hint = "count it in crew-days or working days, or say why in `around_the_clock`"
        yield LintFinding("duration", message, entry.place("duration", "fixed"), hint)
    if duration.rate is not None and is_elapsed(step) is not ("per elapsed" in duration.rate.unit):
        yield LintFinding(
            "duration", "is counted on two calendars", entry.place("duration", "rate"), "one kind of unit"
        )


def _is_of_people(step: Step) -> bool:
    """Return whether people do the work, at least in some design: no playbook does it there."""
    by_hand = step.playbook is None or any(one.playbook is None for one in step.alternatives)
    return step.kind in PEOPLES_WORK or (step.kind in SOFTWARES_WORK and by_hand)
