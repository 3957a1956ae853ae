"""Reads metrics from the raw outputs that a playbook handed over.

A metric that cannot be read has the value None and a note that says why. The ledger judges the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import GARBLED, Found, Handed, NotMeasuredError, RawOutputs
from steps.acceptance.measured import Measured
from steps.acceptance.metric import Metric
from steps.acceptance.readers import READERS
from steps.acceptance.theory import share_of_best
from steps.value import is_bounded


def measure(
    metrics: Iterable[str],
    host: str,
    raw: RawOutputs,
    design: Mapping[str, Any],
    *,
    today: date,
) -> list[Measured]:
    """Return each of these metrics once for one host; a metric without a reader is left out, as a person reads it.

    `today` dates the age of firmware.
    """
    readers = [READERS[name] for name in dict.fromkeys(metrics) if name in READERS]
    return [measured(reader, host, raw, design, today) for reader in readers]


def measured(
    metric: Metric,
    host: str,
    raw: RawOutputs,
    design: Mapping[str, Any],
    today: date,
) -> Measured:
    """Return one metric of one host. Outputs that are absent or garbled make it `not measured`; they never raise."""
    handed = Handed(raw, design, today)
    try:
        found = _bounded(metric.read(handed))
    except NotMeasuredError as error:
        note = str(error)
    except GARBLED:
        note = f"the output of {handed.tool} does not parse"
    else:
        share = share_of_best(metric.name, found.value, design)
        note = "; ".join(filter(None, (share, found.note)))
        return Measured(metric.name, found.value, metric.unit, host, handed.tool, note)
    return Measured(metric.name, None, metric.unit, host, handed.tool, f"not measured: {note}")


def _bounded(found: Found) -> Found:
    """Return what was read. Raise for a number that is out of bounds."""
    if isinstance(found.value, Decimal) and not is_bounded(found.value):
        raise NotMeasuredError("no instrument shows such a number")
    return found
