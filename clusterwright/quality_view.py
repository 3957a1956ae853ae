"""The quality of a schedule, as text and as JSON."""

from __future__ import annotations

from itertools import islice

from clusterwright.output import Cells, Document, in_line, print_lines, table
from clusterwright.schedules import Judged
from schedule.quality.check import Check, Measure

SHOWN = 3
"""Offenders that are printed beside a check; --json has all."""
VALUES = {Measure.SHARE: "{:.1%}", Measure.INDEX: "{:.2f}", Measure.DAYS: "{:,.1f} d"}


def quality_document(judged: Judged) -> Document:
    """Return every check with all its offenders, and the practices that follow from them."""
    return {
        "schedule": judged.what,
        "activities": len(judged.network.activities),
        "links": len(judged.network.links),
        "checks": [_check(judged, check) for check in judged.found.checks],
        "practices": [
            {
                "number": practice.number,
                "name": practice.name,
                "verdict": verdict,
                "checks": practice.checks,
                "because": practice.because,
            }
            for practice, verdict in judged.found.practices
        ],
    }


def print_quality(judged: Judged) -> None:
    """Print the checks with their first offenders, what each failed one asks, and the practices."""
    network, found = judged.network, judged.found
    print(in_line(f"{judged.what}: {len(network.activities):,} activities, {len(network.links):,} links"))
    table(
        ("check", "what", "found", "threshold", "verdict", "offenders", ""),
        [_cells(judged, check) for check in found.checks],
    )
    print_lines(f"{check.id}: {check.asks}" for check in found.failed)
    table(
        ("", "GAO's practice", "verdict", "checks"),
        [
            (practice.number, practice.name, verdict.value, ", ".join(practice.checks) or practice.because)
            for practice, verdict in found.practices
        ],
        right=(0,),
    )


def _cells(judged: Judged, check: Check) -> Cells:
    value = "" if check.value is None else VALUES[check.unit].format(check.value)
    first = ", ".join(islice(check.offenders(judged.network), SHOWN))
    more = f" and {check.found - SHOWN:,} more" if check.found > SHOWN else ""
    return check.id, check.name, value, check.threshold, check.verdict.value, f"{first}{more}", check.because


def _check(judged: Judged, check: Check) -> Document:
    return {
        "id": check.id,
        "name": check.name,
        "asks": check.asks,
        "verdict": check.verdict,
        "value": check.value,
        "unit": check.unit,
        "threshold": check.threshold,
        "of": check.of,
        "because": check.because,
        "offenders": list(check.offenders(judged.network)),
    }
