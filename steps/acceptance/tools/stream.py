"""Memory bandwidth: the best rate of STREAM's triad. STREAM prints MB/s, the HPC Challenge GB/s."""

from __future__ import annotations

import re

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

HEAD = re.compile(r"^Function\s+(?:Best )?Rate \(?(MB/s|GB/s)\)?\s", re.MULTILINE)
ROW = re.compile(r"^(Copy|Scale|Add|Triad):\s+(\d+\.\d+)\s+\d+\.\d+\s+\d+\.\d+\s+\d+\.\d+\s*$", re.MULTILINE | re.ASCII)
VALID = re.compile(r"^Solution Validates: avg error less than \S+ on all three arrays\s*$", re.MULTILINE)


def triad(handed: Handed) -> Found:
    """Return the GB/s of the triad, if the run validated its arrays."""
    said = handed.text("stream")
    head, rows = HEAD.findall(said), dict(ROW.findall(said))
    if len(head) != 1 or len(rows) != 4:
        handed.garbled()
    if not VALID.search(said):
        raise NotMeasuredError("STREAM did not validate its arrays")
    rate = number(rows["Triad"])
    return Found(rate / 1000 if head[0] == "MB/s" else rate)


TOOL = Tool("STREAM", "stream", "stream", (Metric("memory.triad_gb_s", "GB/s", triad),))
