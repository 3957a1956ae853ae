"""The kernel's log since boot: hardware errors, and processes killed because memory ran out.

A count of zero is measured only if the log reaches back to the boot. A ring buffer that has wrapped, or a log that the user
may not read, is not measured.
"""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError

BOOT = "Linux version "
HARDWARE = re.compile(
    r"\[Hardware Error\]"  # machine checks and what firmware reports (APEI)
    r"|EDAC \S+: \d+ [CU]E\b"  # memory errors, corrected or not
    r"|PCIe Bus Error: severity="
    r"|AER: .*\b(?:Corrected|Uncorrect(?:ed|able)|Fatal|Non-Fatal)\b.*(?:error|received)"
    r"|NVRM: Xid .*: (?:48|63|64|74|79|92|94|95),",  # ECC, row remapping, NVLink, off the bus, contained errors
    re.IGNORECASE,
)
OOM = re.compile(r"out of memory: kill(?:ed)? process", re.IGNORECASE)
QUOTED = 120


def lines_of(handed: Handed, pattern: re.Pattern[str]) -> Found:
    """Count the lines of the log with hardware errors, or with processes that were killed because memory ran out."""
    log = handed.text("kernel_log").splitlines()
    found = [line.strip() for line in log if pattern.search(line)]
    if not found and not any(BOOT in line for line in log[:5]):
        raise NotMeasuredError("the kernel log does not reach back to the boot, or is readable by root only")
    return Found(Decimal(len(found)), found[0][:QUOTED] if found else "")
