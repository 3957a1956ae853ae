"""gpu-burn: it compares matrix products for a given time, and prints a verdict for each GPU at the end."""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

TESTED = re.compile(r"^Tested (\d+) GPUs:\s*$", re.MULTILINE | re.ASCII)
VERDICT = re.compile(r"^\s*GPU (\d+): (OK|FAULTY)\s*$", re.MULTILINE | re.ASCII)
PROGRESS = re.compile(r"(\d+\.\d)%\s+proc'd: [^\r\n]*?errors: ([^\r\n]*?)\s+temps: ([^\r\n]*)", re.ASCII)
SPEED = re.compile(r"\((\d+) Gflop/s\)", re.ASCII)
WHOLE = "100.0"
FAILED = 123
"""gpu-burn's exit status if a child process died or counted an error."""


def faulty(handed: Handed) -> Found:
    """Count GPUs that computed wrong results or died."""
    bad = [gpu for gpu, verdict in _verdicts(handed) if verdict == "FAULTY"]
    return Found(Decimal(len(bad)), ", ".join(f"GPU {gpu}" for gpu in bad))


def tflops_min(handed: Handed) -> Found:
    """Return the TFLOPS of the slowest GPU in the last line of progress."""
    verdicts = _verdicts(handed)
    speeds = [number(speed) for speed in SPEED.findall(_progress(handed)[0])]
    if len(speeds) != len(verdicts):
        handed.garbled()
    return Found(min(speeds) / 1000, f"GPU {speeds.index(min(speeds))}")


def temperature_max(handed: Handed) -> Found:
    """Return the degrees of the hottest GPU in the last line of progress."""
    verdicts = _verdicts(handed)
    said = _progress(handed)[3]
    temps = [number(degrees) for degrees in re.findall(r"(\d+) C", said, re.ASCII)]
    if len(temps) != len(verdicts):
        handed.garbled()
    return Found(max(temps), f"GPU {temps.index(max(temps))}")


def _progress(handed: Handed) -> tuple[str, str, str, str]:
    found = list(PROGRESS.finditer(handed.text("gpu_burn", accept=(0, FAILED))))
    if not found:
        handed.garbled()
    last = found[-1]
    if last[1] != WHOLE:
        raise NotMeasuredError(f"gpu-burn got to {last[1]} %; let it run to the end")
    return last[0], last[1], last[2], last[3]


def _verdicts(handed: Handed) -> list[tuple[str, str]]:
    said = handed.text("gpu_burn", accept=(0, FAILED))
    stated, verdicts = TESTED.findall(said), VERDICT.findall(said)
    if len(stated) != 1 or int(stated[0]) != len(verdicts) or not verdicts:
        handed.garbled()
    counts = re.findall(r"-?\d+", _progress(handed)[2])
    errors = [count for count in counts if count != "0"]
    if errors and all(verdict == "OK" for _, verdict in verdicts):
        handed.garbled()
    return verdicts


TOOL = Tool(
    "gpu-burn",
    "gpu_burn",
    "gpu_burn -tc SECONDS",
    (
        Metric("gpu_burn.faulty", "count", faulty),
        Metric("gemm.tflops", "TFLOPS", tflops_min),
        Metric("gpu_burn.temperature_max", "degC", temperature_max),
    ),
)
