"""Memory bandwidth: STREAM's best rate of the triad, in MB/s as STREAM prints, GB/s as the HPC Challenge does."""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

HEAD = re.compile(r"^Function\s+(?:Best )?Rate \(?(MB/s|GB/s)\)?\s", re.MULTILINE)
ROW = re.compile(r"^(Copy|Scale|Add|Triad):\s+(\d+\.\d+)\s+\d+\.\d+\s+\d+\.\d+\s+\d+\.\d+\s*$", re.MULTILINE | re.ASCII)
VALID = re.compile(r"^Solution Validates: avg error less than \S+ on all three arrays\s*$", re.MULTILINE)


def triad(handed: Handed) -> Found:
    """Give the GB/s of the triad, of a run whose arrays came out right."""
    said = handed.text("stream")
    head, rows = HEAD.findall(said), dict(ROW.findall(said))
    if len(head) != 1 or len(rows) != 4:
        handed.garbled()
    if not VALID.search(said):
        raise NotMeasuredError("STREAM did not validate its arrays")
    return Found(number(rows["Triad"]) / (1000 if head[0] == "MB/s" else 1) + Decimal(0))


TOOL = Tool("STREAM", "stream", "stream", (Metric("memory.triad_gb_s", "GB/s", triad),))
