"""Memory errors that the processors counted: edac-util -v.

A host whose kernel has no EDAC driver counts no errors; that is not a count of zero.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

ROW = re.compile(
    r"^(mc\d+): (?:(\S+): )?(?:(\S.*?): )?(\d+) (Uncorrected|Corrected) Errors(?: with no DIMM info)?$", re.ASCII
)


def _count(handed: Handed, kind: str) -> Found:
    """Count memory errors of a kind: the sum over the controllers, and the first five modules with errors."""
    lines = [line for line in handed.text("edac").splitlines() if line.strip()]
    if not lines:
        handed.garbled()
    if "No memory controller data found" in lines[0]:
        raise NotMeasuredError("the kernel has no EDAC driver for this processor")
    total, bad = Decimal(0), []
    for line in lines:
        found = ROW.fullmatch(line)
        if not found:
            handed.garbled()
        if found[5] == kind and number(found[4]):
            bad.append(f"{found[1]} {found[3] or found[2] or 'no module named'}: {found[4]}")
            total += number(found[4])
    return Found(total, "; ".join(bad[:5]))


TOOL = Tool(
    "edac-util",
    "edac",
    "edac-util -v",
    (
        Metric("memory.uncorrected", "count", partial(_count, kind="Uncorrected")),
        Metric("memory.corrected", "count", partial(_count, kind="Corrected")),
    ),
)
