"""Linpack: HPL.out, which the HPC Challenge and NVIDIA's container print in the same form, and HPL-MxP.

A run in which a residual check failed has computed wrong results, whatever its speed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

ROW = re.compile(
    r"^\s*W[RC]\w+\s+(\d+)\s+\d+\s+\d+\s+\d+\s+\d+\.\d+\s+(\d\.\d{2,4}e[+-]\d\d)\b(?:\s*\(\s*\S+\s*\))?\s*$",
    re.MULTILINE | re.ASCII,
)
CHECK = re.compile(
    r"\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)=\s*\S+ \.+ (PASSED|FAILED)\s*$",
    re.MULTILINE,
)
FINISHED = re.compile(r"^Finished\s+(\d+) tests with the following results:\s*$", re.MULTILINE | re.ASCII)
FAILED = re.compile(r"^\s+(\d+) tests completed and failed residual checks,\s*$", re.MULTILINE | re.ASCII)
END = re.compile(r"^End of Tests\.\s*$", re.MULTILINE)
MXP = re.compile(
    r"^\s*HPL[-_]MxP.*?GFLOPS\s*=\s*(\d[\d.]*(?:e[+-]?\d+)?)\s*(?:,|$)", re.MULTILINE | re.ASCII | re.IGNORECASE
)
THOUSAND = 1000

Problem = tuple[str, str]
"""Size and Gflops of one run, as printed."""


def tflops(handed: Handed, name: str) -> Found:
    """Return the TFLOPS of the fastest problem."""
    rows, _ = _runs(handed, name)
    speed, size = max((Decimal(rate), size) for size, rate in rows)
    return Found(speed / THOUSAND, f"N = {size}")


def failures(handed: Handed, name: str) -> Found:
    """Return the count of residual checks that failed."""
    _, failed = _runs(handed, name)
    return Found(Decimal(failed))


def _runs(handed: Handed, name: str) -> tuple[list[Problem], int]:
    """Return the problems and the count of failed checks; the counts below the table must agree with it."""
    said = handed.text(name)
    rows, checks = ROW.findall(said), CHECK.findall(said)
    finished, failed = FINISHED.findall(said), FAILED.findall(said)
    if len(finished) != 1 or len(failed) != 1 or not END.search(said):
        handed.garbled()
    if int(finished[0]) != len(rows):
        handed.garbled()
    if checks.count("FAILED") != int(failed[0]):
        handed.garbled()
    if not checks:
        raise NotMeasuredError("no residual was checked; set a threshold in HPL.dat")
    if len(checks) != len(rows):
        handed.garbled()
    return rows, int(failed[0])


def mixed_pflops(handed: Handed) -> Found:
    """Return the PFLOPS of HPL-MxP, which solves in low precision and refines; its own check must have passed."""
    said = handed.text("hpl_mxp")
    found = MXP.findall(said)
    checks = re.findall(r"\b(?:PASSED|FAILED)\b", said)
    if len(found) != 1 or checks != ["PASSED"]:
        handed.garbled()
    return Found(number(found[0]) / 1_000_000)


TOOL = Tool(
    "HPL",
    "hpl",
    "xhpl",
    (
        Metric("hpl.tflops", "TFLOPS", partial(tflops, name="hpl")),
        Metric("hpl.residual_failures", "count", partial(failures, name="hpl")),
    ),
)
MIXED = Tool("HPL-MxP", "hpl_mxp", "xhpl_mxp", (Metric("hpl_mxp.pflops", "PFLOPS", mixed_pflops),))
