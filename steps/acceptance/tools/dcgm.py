"""DCGM's diagnostic: dcgmi diag -r 2, 3 or 4 with -j, of DCGM 3 and 4.

Only tests that ran count. If nothing but the deployment checks ran, no GPU was tested. A failed test that names no GPU still
fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

ROOTS = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
"""Version 4's name, and version 3's."""

STATUSES = {
    "pass": "pass",
    "fail": "fail",
    "warn": "warn",
    "skip": "skip",
    "skipped": "skip",
    "not run": "skip",
}
FAILED = 226
"""dcgmi's exit status if a test failed: -30 as a byte."""

SOFTWARE = "deployment"
CATEGORIES = {SOFTWARE, "integration", "hardware", "stress", "performance", "custom"}
"""DCGM's categories of tests. Of an unknown one it is not clear whether it tests hardware."""


class Result(NamedTuple):
    """The result of one test on one GPU; the GPU is empty if DCGM names none."""

    category: str
    test: str
    gpu: str
    status: str

    def __str__(self) -> str:
        """Return the test, and the GPU if there is one."""
        return f"{self.test} on GPU {self.gpu}" if self.gpu else self.test


def failed_tests(handed: Handed) -> Found:
    """Count failed tests, separately for each GPU."""
    failed = [str(r) for r in _ran(handed) if r.status == "fail"]
    return Found(Decimal(len(failed)), "; ".join(failed))


def warnings(handed: Handed) -> Found:
    """Count tests that ended in a warning."""
    warned = [str(r) for r in _ran(handed) if r.status == "warn"]
    return Found(Decimal(len(warned)), "; ".join(warned))


def skipped_tests(handed: Handed) -> Found:
    """Count tests that the diagnostic skipped; it says nothing about the parts that they test."""
    results = list(_results(handed))
    _check_ran(results)
    skipped = [str(r) for r in results if r.status == "skip"]
    return Found(Decimal(len(skipped)), "; ".join(skipped))


def _ran(handed: Handed) -> list[Result]:
    results = list(_results(handed))
    _check_ran(results)
    return [r for r in results if r.status != "skip"]


def _check_ran(results: list[Result]) -> None:
    tested = [r for r in results if r.status != "skip" and r.category.casefold() != SOFTWARE]
    if not tested and not any(r.status == "fail" for r in results):
        raise NotMeasuredError("dcgmi skipped every test of the hardware; run -r 2 or higher on a supported GPU")


def _results(handed: Handed) -> Iterator[Result]:
    document = handed.document("dcgm_diag", accept=(0, FAILED))
    root = next((document[name] for name in ROOTS if name in document), None)
    if root is None:
        handed.garbled()
    for category in root["test_categories"]:
        if category["category"].casefold() not in CATEGORIES:
            handed.garbled()
        for test in category["tests"]:
            own = [_result(category["category"], test["name"], result) for result in test["results"]]
            if not own:
                handed.garbled()
            yield from own
            summary = _status(test.get("test_summary", own[0]._asdict()))
            if summary == "fail" and all(result.status != "fail" for result in own):
                yield Result(category["category"], test["name"], "", "fail")


def _result(category: str, test: str, result: dict[str, Any]) -> Result:
    gpu = result.get("gpu_id", result.get("entity_id", result.get("gpu_ids", "")))
    return Result(str(category), str(test), str(gpu), _status(result))


def _status(result: dict[str, Any]) -> str:
    return STATUSES[result["status"].casefold()]


TOOL = Tool(
    "DCGM",
    "dcgm_diag",
    "dcgmi diag -r 3 -j",
    (
        Metric("dcgm.failed_tests", "count", failed_tests),
        Metric("dcgm.warnings", "count", warnings),
        Metric("dcgm.skipped_tests", "count", skipped_tests),
    ),
)
