"""NVIDIA's Xid numbers: what each means, whether hardware causes it, and what is done.

A number that is not listed is `monitor`, with the advice to look it up: a new driver may report new numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from steps.acceptance.severity import Severity

CATALOGUE = "NVIDIA Xid catalogue (docs.nvidia.com/deploy/xid-errors)"
RETIREMENT = "NVIDIA dynamic page retirement and row remapping guides"
CHECKS = "AWS and Azure node health checks"
ASSUMED = "assumption, on NVIDIA's description"


class Xid(NamedTuple):
    """One number: its meaning, whether hardware may be to blame, severity and source."""

    number: int
    meaning: str
    hardware: bool
    severity: Severity
    source: str


XIDS = {
    xid.number: xid
    for xid in (
        Xid(8, "the GPU stopped working on a program", False, Severity.MONITOR, CATALOGUE),
        Xid(13, "graphics engine exception, mostly a program's error", False, Severity.MONITOR, CATALOGUE),
        Xid(31, "memory page fault, mostly a program's error", False, Severity.MONITOR, CATALOGUE),
        Xid(32, "corrupted command stream: program, driver or PCI Express", True, Severity.RESET, ASSUMED),
        Xid(38, "driver firmware error", False, Severity.RESET, ASSUMED),
        Xid(43, "a program's channel was reset", False, Severity.MONITOR, CATALOGUE),
        Xid(45, "a program was ended, often after another Xid", False, Severity.MONITOR, CATALOGUE),
        Xid(46, "the GPU does not answer its driver", True, Severity.RESET, CATALOGUE),
        Xid(48, "uncorrectable double-bit memory error", True, Severity.RESET, f"{RETIREMENT}; {CHECKS}"),
        Xid(54, "auxiliary power is missing", True, Severity.REPLACE, f"{CATALOGUE}: check the mechanics"),
        Xid(61, "internal micro-controller warning", True, Severity.RESET, ASSUMED),
        Xid(62, "internal micro-controller halt", True, Severity.RESET, f"{CATALOGUE}; {CHECKS}"),
        Xid(63, "a row or page was marked to be remapped", True, Severity.MONITOR, f"{RETIREMENT}: takes effect at the next reset"),
        Xid(64, "a row or page could not be remapped", True, Severity.REPLACE, f"{RETIREMENT}; {CHECKS}"),
        Xid(68, "video processor exception", False, Severity.MONITOR, CATALOGUE),
        Xid(69, "graphics engine class error, mostly a program's error", False, Severity.MONITOR, CATALOGUE),
        Xid(74, "NVLink error", True, Severity.RESET, f"{CATALOGUE}; {CHECKS}"),
        Xid(79, "the GPU has fallen off the bus", True, Severity.REBOOT, f"{CATALOGUE}; {CHECKS}"),
        Xid(92, "high rate of corrected memory errors", True, Severity.MONITOR, CATALOGUE),
        Xid(94, "contained memory error: one program ended", True, Severity.RESET, f"{CATALOGUE}; a reset remaps the row"),
        Xid(95, "uncontained memory error", True, Severity.RESET, f"{CATALOGUE}; {CHECKS}"),
        Xid(109, "a context switch timed out", False, Severity.RESET, ASSUMED),
        Xid(110, "security fault", True, Severity.REBOOT, ASSUMED),
        Xid(119, "the GPU's system processor does not answer", True, Severity.RESET, f"{CATALOGUE}; {CHECKS}"),
        Xid(120, "error in the GPU's system processor", True, Severity.RESET, CATALOGUE),
        Xid(121, "corrected error of the link between processor and GPU", True, Severity.MONITOR, CATALOGUE),
        Xid(123, "power management unit does not answer", True, Severity.RESET, ASSUMED),
        Xid(136, "link training of the baseboard failed", True, Severity.RESET, ASSUMED),
        Xid(137, "remote NVLink access fault, mostly a program's error", False, Severity.MONITOR, CATALOGUE),
        Xid(140, "unrecovered memory error", True, Severity.RESET, CATALOGUE),
        Xid(143, "GPU could not start", True, Severity.REBOOT, ASSUMED),
        Xid(145, "NVLink remote link error", True, Severity.RESET, CATALOGUE),
        Xid(149, "NVLink network link error", True, Severity.RESET, CATALOGUE),
        Xid(154, "the GPU asks for a reset, a reboot or service", True, Severity.RESET, f"{CATALOGUE}: the line says which"),
    )
}  # fmt: skip


def xid(number: int) -> Xid:
    """Return what is known of a number; an unknown number is watched and has to be looked up."""
    return XIDS.get(number) or Xid(number, "not in this table: look it up", True, Severity.MONITOR, CATALOGUE)
